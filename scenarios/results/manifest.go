package results

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/metric"
)

// FormatVersion is the version of the folder's layout that this build writes
// and reads.
const FormatVersion = tableVersion

// Status is the progress of a run.
type Status string

// The statuses of a run.
const (
	StatusComplete    Status = "complete"    // every job is in the folder
	StatusFailed      Status = "failed"      // every job of some arms is; the others failed
	StatusInterrupted Status = "interrupted" // the jobs of a canonical prefix are
)

// Manifest is the content of manifest.json. It is a function of the scenario,
// the seeds and the build: it holds no time, host or path, so that equal runs
// have equal manifests. Elapsed time belongs in the log.
type Manifest struct {
	// FormatVersion is set by Commit.
	FormatVersion int    `json:"format_version"`
	Scenario      string `json:"scenario"`
	Description   string `json:"description"`
	Paper         *Paper `json:"paper,omitempty"`
	// Hash is also the name of the folder: it covers scenario, data and build.
	Hash string `json:"hash"`
	// Status is complete, failed, or interrupted.
	Status Status `json:"status"`
	// Failures has a failure for each arm that is left out, in the order of the run.
	Failures []Failure `json:"failures,omitempty"`
	// Digest, in hex, covers the final state of every machine and all metrics. Equal
	// digests are equal runs, to the last bit.
	Digest string `json:"digest"`
	// Arms are in the order of the run.
	Arms []ArmEntry `json:"arms"`
	// Seeds are the seeds of every arm.
	Seeds Seeds `json:"seeds"`
	// FirstStep is the paper's first step, and Horizon the number of steps.
	FirstStep int64 `json:"first_step"`
	Horizon   int64 `json:"horizon"`
	// MeasuredNodes says at which nodes metrics were taken.
	MeasuredNodes MeasuredNodes `json:"measured_nodes"`
	// Versions describes the build that ran, and its machine.
	Versions Versions `json:"versions"`
	// Warnings, notes and the ledger are lists without a file of their own: they are
	// short and belong beside the numbers.
	Warnings []Warning     `json:"warnings"`
	Notes    []Note        `json:"notes"`
	Ledger   []LedgerEntry `json:"ledger"`
	// Files are set by Commit, sorted by name.
	Files []FileEntry `json:"files"`
}

// The texts of a manifest.
type (
	Paper   = metric.Paper
	Value   = metric.ArmValue
	Warning = metric.Warning
	Note    = metric.Note
)

// ArmEntry is one variant of a sweep.
type ArmEntry struct {
	Name string `json:"name"`
	// Overrides is the text of the values that the arm changes in the scenario.
	Overrides string `json:"overrides"`
	// Values are the same values, one by one.
	Values []Value `json:"values,omitempty"`
	// FirstStep is the number of the arm's first step where it differs from the manifest's, as
	// in families that count from 0 beside others that count from 1.
	FirstStep *int64 `json:"first_step,omitempty"`
	// StoppedAt is the first step in which a budget ended the part of a node, under any
	// seed; nil where none did, and in older runs.
	StoppedAt *int64 `json:"stopped_at,omitempty"`
}

// Value is the text of the value that the arm gives a key, by itself or inside of a mapping
// that it sets; false where it sets none. Of several the last counts, as in the scenario.
func (a *ArmEntry) Value(path string) (text string, ok bool) {
	for i := range a.Values {
		if a.Values[i].Path == path {
			text, ok = a.Values[i].Value, true
		} else if key, inside := strings.CutPrefix(path, a.Values[i].Path); inside && (key[0] == '.' || key[0] == '[') {
			key = strings.TrimPrefix(key, ".")
			if value, found := inMapping(a.Values[i].Value, key); found {
				text, ok = value, true
			}
		}
	}
	return text, ok
}

// inMapping is the text of a value inside of a mapping in YAML; false where there is none.
func inMapping(text, path string) (value string, ok bool) {
	doc, err := document.ParseText("value", text)
	if err != nil || doc.Root().Kind() != document.Mapping {
		return "", false
	}
	if node, ok := doc.Find(path); ok {
		return node.Text(), true
	}
	return "", false
}

// MeasuredNodes lists the nodes that have node-level metrics.
type MeasuredNodes struct {
	All   bool    `json:"all"`
	Nodes []int32 `json:"nodes,omitempty"` // the sample, ascending, where All is false
}

// LedgerEntry describes the rows of an arm and observer in privacy.parquet. Nodes that
// measure.pairs asks for have rows without an entry: the entries of the arm's other observers
// hold for them.
type LedgerEntry struct {
	Arm      string `json:"arm"`
	Observer string `json:"observer"`
	// Unit is the protected unit, such as a datum or a whole client.
	Unit string `json:"unit"`
	// Neighbours is the adjacency, in a sentence.
	Neighbours string `json:"neighbours"`
	// Relation is the adjacency in a word: replace, or add-or-remove; older runs have
	// none.
	Relation string `json:"relation,omitempty"`
	// Protects is the extent of the unit in a word: record, one datum, or participant, all data of
	// a client or a node; older runs have none.
	Protects string `json:"protects,omitempty"`
	// Claimed is the paper's claim, as text.
	Claimed string `json:"claimed"`
	// ClaimedEpsilon is the claimed loss of the whole run, where it is at the delta of the account;
	// older runs, and claims without such a number, have none.
	ClaimedEpsilon *float64 `json:"claimed_epsilon,omitempty"`
	// Accountant names the method by which losses of sampled noise are converted; others are
	// exact.
	Accountant string `json:"accountant"`
	// LeastDelta and LargestDelta are the ends of the deltas of units that have their own, at which the
	// rows of each state its loss; absent where all have one.
	LeastDelta   float64 `json:"least_delta,omitempty"`
	LargestDelta float64 `json:"largest_delta,omitempty"`
	Remark       string  `json:"remark,omitempty"`
}

// Equal reports whether two entries are the same.
func (e LedgerEntry) Equal(other LedgerEntry) bool {
	a, b := e.ClaimedEpsilon, other.ClaimedEpsilon
	e.ClaimedEpsilon, other.ClaimedEpsilon = nil, nil
	return e == other && (a == nil) == (b == nil) && (a == nil || *a == *b)
}

// RelationOf is the relation of the entry of an arm and observer. For an observer without an
// entry it is the relation of the arm; empty where there is none.
func RelationOf(ledger []LedgerEntry, arm, observer string) (of string) {
	for i := range ledger {
		if entry := &ledger[i]; entry.Arm == arm {
			if of = entry.Relation; entry.Observer == observer {
				break
			}
		}
	}
	return of
}

// FileEntry names a data file of the folder.
type FileEntry struct {
	// Name is relative to the folder, with forward slashes on every system.
	Name string `json:"name"`
	// Size is in bytes, and SHA256 in hex.
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Validate reports the first thing that keeps the manifest from describing a
// run.
func (m *Manifest) Validate() error {
	if m.FormatVersion != FormatVersion {
		return fmt.Errorf("format_version is %d, this build reads %d", m.FormatVersion, FormatVersion)
	}
	if m.Scenario == "" || m.Hash == "" {
		return errors.New("scenario and hash must not be empty")
	}
	switch m.Status {
	case StatusComplete, StatusInterrupted, StatusFailed:
	default:
		return fmt.Errorf("status %q is not one of %q, %q and %q", m.Status, StatusComplete, StatusFailed, StatusInterrupted)
	}
	if failed := m.Status == StatusFailed; failed != (len(m.Failures) > 0) {
		return fmt.Errorf("status %q, and %d failures", m.Status, len(m.Failures))
	}
	if _, err := hex.DecodeString(m.Digest); err != nil {
		return fmt.Errorf("digest: %w", err)
	}
	if err := m.plan().Validate(); err != nil {
		return err
	}
	if m.MeasuredNodes.All && len(m.MeasuredNodes.Nodes) > 0 {
		return errors.New("measured_nodes: all is true, yet nodes are listed")
	}
	if err := m.validateArmNames(); err != nil {
		return err
	}
	return m.validateFiles()
}

// validateArmNames checks that warnings and notes speak of arms of the run.
func (m *Manifest) validateArmNames() error {
	known := map[string]bool{}
	for _, arm := range m.Arms {
		known[arm.Name] = true
	}
	for i, f := range m.Failures {
		if f.Arm == "" || known[f.Arm] {
			return fmt.Errorf("failures[%d]: arm %q is one of the run", i, f.Arm)
		}
	}
	for i, warning := range m.Warnings {
		if warning.Arm != "" && !known[warning.Arm] {
			return fmt.Errorf("warnings[%d]: arm %q is not one of the run", i, warning.Arm)
		}
	}
	for i, note := range m.Notes {
		if !known[note.Arm] {
			return fmt.Errorf("notes[%d]: arm %q is not one of the run", i, note.Arm)
		}
	}
	return nil
}

// validateFiles refuses files outside the folder: a manifest may come from elsewhere, and Open
// reads the files that it lists.
func (m *Manifest) validateFiles() error {
	last := ""
	for i, file := range m.Files {
		if !filepath.IsLocal(filepath.FromSlash(file.Name)) {
			return fmt.Errorf("files[%d]: %q leaves the folder", i, file.Name)
		}
		if file.Name <= last {
			return fmt.Errorf("files[%d]: %q is out of order or repeated", i, file.Name)
		}
		last = file.Name
		if sum, err := hex.DecodeString(file.SHA256); err != nil || len(sum) != 32 {
			return fmt.Errorf("files[%d]: %q is no SHA-256", i, file.SHA256)
		}
		if file.Size < 0 {
			return fmt.Errorf("files[%d]: size %d is negative", i, file.Size)
		}
	}
	return nil
}

// Provenance is the sentence that ends a caption: the run, its digest and the version that made it.
func (m *Manifest) Provenance() string {
	return fmt.Sprintf("Run %s %s, digest %s, starling %s.", m.Scenario, m.Hash, m.Digest, m.Versions.Starling)
}

// Failed names the arms that are left out, with the reasons; empty where none is.
func (m *Manifest) Failed() string {
	consequence := "failed and are left out"
	if len(m.Failures) == 1 {
		consequence = "failed and is left out"
	}
	return FailureText(consequence, m.Failures, len(m.Arms)+len(m.Failures))
}

// plan is the jobs the manifest speaks of.
func (m *Manifest) plan() Plan {
	plan := Plan{Arms: make([]string, len(m.Arms)), Seeds: m.Seeds}
	for i, arm := range m.Arms {
		plan.Arms[i] = arm.Name
	}
	return plan
}

// encode returns the text of manifest.json: indented, fields in the order of
// the struct, absent lists as [].
func (m Manifest) encode() ([]byte, error) {
	if m.Warnings == nil {
		m.Warnings = []Warning{}
	}
	if m.Notes == nil {
		m.Notes = []Note{}
	}
	if m.Ledger == nil {
		m.Ledger = []LedgerEntry{}
	}
	if m.Files == nil {
		m.Files = []FileEntry{}
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(m); err != nil {
		return nil, err
	}
	return text.Bytes(), nil
}

// decodeManifest parses manifest.json strictly: unknown fields and trailing
// text are errors, and the content must be valid.
func decodeManifest(text []byte) (Manifest, error) {
	var m Manifest
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&m); err != nil {
		return Manifest{}, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Manifest{}, errors.New("text follows the manifest")
	}
	return m, m.Validate()
}

// ReadManifest reads the manifest of a folder, complete or interrupted, without
// looking at the data files.
func ReadManifest(dir string) (Manifest, error) {
	path := filepath.Join(dir, manifestName)
	text, err := ReadSmall(path, mostManifest)
	if err != nil {
		return Manifest{}, err
	}
	m, err := decodeManifest(text)
	if err != nil {
		return Manifest{}, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// completeText is the content of COMPLETE for a manifest.
func completeText(manifest []byte) []byte { return []byte(sumOf(manifest) + "\n") }
