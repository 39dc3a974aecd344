package bundle

import (
	"archive/zip"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"starling/actors/atomicfile"
	"starling/scenarios/claim"
	"starling/scenarios/document"
	"starling/scenarios/inputs"
	"starling/scenarios/library"
	"starling/scenarios/loading"
	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/study"
)

// Inclusion says whether an archive has the data of its run.
type Inclusion string

// The inclusions. Auto includes data of at most MostIncluded bytes.
const (
	Auto    Inclusion = "auto"
	Include Inclusion = "include"
	ByHash  Inclusion = "hash"
)

// MostIncluded is the size of the data that are included by themselves, in bytes.
const MostIncluded = 20_000_000

// mostBytes is the size of the largest archive once it is unpacked.
const mostBytes = 1 << 33

// Options are the settings of Pack.
type Options struct {
	Data Inclusion
	// Claims is the file of claims on the run, or empty for the claims of the library, where
	// they are on this scenario. Unclaimed leaves claims out.
	Claims    string
	Unclaimed bool
	// Loader reads the scenario of the run again, with the data that the run had. No code that
	// the scenario names is run.
	Loader loading.Loader
}

// Packed describes an archive that was written.
type Packed struct {
	Index *Index
	// Claims is the file of the claims; empty for none. Without is the reason why claims of the
	// library are not there; empty if none are left out.
	Claims, Without string
	Size            int64
}

// entry is a file on its way into the archive.
type entry struct {
	File
	open func() (io.ReadCloser, error)
}

// epoch is the time of all entries: the earliest that a zip can state.
var epoch = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// Pack writes the archive of a complete run to a file, whole or not at all. A run that cannot
// be packed is an InputError: arms of it failed, its data are not there or are others, or its
// scenario names files outside of its folder.
func Pack(run *results.Run, file string, o Options) (*Packed, error) {
	if text := run.Manifest.Failed(); text != "" {
		return nil, document.BadInput(fmt.Errorf("%s: %s; a bundle is of a run whose arms all ran", run.Dir, text))
	}
	o.Loader.Showing = true
	s, err := o.Loader.Load(filepath.Join(run.Dir, results.ScenarioFile))
	if err != nil {
		return nil, err
	}
	if err := sameData(s, run); err != nil {
		return nil, document.BadInput(err)
	}
	list, err := inputEntries(s, o.Data)
	if err != nil {
		return nil, document.BadInput(err)
	}
	packed := &Packed{Index: &Index{
		Format: format, Scenario: run.Manifest.Scenario, Hash: run.Manifest.Hash, Digest: run.Manifest.Digest,
		Code: s.Folder.Withheld != "", Inputs: inputsOf(s.Data),
	}}
	for name, source := range map[string]string{scenarioName: results.ScenarioFile, manifestName: "manifest.json", privacyName: "privacy.parquet"} {
		role := Expected
		if name == scenarioName {
			role = Scenario
		}
		list = append(list, onDisk(name, role, filepath.Join(run.Dir, source)))
	}
	decided, err := packed.claims(run, s, o)
	if err != nil {
		return nil, err
	}
	list = append(list, decided...)
	if err := packed.index(list, filepath.Base(file)); err != nil {
		return nil, err
	}
	packed.Size, _, err = atomicfile.Write(file, func(w io.Writer) error { return packed.write(w, list, filepath.Base(file)) })
	return packed, err
}

// sameData refuses data of a scenario that the run did not have. Code and the files
// that code reads have no notes of their own in a run.
func sameData(s *study.Scenario, run *results.Run) error {
	for _, d := range s.Data {
		for _, n := range run.Manifest.Notes {
			named := strings.TrimSuffix(study.NoteOfData(d).Value, d.Sha256)
			if sum, found := strings.CutPrefix(n.Value, named); found && sum != d.Sha256 {
				return fmt.Errorf("%s is not the file of the run: it has the SHA-256 %s, and the run had %s", d.Name, d.Sha256, sum)
			}
		}
	}
	return nil
}

// onDisk is the entry of a file on the disk.
func onDisk(name string, role Role, file string) entry {
	return entry{File{Name: name, Role: role}, func() (io.ReadCloser, error) { return os.Open(file) }}
}

// inText is the entry of a text.
func inText(name string, role Role, text []byte) entry {
	return entry{File{Name: name, Role: role}, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }}
}

// inputEntries lists the files that a scenario has read: its data, its code and the data of its
// code. Data outside of the scenario's folder get a place of their own. Code there, and the data that
// code opens there, are faults.
func inputEntries(s *study.Scenario, how Inclusion) (list []entry, err error) {
	var lost []string
	size, apart := int64(0), 0
	for _, t := range s.Folder.Taken() {
		name, as := path.Join(runFolder, filepath.ToSlash(t.Name)), ""
		if t.Set {
			name = path.Join(dataFolder, t.Name)
		}
		if !filepath.IsLocal(t.Name) && !t.Code && !t.ByCode {
			apart++
			name, as = path.Join(outside, strconv.Itoa(apart), baseName(t.Name)), t.Name
		} else if !filepath.IsLocal(t.Name) || slices.Contains([]string{scenarioName, claimsName}, name) {
			name = ""
		}
		if !safe(name) {
			lost = append(lost, t.Name)
			continue
		}
		for _, e := range takenEntries(name, as, t) {
			if e.Role == Data {
				if info, err := os.Stat(e.path); err == nil {
					size += info.Size()
				}
			}
			list = append(list, e.entry)
		}
	}
	if lost != nil {
		return nil, fmt.Errorf("the scenario names files that have no place in a bundle: %s; name code, and the files that code opens, by paths that begin in the scenario's folder and stay below it", strings.Join(lost, ", "))
	}
	if how == ByHash || how == Auto && size > MostIncluded {
		for i := range list {
			list[i].Absent = list[i].Role == Data
		}
	}
	return list, nil
}

// baseName returns the last part of a path, in characters that every system has in names.
func baseName(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("\\:\x00", r) {
			return '_'
		}
		return r
	}, path.Base(filepath.ToSlash(name)))
}

// placed is the entry of a file with its path.
type placed struct {
	entry
	path string
}

// takenEntries are the entries of a file, or of the files of a folder, that a scenario has read.
func takenEntries(name, as string, t inputs.Taken) (list []placed) {
	if t.Files == nil {
		list = []placed{{takenEntry(name, t), t.Path}}
		list[0].As = as
		return list
	}
	for _, file := range t.Files {
		e := placed{onDisk(path.Join(name, file), Data, filepath.Join(t.Path, file)), filepath.Join(t.Path, file)}
		if as != "" {
			e.As = inputs.InFolder(as, file)
		}
		list = append(list, e)
	}
	return list
}

// takenEntry is the entry of a file that a scenario has read.
func takenEntry(name string, t inputs.Taken) entry {
	role := Data
	if t.Code {
		role = Code
	}
	if t.Path == "" {
		return entry{File{Name: name, Role: role}, func() (io.ReadCloser, error) { return library.Open(t.Name) }}
	}
	return onDisk(name, role, t.Path)
}

// claims returns the entries of the claims and of the verdicts on them. Claims of the library
// that are not on this run are left out; a file of claims has to be on it.
func (p *Packed) claims(run *results.Run, s *study.Scenario, o Options) ([]entry, error) {
	name, read := o.Claims, loading.ReadFile
	if o.Unclaimed {
		return nil, nil
	}
	if name == "" {
		if !slices.Contains(library.Claimed(), s.Name) {
			return nil, nil
		}
		name, read = library.ClaimsFile(s.Name), library.ReadFile
	}
	text, err := read(name)
	if err != nil {
		return nil, document.BadInput(err)
	}
	claims, err := runner.DecodeClaims(name, text, s)
	if err != nil && o.Claims == "" {
		p.Without = fmt.Sprintf("the claims of the library on %s are not on this run", s.Name)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	decisions, err := runner.Decisions(run, claims, s.Kinds.AllMetrics())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var verdict bytes.Buffer
	if err := claim.NewExpected([]claim.Report{reportOf(run, decisions)}, false).Write(&verdict); err != nil {
		return nil, err
	}
	p.Claims = name
	return []entry{inText(claimsName, Claims, text), inText(verdictsName, Expected, verdict.Bytes())}, nil
}

// reportOf has the verdicts on a run in the form in which they are compared.
func reportOf(run *results.Run, decisions []claim.Decision) claim.Report {
	return claim.Report{Scenario: run.Manifest.Scenario, Dir: run.Dir, Decisions: decisions}
}

// index fills in the index: the files with their sizes and sums, and the README last, since it
// speaks of them. archive is the name of the archive.
func (p *Packed) index(list []entry, archive string) error {
	slices.SortFunc(list, func(a, b entry) int { return cmp.Compare(a.Name, b.Name) })
	total := int64(0)
	for i := range list {
		e := &list[i]
		if i > 0 && list[i-1].Name == e.Name {
			return document.BadInput(fmt.Errorf("two files would be %s in the bundle", e.Name))
		}
		file, err := e.open()
		if err != nil {
			return err
		}
		sum := sha256.New()
		e.Size, err = io.Copy(sum, file)
		if err := errors.Join(err, file.Close()); err != nil {
			return err
		}
		e.SHA256 = hex.EncodeToString(sum.Sum(nil))
		if !e.Absent {
			total += e.Size
		}
		p.Index.Files = append(p.Index.Files, e.File)
	}
	if total > mostBytes {
		return document.BadInput(fmt.Errorf("the bundle would have %d bytes, want at most %d; --data hash leaves data out", total, int64(mostBytes)))
	}
	text := readme(p.Index, archive)
	sum := sha256.Sum256(text)
	p.Index.Files = append(p.Index.Files, File{Name: readmeName, Role: Readme, Size: int64(len(text)), SHA256: hex.EncodeToString(sum[:])})
	slices.SortFunc(p.Index.Files, func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
	return nil
}

// write writes the archive of a name. A file that has changed since its sum was taken is an error.
func (p *Packed) write(w io.Writer, list []entry, name string) error {
	index, err := p.Index.encode()
	if err != nil {
		return err
	}
	list = append(slices.DeleteFunc(slices.Clone(list), func(e entry) bool { return e.Absent }),
		inText(readmeName, Readme, readme(p.Index, name)), inText(indexName, Readme, index))
	slices.SortFunc(list, func(a, b entry) int { return cmp.Compare(a.Name, b.Name) })
	archive := zip.NewWriter(w)
	for _, e := range list {
		out, err := archive.CreateHeader(&zip.FileHeader{Name: e.Name, Method: zip.Deflate, Modified: epoch})
		if err != nil {
			return err
		}
		file, err := e.open()
		if err != nil {
			return err
		}
		sum := sha256.New()
		_, err = io.Copy(io.MultiWriter(out, sum), file)
		if err := errors.Join(err, file.Close()); err != nil {
			return err
		}
		if listed, ok := p.Index.file(e.Name); ok && listed.SHA256 != hex.EncodeToString(sum.Sum(nil)) {
			return fmt.Errorf("%s was changed while it was packed", e.Name)
		}
	}
	return archive.Close()
}
