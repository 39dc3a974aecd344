package scenarios

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"starling/actors/topology"
	"starling/scenarios/document"
)

type (
	edgeListOptions struct {
		File string            `yaml:"file,required" doc:"path, from the scenario's folder or else from where the program runs, of a CSV file with the columns step, from, to and, if there are weights, weight"`
		List topology.EdgeList `yaml:",inline"`
	}
	graphMLOptions struct {
		File string `yaml:"file,required" doc:"path, from the scenario's folder or else from where the program runs, of a GraphML file; its nodes are numbered in their order there"`
	}
)

// mostFile is the largest file that a scenario names.
const mostFile = 1 << 28

// readRegular reads a regular file that is not too large.
func readRegular(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	if info.Size() > mostFile {
		return nil, fmt.Errorf("%s has %d bytes; want at most %d", path, info.Size(), mostFile)
	}
	return os.ReadFile(path)
}

// networkFile reads the file that the section of a network names.
func (at site) networkFile(section *document.Node, name string) (text []byte, digest dataDigest, err error) {
	return at.data.file(section, "file", name)
}

// file reads the file that a key of a section names: from the folder of the
// scenario that names it or, where it is not there, from the working folder. The
// results depend on its contents.
func (d *dataFolder) file(section *document.Node, key, name string) (text []byte, digest dataDigest, err error) {
	path := name
	if !filepath.IsAbs(name) {
		node, _ := section.Get(key)
		path = filepath.Join(filepath.Dir(node.Position().File), name)
	}
	text, err = readRegular(path)
	if errors.Is(err, fs.ErrNotExist) && path != filepath.Clean(name) {
		if text, err = readRegular(name); errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("there is neither %s nor %s", path, name)
		}
	}
	if err != nil {
		return nil, digest, section.Resolve(document.At(key, "%v", err))
	}
	sum := sha256.Sum256(text)
	digest = dataDigest{name, hex.EncodeToString(sum[:])}
	d.use(digest)
	return text, digest, nil
}

func buildEdgeList(at site, section *document.Node) (*topologyPlan, error) {
	s, err := decodeTopology[edgeListOptions](at, section)
	if err != nil {
		return nil, err
	}
	text, digest, err := at.networkFile(section, s.Options.File)
	if err != nil {
		return nil, err
	}
	list := s.Options.List
	list.Nodes = at.nodes
	sequence, err := list.Parse(s.Options.File, text)
	if err != nil {
		return nil, section.Resolve(document.At("file", "%v", err))
	}
	g := kept(sequence, product(ways(!list.Undirected), 1+bytes.Count(text, []byte{'\n'})))
	g.demand, g.data = demandFile, []dataDigest{digest}
	return at.plan(section, s.Common, g)
}

func buildGraphML(at site, section *document.Node) (*topologyPlan, error) {
	s, err := decodeTopology[graphMLOptions](at, section)
	if err != nil {
		return nil, err
	}
	text, digest, err := at.networkFile(section, s.Options.File)
	if err != nil {
		return nil, err
	}
	graph, _, err := topology.ParseGraphML(s.Options.File, text)
	if err == nil && graph.Nodes() != at.nodes {
		err = fmt.Errorf("%s has %d nodes; the scenario has %d", s.Options.File, graph.Nodes(), at.nodes)
	}
	if err != nil {
		return nil, section.Resolve(document.At("file", "%v", err))
	}
	g := kept(topology.Static(graph), float64(graph.Edges()))
	g.demand, g.data = demandFile, []dataDigest{digest}
	return at.plan(section, s.Common, g)
}
