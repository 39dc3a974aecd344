package bundle

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"starling/scenarios/inputs"
	"starling/scenarios/results"
)

// format is the version of the archive's layout.
const format = 1

// The names in an archive.
const (
	readmeName   = "README.md"
	indexName    = "bundle.json"
	runFolder    = "run"
	dataFolder   = "data"
	outside      = "outside"
	expected     = "expected"
	scenarioName = runFolder + "/" + results.ScenarioFile
	claimsName   = runFolder + "/scenario.claims.yaml"
	manifestName = expected + "/manifest.json"
	privacyName  = expected + "/privacy.parquet"
	verdictsName = expected + "/verdicts.yaml"
)

// Role is the use of a file of an archive.
type Role string

// The roles.
const (
	Scenario Role = "scenario"
	Claims   Role = "claims"
	Code     Role = "code"
	Data     Role = "data"
	Expected Role = "expected"
	Readme   Role = "readme"
)

func roles() []Role { return []Role{Scenario, Claims, Code, Data, Expected, Readme} }

// File is a file of an archive.
type File struct {
	// Name is the path in the archive, with forward slashes.
	Name string `json:"name"`
	Role Role   `json:"role"`
	// Size is in bytes, and SHA256 in hex.
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
	// As is the name by which the scenario asks for a file that lies outside of its folder; empty for
	// others.
	As string `json:"as,omitempty"`
	// Absent means that the archive has the SHA-256 alone.
	Absent bool `json:"absent,omitempty"`
}

// Index is the content of bundle.json.
type Index struct {
	Format   int    `json:"format"`
	Scenario string `json:"scenario"`
	// Hash and Digest are as in the manifest of the run.
	Hash   string `json:"hash"`
	Digest string `json:"digest"`
	// Code reports whether the run needs code in Python to be run.
	Code bool `json:"code"`
	// Inputs are the data and code that the run depends on, each with the SHA-256 that the run
	// has recorded: of a data set one for all of its files.
	Inputs []Input `json:"inputs"`
	// Files are sorted by name. bundle.json itself is not among them.
	Files []File `json:"files"`
}

// Input is data or code that a run depends on.
type Input struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// inputsOf lists digests as inputs.
func inputsOf(list []inputs.Digest) []Input {
	all := []Input{}
	for _, d := range list {
		all = append(all, Input{d.Name, d.Sha256})
	}
	return all
}

// encode returns the text of bundle.json.
func (x *Index) encode() ([]byte, error) {
	text, err := json.MarshalIndent(x, "", "  ")
	return append(text, '\n'), err
}

// decodeIndex reads bundle.json, strictly.
func decodeIndex(text []byte) (*Index, error) {
	var x Index
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&x); err != nil {
		return nil, fmt.Errorf("%s: %w", indexName, err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: text follows the object", indexName)
	}
	if x.Format != format {
		return nil, fmt.Errorf("%s: format %d; this build reads %d", indexName, x.Format, format)
	}
	if faults := x.faults(); len(faults) > 0 {
		return nil, fmt.Errorf("%s: %s", indexName, strings.Join(faults, "\n  "))
	}
	return &x, nil
}

// faults lists the faults of the index, all of them.
func (x *Index) faults() (list []string) {
	fault := func(format string, arguments ...any) { list = append(list, fmt.Sprintf(format, arguments...)) }
	last, known := "", map[string]bool{}
	for _, f := range x.Files {
		if !safe(f.Name) {
			fault("%q is no path inside of the archive", f.Name)
		}
		if f.Name <= last {
			fault("%q is out of order or repeated", f.Name)
		}
		last = f.Name
		if sum, err := hex.DecodeString(f.SHA256); err != nil || len(sum) != 32 {
			fault("%q: %q is no SHA-256", f.Name, f.SHA256)
		}
		if f.Size < 0 || f.Size > mostBytes {
			fault("%q: a size of %d bytes", f.Name, f.Size)
		}
		if !slices.Contains(roles(), f.Role) {
			fault("%q: unknown role %q", f.Name, f.Role)
		}
		if f.Absent && f.Role != Data {
			fault("%q is absent, and no data", f.Name)
		}
		if (f.As != "") != strings.HasPrefix(f.Name, outside+"/") || f.As != "" && (f.Role != Data || fsLocal(f.As) || known[f.As]) {
			fault("%q stands for %q, which is no other file outside of the scenario's folder", f.Name, f.As)
		}
		known[f.As] = true
	}
	for _, name := range []string{scenarioName, manifestName, privacyName} {
		if f, ok := x.file(name); !ok || f.Absent {
			fault("%s is not listed", name)
		}
	}
	return list
}

// file returns the file of a name.
func (x *Index) file(name string) (File, bool) {
	i := slices.IndexFunc(x.Files, func(f File) bool { return f.Name == name })
	if i < 0 {
		return File{}, false
	}
	return x.Files[i], true
}

// Absent lists the files of data that the archive has by hash alone.
func (x *Index) Absent() (list []File) {
	for _, f := range x.Files {
		if f.Absent {
			list = append(list, f)
		}
	}
	return list
}

// safe reports whether a name is a path inside of the archive, in its one spelling, on every
// system.
func safe(name string) bool {
	return name != "." && path.Clean(name) == name && fsLocal(name) && !strings.ContainsAny(name, "\\:\x00")
}

// fsLocal reports whether a slashed path stays below its folder.
func fsLocal(name string) bool { return filepath.IsLocal(filepath.FromSlash(name)) }
