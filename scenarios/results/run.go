package results

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/parquet-go/parquet-go"

	"starling/scenarios/results/internal/table"
)

// ErrUnfinished is what Open returns for a folder without COMPLETE.
var ErrUnfinished = errors.New("the run is unfinished")

// Run is a complete results folder, open for reading. It holds no files open
// between calls and is safe for concurrent use.
type Run struct {
	Dir      string
	Manifest Manifest
}

// Open reads a complete run. It checks the manifest against COMPLETE and every
// data file against the size and SHA-256 in the manifest, so what it returns is
// what Commit wrote; an error names the damaged file. A run without COMPLETE is
// ErrUnfinished.
func Open(dir string) (*Run, error) {
	manifest, err := Sealed(dir)
	if err != nil {
		return nil, fmt.Errorf("results folder %s: %w", dir, err)
	}
	run := &Run{Dir: dir, Manifest: manifest}
	for _, file := range manifest.Files {
		if err := verify(run.path(file.Name), file); err != nil {
			return nil, err
		}
	}
	return run, nil
}

// Sealed reads the manifest of a folder that has to be complete, and checks it against
// COMPLETE.
func Sealed(dir string) (Manifest, error) {
	seal, err := os.ReadFile(filepath.Join(dir, completeName))
	if errors.Is(err, os.ErrNotExist) {
		if _, err := os.Stat(dir); err != nil {
			return Manifest{}, err
		}
		return Manifest{}, fmt.Errorf("%w: there is no %s in it", ErrUnfinished, completeName)
	}
	if err != nil {
		return Manifest{}, err
	}
	text, err := os.ReadFile(filepath.Join(dir, manifestName))
	if errors.Is(err, os.ErrNotExist) {
		return Manifest{}, fmt.Errorf("%s is missing", manifestName)
	}
	if err != nil {
		return Manifest{}, err
	}
	if !bytes.Equal(seal, completeText(text)) {
		return Manifest{}, fmt.Errorf("%s was changed after the run: its SHA-256 is not the one in %s", manifestName, completeName)
	}
	manifest, err := decodeManifest(text)
	if err != nil {
		return Manifest{}, fmt.Errorf("%s: %w", manifestName, err)
	}
	return manifest, manifest.requireComplete()
}

// requireComplete reports a manifest that no complete run can have.
func (m *Manifest) requireComplete() error {
	if m.Status != StatusComplete {
		return fmt.Errorf("%s: status %q beside %s", manifestName, m.Status, completeName)
	}
	for _, name := range []string{metricsName, scenarioName, summaryName} {
		listed := false
		for _, file := range m.Files {
			listed = listed || file.Name == name
		}
		if !listed {
			return fmt.Errorf("%s: files does not list %s", manifestName, name)
		}
	}
	return nil
}

// verify compares a file with its entry in the manifest.
func verify(path string, want FileEntry) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, file)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	if size != want.Size {
		return fmt.Errorf("%s is damaged: it has %d bytes, the manifest says %d", path, size, want.Size)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != want.SHA256 {
		return fmt.Errorf("%s is damaged: its SHA-256 is %s, the manifest says %s", path, got, want.SHA256)
	}
	return nil
}

func (r *Run) path(name string) string { return filepath.Join(r.Dir, filepath.FromSlash(name)) }

// Scenario is the text of scenario.yaml.
func (r *Run) Scenario() ([]byte, error) { return os.ReadFile(r.path(scenarioName)) }

// Rows calls visit for every row of metrics.parquet, in the order written. Rows
// with equal nodes share a Node pointer, which must not be written through. An
// error of visit ends the reading and is returned as it is.
func (r *Run) Rows(visit func(Row) error) error {
	names, nodes := table.Interner{}, map[int32]*int32{}
	return table.Read[metricRecord](r.path(metricsName), func(v parquet.Row) error {
		row := Row{
			Arm:    names.Get(v[0]),
			Seed:   v[1].Uint64(),
			Step:   v[2].Int64(),
			Metric: names.Get(v[4]),
			Value:  v[5].Double(),
		}
		if !v[3].IsNull() {
			node := v[3].Int32()
			if nodes[node] == nil {
				nodes[node] = &node
			}
			row.Node = nodes[node]
		}
		return visit(row)
	})
}

// RunLevel is Rows of the rows that belong to no node. Where most rows do, it takes a fifth of
// the time.
func (r *Run) RunLevel(visit func(Row) error) error {
	path := r.path(metricsName)
	var names table.Numbering
	return table.EachGroup[metricRecord](path, func(group parquet.RowGroup) error {
		arms, err1 := table.Names(group, armColumn, names.Number)
		seeds, err2 := table.Counts(group, seedColumn)
		metrics, err3 := table.Names(group, metricColumn, names.Number)
		c, err4 := readColumns(group)
		if err := errors.Join(err1, err2, err3, err4); err != nil {
			return fmt.Errorf("%s is damaged: %w", path, err)
		}
		for i, node := range c.nodes {
			if node != noNode {
				continue
			}
			if err := visit(Row{Arm: names.Texts[arms[i]], Seed: seeds[i], Step: c.steps[i], Metric: names.Texts[metrics[i]], Value: c.values[i]}); err != nil {
				return err
			}
		}
		return nil
	})
}

// Summary calls visit for every row of summary.parquet: arms in the order of
// the run, then by step and metric. An error of visit ends the reading and is
// returned as it is.
func (r *Run) Summary(visit func(SummaryRow) error) error {
	names := table.Interner{}
	return table.Read[summaryRecord](r.path(summaryName), func(v parquet.Row) error {
		row := SummaryRow{
			Arm:    names.Get(v[0]),
			Step:   v[1].Int64(),
			Metric: names.Get(v[2]),
			Mean:   v[3].Double(),
			SE:     math.NaN(),
			N:      v[5].Int64(),
		}
		if !v[4].IsNull() {
			row.SE = v[4].Double()
		}
		return visit(row)
	})
}
