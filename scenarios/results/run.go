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
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
)

// ErrUnfinished is the error of Open for a folder without COMPLETE.
var ErrUnfinished = errors.New("the run is unfinished")

// Run is a complete results folder, open for reading. It holds no files open
// between calls and is safe for concurrent use.
type Run struct {
	Dir      string
	Manifest Manifest
}

// Open reads a complete run. It checks the manifest against COMPLETE and every data file
// against the size and SHA-256 in the manifest, so the returned run is as Commit wrote it; an
// error names the damaged file. A run without COMPLETE is ErrUnfinished.
func Open(dir string) (*Run, error) {
	run, err := OpenUnverified(dir, -1)
	if err != nil {
		return nil, err
	}
	if err := run.Verify(-1); err != nil {
		return nil, err
	}
	return run, nil
}

// OpenUnverified is Open without reading the bytes of files that are longer than most: of such
// files it checks the size alone. Verify makes up for it.
func OpenUnverified(dir string, most int64) (*Run, error) {
	manifest, err := Sealed(dir)
	if err != nil {
		return nil, fmt.Errorf("results folder %s: %w", dir, err)
	}
	run := &Run{Dir: dir, Manifest: manifest}
	for _, file := range manifest.Files {
		if file.Size <= most || sized(run.path(file.Name), file) != nil {
			err = run.check(file)
		}
		if err != nil {
			return nil, err
		}
	}
	return run, nil
}

// Verify checks the files that are longer than most against their SHA-256 in the manifest; an
// error names the first that is damaged.
func (r *Run) Verify(most int64) error {
	for _, file := range r.Manifest.Files {
		if file.Size > most {
			if err := r.check(file); err != nil {
				return err
			}
		}
	}
	return nil
}

// Longer reports whether a file of the run is longer than most.
func (r *Run) Longer(most int64) bool {
	return slices.ContainsFunc(r.Manifest.Files, func(file FileEntry) bool { return file.Size > most })
}

// Sealed reads the manifest of a folder that has to be complete, and checks it against
// COMPLETE.
func Sealed(dir string) (Manifest, error) {
	seal, err := ReadSmall(filepath.Join(dir, completeName), mostSeal)
	if errors.Is(err, os.ErrNotExist) {
		if _, err := os.Stat(dir); err != nil {
			return Manifest{}, err
		}
		if runs, err := filepath.Glob(filepath.Join(dir, "*", completeName)); err == nil && len(runs) > 0 {
			return Manifest{}, fmt.Errorf("no run, but a folder that holds %d finished; name one of them, such as %s", len(runs), filepath.Dir(runs[0]))
		}
		return Manifest{}, fmt.Errorf("%w: there is no %s in it", ErrUnfinished, completeName)
	}
	if err != nil {
		return Manifest{}, err
	}
	text, err := ReadSmall(filepath.Join(dir, manifestName), mostManifest)
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
	if m.Status == StatusInterrupted {
		return fmt.Errorf("%s: status %q beside %s", manifestName, m.Status, completeName)
	}
	for _, name := range []string{metricsName, scenarioName, summaryName} {
		if !m.lists(name) {
			return fmt.Errorf("%s: files does not list %s", manifestName, name)
		}
	}
	return nil
}

// lists reports whether a file is one of the run's.
func (m *Manifest) lists(name string) bool {
	return slices.ContainsFunc(m.Files, func(file FileEntry) bool { return file.Name == name })
}

// sized compares the size of a file with its entry in the manifest.
func sized(path string, want FileEntry) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Size() != want.Size {
		return fmt.Errorf("%s is damaged: it has %d bytes, the manifest says %d", path, info.Size(), want.Size)
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

// ShortHash returns the beginning of the run's hash, long enough for readers to distinguish
// runs.
func (r *Run) ShortHash() string { return r.Manifest.Hash[:min(len(r.Manifest.Hash), 8)] }

func (r *Run) path(name string) string { return filepath.Join(r.Dir, filepath.FromSlash(name)) }

// Scenario is the text of scenario.yaml.
func (r *Run) Scenario() ([]byte, error) { return ReadSmall(r.path(scenarioName), mostScenario) }

// Rows calls visit for every row of metrics.parquet, in the order written. Rows
// with equal nodes share a Node pointer, which must not be written through. An
// error of visit ends the reading and is returned as it is.
func (r *Run) Rows(visit func(Row) error) error {
	return r.eachGroup(func(group parquet.RowGroup, names *numbering) error {
		g, err := r.readGroup(group, names)
		if err != nil {
			return err
		}
		nodes := map[int32]*int32{}
		for i, node := range g.Nodes {
			row := rowOf(&g, i, names)
			if node != noNode {
				if nodes[node] == nil {
					nodes[node] = &node
				}
				row.Node = nodes[node]
			}
			if err := visit(row); err != nil {
				return err
			}
		}
		return nil
	})
}

// RunLevel is Rows of the rows that belong to no node.
func (r *Run) RunLevel(visit func(Row) error) error {
	return r.eachGroup(func(group parquet.RowGroup, names *numbering) error {
		g, err := r.readGroup(group, names)
		if err != nil {
			return err
		}
		for i, node := range g.Nodes {
			if node != noNode {
				continue
			}
			if err := visit(rowOf(&g, i, names)); err != nil {
				return err
			}
		}
		return nil
	})
}

// OfJob is Rows of the rows of one arm under one seed. It reads little of the others.
func (r *Run) OfJob(arm string, seed uint64, visit func(Row) error) error {
	return r.eachGroup(func(group parquet.RowGroup, names *numbering) error {
		seeds, err := seedsOfMetrics(group)
		if err != nil {
			return r.damaged(err)
		}
		if !slices.Contains(seeds, seed) {
			return nil
		}
		g, err := r.readGroup(group, names)
		if err != nil {
			return err
		}
		wanted := names.Number(arm)
		for i, node := range g.Nodes {
			if g.Seeds[i] != seed || g.Arms[i] != wanted {
				continue
			}
			row := rowOf(&g, i, names)
			if node != noNode {
				row.Node = &node
			}
			if err := visit(row); err != nil {
				return err
			}
		}
		return nil
	})
}

// eachGroup calls visit for the row groups of metrics.parquet, with one numbering of their
// texts.
func (r *Run) eachGroup(visit func(parquet.RowGroup, *numbering) error) error {
	return eachMetric(r.path(metricsName), visit)
}

// readGroup decodes a row group.
func (r *Run) readGroup(group parquet.RowGroup, names *numbering) (g metricGroup, err error) {
	if g, err = readMetrics(group, names); err != nil {
		err = r.damaged(err)
	}
	return g, err
}

func (r *Run) damaged(err error) error {
	return fmt.Errorf("%s is damaged: %w", r.path(metricsName), err)
}

// rowOf is one row, as if it belonged to no node.
func rowOf(g *metricGroup, i int, names *numbering) Row {
	return Row{Arm: names.Texts[g.Arms[i]], Seed: g.Seeds[i], Step: g.Steps[i], Metric: names.Texts[g.Metrics[i]], Value: g.Values[i]}
}

// Summary calls visit for every row of summary.parquet: arms in the order of
// the run, then by step and metric. An error of visit ends the reading and is
// returned as it is.
func (r *Run) Summary(visit func(SummaryRow) error) error {
	var names numbering
	return eachGroup[summaryRecord](r.path(summaryName), func(group parquet.RowGroup) error {
		var errs [6]error
		arms, err := readNames(group, 0, names.Number)
		errs[0] = err
		steps, err := readValues(group, 1, (*encoding.Values).Int64)
		errs[1] = err
		metrics, err := readNames(group, 2, names.Number)
		errs[2] = err
		means, err := readValues(group, 3, (*encoding.Values).Double)
		errs[3] = err
		ses, err := readReals(group, 4, math.NaN())
		errs[4] = err
		counts, err := readValues(group, 5, (*encoding.Values).Int64)
		errs[5] = err
		if err := errors.Join(errs[:]...); err != nil {
			return fmt.Errorf("%s is damaged: %w", r.path(summaryName), err)
		}
		for i := range means {
			row := SummaryRow{Arm: names.Texts[arms[i]], Step: steps[i], Metric: names.Texts[metrics[i]], Mean: means[i], SE: ses[i], N: counts[i]}
			if err := visit(row); err != nil {
				return err
			}
		}
		return nil
	})
}

// Privacy calls visit for every final row of privacy.parquet, in the order
// written. An error of visit ends the reading and is returned as it is.
func (r *Run) Privacy(visit func(PrivacyRow) error) error {
	return r.PrivacyCurves(func(row PrivacyRow) error {
		if !row.Final {
			return nil
		}
		return visit(row)
	})
}

// PrivacyCurves calls visit for every row of privacy.parquet, in the order
// written. An error of visit ends the reading and is returned as it is.
func (r *Run) PrivacyCurves(visit func(PrivacyRow) error) error {
	return eachPrivacy(r.path(privacyName), visit)
}
