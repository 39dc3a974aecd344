package bundle

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/inputs"
	"starling/scenarios/results"
	"starling/scenarios/study"
)

// The limits of an archive, besides mostBytes. An archive that unpacks to more than mostGrowth
// times its size is refused, unless that is less than freeGrowth.
const (
	mostFiles  = 20_000
	mostIndex  = 8 << 20
	mostGrowth = 200
	freeGrowth = 64 << 20
)

// Unpacked is an archive in a folder.
type Unpacked struct {
	*Index
	// Dir is the folder.
	Dir string
}

// notOne is the error of a file that cannot be opened as an archive.
func notOne(file string, err error) error {
	if errors.Is(err, zip.ErrFormat) {
		return fmt.Errorf("%s is no bundle: it is no zip archive, or is cut short", file)
	}
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return err // which names the file
	}
	return fmt.Errorf("%s: %w", file, err)
}

// readIndex reads the index of an archive and nothing else.
func readIndex(file string, archive *zip.Reader) (*Index, error) {
	i := slices.IndexFunc(archive.File, func(f *zip.File) bool { return f.Name == indexName })
	if i < 0 {
		return nil, document.BadInput(fmt.Errorf("%s is no bundle: there is no %s in it", file, indexName))
	}
	if archive.File[i].UncompressedSize64 > mostIndex {
		return nil, document.BadInput(fmt.Errorf("%s: %s has more than %d bytes", file, indexName, mostIndex))
	}
	opened, err := archive.File[i].Open()
	if err != nil {
		return nil, document.BadInput(fmt.Errorf("%s: %s: %w", file, indexName, err))
	}
	defer opened.Close()
	text, err := io.ReadAll(io.LimitReader(opened, mostIndex+1))
	if err != nil {
		return nil, document.BadInput(fmt.Errorf("%s: %s: %w", file, indexName, err))
	}
	x, err := decodeIndex(text)
	if err != nil {
		return nil, document.BadInput(fmt.Errorf("%s: %w", file, err))
	}
	return x, nil
}

// Unpack writes the files of an archive into an empty folder, and takes data that the archive
// has by hash from the folder data. Every fault is an InputError that names the files: paths
// that lead out of the folder, files that are not listed, are there twice, are missing or have
// other contents than the index says, and archives that unpack to far more than their size.
func Unpack(file, dir, data string) (*Unpacked, error) {
	archive, err := zip.OpenReader(file)
	if err != nil {
		return nil, document.BadInput(notOne(file, err))
	}
	defer archive.Close()
	x, err := readIndex(file, &archive.Reader)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if err := x.refuse(archive.File, info.Size()); err != nil {
		return nil, document.BadInput(fmt.Errorf("%s: %w", file, err))
	}
	var faults []string
	for _, f := range archive.File {
		if listed, ok := x.file(f.Name); ok {
			fault, err := extract(f, listed, dir)
			if err != nil {
				return nil, err
			}
			if fault != "" {
				faults = append(faults, fault)
			}
		}
	}
	if faults != nil {
		return nil, document.BadInput(fmt.Errorf("%s was changed: %s", file, strings.Join(faults, "\n  ")))
	}
	u := &Unpacked{x, dir}
	return u, u.complete(data)
}

// refuse lists the faults of the entries of an archive, before any is read.
func (x *Index) refuse(list []*zip.File, size int64) error {
	var faults []string
	seen, total := map[string]bool{indexName: true}, uint64(0)
	if len(list) > mostFiles {
		return fmt.Errorf("%d files, want at most %d", len(list), mostFiles)
	}
	indexed := false
	for _, f := range list {
		listed, ok := x.file(f.Name)
		switch {
		case f.Name == indexName && !indexed:
			indexed = true
		case !safe(f.Name):
			faults = append(faults, fmt.Sprintf("%q is no path inside of the archive", f.Name))
		case !f.Mode().IsRegular():
			faults = append(faults, f.Name+" is no regular file")
		case seen[f.Name]:
			faults = append(faults, f.Name+" is there twice")
		case !ok || listed.Absent:
			faults = append(faults, f.Name+" is not listed in "+indexName)
		case f.UncompressedSize64 != uint64(listed.Size):
			faults = append(faults, fmt.Sprintf("%s was changed: it has %d bytes, %s says %d", f.Name, f.UncompressedSize64, indexName, listed.Size))
		}
		seen[f.Name] = true
		if f.UncompressedSize64 > mostBytes {
			return fmt.Errorf("%s unpacks to %d bytes, want at most %d", f.Name, f.UncompressedSize64, int64(mostBytes))
		}
		total += f.UncompressedSize64
	}
	for _, f := range x.Files {
		if !f.Absent && !seen[f.Name] {
			faults = append(faults, f.Name+" is missing")
		}
	}
	if total > mostBytes || total > freeGrowth && total > mostGrowth*uint64(size) {
		faults = append(faults, fmt.Sprintf("it unpacks to %d bytes, which is too much for an archive of %d", total, size))
	}
	if faults == nil {
		return nil
	}
	return errors.New(strings.Join(faults, "\n  "))
}

// extract writes an entry of an archive into a folder. fault describes contents that are not as
// listed.
func extract(f *zip.File, listed File, dir string) (fault string, err error) {
	path := filepath.Join(dir, filepath.FromSlash(f.Name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	in, err := f.Open()
	if err != nil {
		return fmt.Sprintf("%s: %v", f.Name, err), nil
	}
	defer in.Close()
	out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return "", err
	}
	read := &faulty{r: io.LimitReader(in, listed.Size+1)}
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(out, sum), read)
	if err = errors.Join(err, out.Close()); err != nil && read.err == nil {
		return "", err
	}
	switch {
	case read.err != nil:
		return fmt.Sprintf("%s: %v", f.Name, read.err), nil
	case size != listed.Size || hex.EncodeToString(sum.Sum(nil)) != listed.SHA256:
		return fmt.Sprintf("%s has other contents than %s says", f.Name, indexName), nil
	}
	return "", nil
}

// faulty keeps the error of a reader, to tell it from one of a writer.
type faulty struct {
	r   io.Reader
	err error
}

func (f *faulty) Read(b []byte) (int, error) {
	n, err := f.r.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		f.err = err
	}
	return n, err
}

// complete puts the files that the archive has by hash into the folder, from the folder data,
// and refuses the run if one of them is missing or has other contents. Files that the scenario
// names itself may be in the working folder, too.
func (u *Unpacked) complete(data string) error {
	absent := u.Absent()
	if absent == nil {
		return nil
	}
	if data == "" {
		return document.BadInput(fmt.Errorf("the bundle has no data but their SHA-256; give the folder of %s by --data DIR", strings.Join(namesOf(absent), ", ")))
	}
	var faults []string
	for _, f := range absent {
		name := named(f)
		source := filepath.Join(data, filepath.FromSlash(name))
		if _, err := os.Stat(source); errors.Is(err, fs.ErrNotExist) && strings.HasPrefix(f.Name, runFolder+"/") {
			if _, err := os.Stat(filepath.FromSlash(name)); err == nil {
				source = filepath.FromSlash(name) // in the working folder
			}
		}
		target := filepath.Join(u.Dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		sum, err := copyFile(source, target)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			faults = append(faults, fmt.Sprintf("there is no %s in %s", name, data))
		case err != nil:
			return err
		case sum != f.SHA256:
			faults = append(faults, fmt.Sprintf("%s is not the file of the run: it has the SHA-256 %s, and the run had %s", source, sum, f.SHA256))
		}
	}
	if faults != nil {
		return document.BadInput(errors.New(strings.Join(faults, "\n  ")))
	}
	return nil
}

// named is the path by which a user knows a file of data: in the folder of data sets, or as the
// scenario names it. Of a file outside of the scenario's folder it is the last part.
func named(f File) string {
	if f.As != "" {
		return path.Base(f.Name)
	}
	_, name, _ := strings.Cut(f.Name, "/")
	return name
}

func namesOf(list []File) (names []string) {
	for _, f := range list {
		names = append(names, named(f))
	}
	return names
}

// copyFile copies a regular file and returns its SHA-256.
func copyFile(source, target string) (string, error) {
	in, err := inputs.OpenRegular(source, mostBytes)
	if err != nil {
		return "", err
	}
	defer in.Close()
	out, err := os.OpenFile(target, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	_, err = io.Copy(io.MultiWriter(out, sum), in)
	return hex.EncodeToString(sum.Sum(nil)), errors.Join(err, out.Close())
}

// RunFolder is the folder with the scenario: the run has to be made with it as the working
// folder, since code may name files from there.
func (u *Unpacked) RunFolder() string { return filepath.Join(u.Dir, runFolder) }

// ScenarioFile is the path of the scenario, from RunFolder.
func (u *Unpacked) ScenarioFile() string { return results.ScenarioFile }

// Elsewhere has the paths of the files that the scenario names outside of its folder, by these names.
func (u *Unpacked) Elsewhere() map[string]string {
	paths := map[string]string{}
	for _, f := range u.Files {
		if f.As != "" {
			paths[f.As] = filepath.Join(u.Dir, filepath.FromSlash(f.Name))
		}
	}
	return paths
}

// DataFolder is the folder of the data sets.
func (u *Unpacked) DataFolder() string { return filepath.Join(u.Dir, dataFolder) }

// Check refuses a scenario that was read from the archive and depends on other data or code
// than the run did.
func (u *Unpacked) Check(s *study.Scenario) error {
	var faults []string
	for _, want := range u.Inputs {
		i := slices.IndexFunc(s.Data, func(d inputs.Digest) bool { return d.Name == want.Name })
		switch {
		case i < 0:
			faults = append(faults, want.Name+" is not read any more")
		case s.Data[i].Sha256 != want.SHA256:
			faults = append(faults, fmt.Sprintf("%s has the SHA-256 %s, and the run had %s", want.Name, s.Data[i].Sha256, want.SHA256))
		}
	}
	if faults != nil {
		return document.BadInput(fmt.Errorf("other data than the run had: %s", strings.Join(faults, "\n  ")))
	}
	return nil
}
