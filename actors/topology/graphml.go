package topology

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"starling/messages"
)

// ParseGraphML reads a graph in GraphML (graphml.graphdrawing.org). Nodes are numbered in the
// order in which the file lists them; ids are their names there. An edge is directed or not as
// it says itself or as the graph's edgedefault does; its weight is the data under the key with
// attr.name weight, else the default of that key, else 1. Other data is left out. Graphs
// inside nodes, hyperedges and a second graph are refused. The name is for errors only, which
// are of type *FileError.
func ParseGraphML(name string, text []byte) (g *Graph, ids []string, err error) {
	p := &graphML{name: name, decoder: xml.NewDecoder(bytes.NewReader(text)), number: map[string]messages.NodeID{}, defaultWeight: 1}
	if err := p.read(); err != nil {
		return nil, nil, err
	}
	edges := make([]Edge, 0, 2*len(p.edges))
	origin := make([]int, 0, 2*len(p.edges))
	for k, e := range p.edges {
		from, known := p.number[e.source]
		if !known {
			return nil, nil, p.fault(e.place, "there is no node %q", e.source)
		}
		to, known := p.number[e.target]
		if !known {
			return nil, nil, p.fault(e.place, "there is no node %q", e.target)
		}
		weight := e.weight
		if !e.weighted {
			weight = p.defaultWeight
		}
		edges, origin = append(edges, Edge{from, to, weight}), append(origin, k)
		if !e.directed && from != to {
			edges, origin = append(edges, Edge{to, from, weight}), append(origin, k)
		}
	}
	g, err = FromEdges(len(p.ids), edges)
	var fault *EdgeError
	if errors.As(err, &fault) {
		e := p.edges[origin[fault.Index]]
		return nil, nil, p.fault(e.place, "the edge from %q to %q: it is listed twice", e.source, e.target)
	}
	if err != nil {
		return nil, nil, p.fault(place{1, 1}, "%v", err)
	}
	return g, p.ids, nil
}

// graphML is the part of a file read so far.
type graphML struct {
	// name is the file's, for errors.
	name    string
	decoder *xml.Decoder
	// path has the elements that are open, the outermost first.
	path []string
	// ids are in the order of the file, and number is their inverse.
	ids    []string
	number map[string]messages.NodeID
	edges  []graphMLEdge
	// directed is the graph's edgedefault, which an edge may overrule.
	directed bool
	graphs   int
	// weightKey is the id of the key of weights; hasWeightKey is true if there is one.
	weightKey     string
	hasWeightKey  bool
	defaultWeight float64
	// text is the text of the innermost element.
	text strings.Builder
	// data is the key of the open data element, and keyID the id of the open key element.
	data  string
	keyID string // id of the open key element
}

// place is a position in a file, from 1.
type place struct{ line, column int }

// graphMLEdge is an edge as the file has it: nodes by their ids, which may come later in
// the file.
type graphMLEdge struct {
	source, target string
	directed       bool
	weighted       bool
	weight         float64
	place          place
}

func (p *graphML) fault(at place, format string, args ...any) error {
	return &FileError{Name: p.name, Line: at.line, Column: at.column, Message: fmt.Sprintf(format, args...)}
}

// read takes in the whole file.
func (p *graphML) read() error {
	for {
		line, column := p.decoder.InputPos()
		at := place{line, max(column, 1)}
		token, err := p.decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return p.syntaxFault(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			p.text.Reset()
			err = p.open(t, at)
			p.path = append(p.path, t.Name.Local)
		case xml.EndElement:
			p.path = p.path[:len(p.path)-1]
			err = p.close(t.Name.Local, at)
			p.text.Reset()
		case xml.CharData:
			p.text.Write(t)
		}
		if err != nil {
			return err
		}
	}
	if p.graphs == 0 {
		line, column := p.decoder.InputPos()
		return p.fault(place{line, max(column, 1)}, "there is no graph in the file")
	}
	return nil
}

// syntaxFault gives an error of the XML reader the place it has come to, which
// it counts from 0 in a line of which it has read nothing.
func (p *graphML) syntaxFault(err error) error {
	line, column := p.decoder.InputPos()
	message := err.Error()
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) {
		message = "syntax error: " + syntax.Msg
	}
	return p.fault(place{line, max(column, 1)}, "%s", message)
}

// attribute returns an attribute of an element.
func attribute(e xml.StartElement, name string) (string, bool) {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value, true
		}
	}
	return "", false
}

// The places of the elements that are read.
var (
	inRoot  = []string{"graphml"}
	inKey   = []string{"graphml", "key"}
	inGraph = []string{"graphml", "graph"}
	inEdge  = []string{"graphml", "graph", "edge"}
)

// inside reports whether exactly these elements are open.
func (p *graphML) inside(path []string) bool { return slices.Equal(p.path, path) }

// open begins an element.
func (p *graphML) open(e xml.StartElement, at place) error {
	switch kind := e.Name.Local; {
	case len(p.path) == 0 && kind != "graphml":
		return p.fault(at, "the file is a %s, want graphml", kind)
	case kind == "graph":
		return p.openGraph(e, at)
	case kind == "hyperedge":
		return p.fault(at, "hyperedges are not supported")
	case kind == "key" && p.inside(inRoot):
		p.openKey(e)
	case kind == "node" && p.inside(inGraph):
		return p.openNode(e, at)
	case kind == "edge" && p.inside(inGraph):
		return p.openEdge(e, at)
	case kind == "data" && p.inside(inEdge):
		p.data, _ = attribute(e, "key")
	}
	return nil
}

// openKey takes note of the key of weights. Other keys are ignored.
func (p *graphML) openKey(e xml.StartElement) {
	p.keyID, _ = attribute(e, "id")
	about, _ := attribute(e, "for")
	if name, _ := attribute(e, "attr.name"); name == "weight" && (about == "edge" || about == "all") {
		p.weightKey, p.hasWeightKey = p.keyID, true
	}
}

// openGraph begins the one graph of the file.
func (p *graphML) openGraph(e xml.StartElement, at place) error {
	if !p.inside(inRoot) {
		return p.fault(at, "a graph inside a %s is not supported", p.path[len(p.path)-1])
	}
	if p.graphs++; p.graphs > 1 {
		return p.fault(at, "a second graph, want one")
	}
	switch direction, _ := attribute(e, "edgedefault"); direction {
	case "directed", "undirected":
		p.directed = direction == "directed"
	default:
		return p.fault(at, "edgedefault is %q, want directed or undirected", direction)
	}
	return nil
}

// openNode numbers a node by its place in the file.
func (p *graphML) openNode(e xml.StartElement, at place) error {
	id, given := attribute(e, "id")
	if !given {
		return p.fault(at, "a node without id")
	}
	if _, known := p.number[id]; known {
		return p.fault(at, "a second node %q", id)
	}
	p.number[id] = messages.NodeID(len(p.ids))
	p.ids = append(p.ids, id)
	return nil
}

// openEdge begins an edge. Its ends are looked up when the whole file has been read.
func (p *graphML) openEdge(e xml.StartElement, at place) error {
	edge := graphMLEdge{directed: p.directed, place: at}
	var from, to bool
	edge.source, from = attribute(e, "source")
	edge.target, to = attribute(e, "target")
	if !from || !to {
		return p.fault(at, "an edge without source or target")
	}
	if own, given := attribute(e, "directed"); given {
		if own != "true" && own != "false" {
			return p.fault(at, "directed is %q, want true or false", own)
		}
		edge.directed = own == "true"
	}
	p.edges = append(p.edges, edge)
	return nil
}

// close ends an element; p.path holds the elements still open around it.
func (p *graphML) close(kind string, at place) (err error) {
	switch {
	case !p.hasWeightKey:
	case kind == "default" && p.inside(inKey) && p.keyID == p.weightKey:
		p.defaultWeight, err = p.weight(at)
	case kind == "data" && p.inside(inEdge) && p.data == p.weightKey:
		e := &p.edges[len(p.edges)-1]
		e.weight, err = p.weight(at)
		e.weighted = true
	}
	return err
}

// weight reads the text of the element that ends.
func (p *graphML) weight(at place) (float64, error) {
	text := strings.TrimSpace(p.text.String())
	w, err := strconv.ParseFloat(text, 64)
	if err != nil || !finite(w) || w == 0 {
		return 0, p.fault(at, "weight is %q, want a finite number that is not 0", text)
	}
	return w, nil
}
