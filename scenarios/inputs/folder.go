// Package inputs opens the files that a scenario names, within the rights of the scenario, and
// records their digests: results depend on these files. It knows no formats; package dataset
// reads data sets from a folder.
package inputs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"starling/scenarios/document"
)

// DataNote is the key of the notes that name the data of an arm and their
// SHA-256.
const DataNote = "data"

// Digest identifies data that a scenario reads: Name is the name of a data set or of a file,
// Sha256 the digest of the contents, in hex.
type Digest struct{ Name, Sha256 string }

// Folder is the folder of data sets, and the way to all other files that a scenario names. It
// keeps what was read, once for all arms of the scenario. It is for one goroutine.
type Folder struct {
	// Path is the folder of data sets. It may be empty, which is an error only for scenarios
	// that need data.
	Path string
	// Confined: every file that a scenario names must lie in the folder. It is for scenarios
	// by others than the owner of the machine.
	Confined bool
	// Local: every file that a scenario names must lie in the working folder or in the folder
	// of data sets, by its path. Paths that lead up or begin at the root are refused. Links
	// are followed.
	Local bool
	// Elsewhere are paths of files, by the names that a scenario has for them, whatever its rights.
	Elsewhere map[string]string
	// Code: code that a scenario names runs even if files are confined.
	Code bool
	// Twice: such code is asked everything twice, and its answers are compared.
	Twice bool
	// Showing: no such code runs, and no process is started for it, since the scenario only
	// accompanies results that are looked at. Withheld is then the first file of code that the
	// scenario names; empty if there is none.
	Showing  bool
	Withheld string
	// Context is the context of the caller that waits for the results of such code. Once it is
	// done, nobody waits. nil means no context.
	Context context.Context
	// Missing is a data set that is wanted and not there. A caller that runs many scenarios
	// can then go on with the others.
	Missing string
	// digests are the data that were used, for the hash of the run.
	digests []Digest
	// taken are the files that were read, in the order of their first use.
	taken []Taken
	// changed lists the data with other contents than their names stand for.
	changed []string
	// sum returns the SHA-256 of a text in hex, and shipped opens a file that comes with the
	// program.
	sum     func(text []byte) string
	shipped func(name string) (fs.File, error)
	// kept has the data that were read, by keys of a type for each kind of data.
	kept map[any]any
}

// NewFolder returns a folder from which nothing has been read. The path need not exist. sum
// returns the SHA-256 of a text in hex, and shipped opens a file that comes with the program by
// its name; its error is package fs's. Both are arguments so that algorithms, which hold a
// folder, link neither cryptography nor the library.
func NewFolder(path string, sum func(text []byte) string, shipped func(name string) (fs.File, error)) *Folder {
	return &Folder{Path: path, sum: sum, shipped: shipped, kept: map[any]any{}}
}

// Renewed returns a folder with the same settings from which nothing has been read.
func (d *Folder) Renewed() *Folder {
	again := NewFolder(d.Path, d.sum, d.shipped)
	again.Confined, again.Local, again.Code, again.Twice = d.Confined, d.Local, d.Code, d.Twice
	again.Showing, again.Context, again.Elsewhere = d.Showing, d.Context, d.Elsewhere
	return again
}

// ErrNoFolder is the error, with its remedy, of a scenario that needs a folder where none is
// named.
var ErrNoFolder = errors.New("give its folder by --data DIR or STARLING_DATA")

// Once returns the data that were read from a folder under a key, or reads them. Data with an
// error are not kept.
func Once[V any](d *Folder, key any, read func() (V, error)) (V, error) {
	if v, ok := d.kept[key].(V); ok {
		return v, nil
	}
	v, err := read()
	if err == nil {
		d.kept[key] = v
	}
	return v, err
}

// Use notes that a scenario depends on data.
func (d *Folder) Use(digest Digest) {
	if !slices.Contains(d.digests, digest) {
		d.digests = append(d.digests, digest)
	}
}

// Used lists the data that the arms depend on, by name.
func (d *Folder) Used() []Digest {
	slices.SortFunc(d.digests, func(a, b Digest) int { return strings.Compare(a.Name, b.Name) })
	return d.digests
}

// Taken is a file that was read for a scenario.
type Taken struct {
	// Name is the path by which the scenario, or code that it names, asks for the file. For a
	// file of a data set it is the path in the folder of data sets.
	Name string
	// Path is the path of the file; empty if it came with the program.
	Path string
	// Code means that the file is code, ByCode that code opens it by itself, and Set that it is of a
	// data set. Files has the names of the files of a folder, and is nil for a file.
	Code, ByCode, Set bool
	Files             []string
}

// Take notes that a file was read. Of the same file that is noted twice, once as code, it is
// code.
func (d *Folder) Take(file Taken) {
	i := slices.IndexFunc(d.taken, func(t Taken) bool { return t.Name == file.Name && t.Set == file.Set })
	if i < 0 {
		d.taken = append(d.taken, file)
		return
	}
	d.taken[i].Code, d.taken[i].ByCode = d.taken[i].Code || file.Code, d.taken[i].ByCode || file.ByCode
}

// Taken lists the files that were read, in the order of their first use.
func (d *Folder) Taken() []Taken { return slices.Clone(d.taken) }

// NoteChanged notes a sentence on a data set with other contents than the known ones, once.
func (d *Folder) NoteChanged(notice string) {
	if !slices.Contains(d.changed, notice) {
		d.changed = append(d.changed, notice)
	}
}

// Changed returns a sentence for a warning for each data set that was used and has other
// contents than the known ones. The sentence lists the files that differ. Changed is empty
// where all are as known.
func (d *Folder) Changed() []string { return d.changed }

// Resolve returns the path of a file that a scenario names from the working folder, or from a
// confined folder. It refuses a file that the scenario has no right to.
func (d *Folder) Resolve(name string) (string, error) {
	if path, ok := d.Elsewhere[name]; ok {
		return path, nil
	}
	if d.Confined {
		return d.inside(name)
	}
	return name, d.local(name)
}

// inside returns the path of a file that a scenario names, in the folder of data sets.
func (d *Folder) inside(name string) (string, error) {
	if d.Path == "" {
		return "", fmt.Errorf("the file %s is needed: %w", name, ErrNoFolder)
	}
	if !filepath.IsLocal(name) {
		return "", fmt.Errorf("%s does not lie in the folder of data sets, and here a scenario gets no other files", name)
	}
	return filepath.Join(d.Path, name), nil
}

// local refuses a file that does not lie in the working folder, if Local is true.
func (d *Folder) local(name string) error {
	if d.Local && !filepath.IsLocal(name) {
		return fmt.Errorf("%s leads out of the folder, and here a scenario gets no other files", name)
	}
	return nil
}

// mostFile is the largest file that a scenario names.
const mostFile = 1 << 28

// ReadRegular reads a regular file that is not too large.
func ReadRegular(path string) ([]byte, error) {
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

// File reads the file that a key of a section names: from the folder of the
// scenario that names it, from the working folder, or from the library, if the name begins with
// library/; a confined folder reads from itself or the library alone. File notes that the results
// depend on its contents.
func (d *Folder) File(section *document.Node, key, name string) (text []byte, digest Digest, err error) {
	path, ok := d.Elsewhere[name]
	if ok {
		text, err = ReadRegular(path)
	} else if d.Confined {
		if path, err = d.inside(name); err == nil {
			text, err = ReadRegular(path)
		}
	} else if err = d.local(name); err == nil {
		node, _ := section.Get(key)
		text, path, err = readBeside(filepath.Dir(node.Position().File), name)
	}
	if err != nil {
		path = ""
		text, err = d.readShipped(name, err)
	}
	if err != nil {
		return nil, digest, section.Resolve(document.At(key, "%v", err))
	}
	digest = Digest{name, d.sum(text)}
	d.Use(digest)
	d.Take(Taken{Name: name, Path: path})
	return text, digest, nil
}

// readShipped reads a file of the library. The error is otherwise, where the library has none of
// that name.
func (d *Folder) readShipped(name string, otherwise error) ([]byte, error) {
	file, err := d.shipped(name)
	if err != nil {
		return nil, otherwise
	}
	defer file.Close()
	return io.ReadAll(file)
}

// readBeside reads a file from a folder or, where it is not there, from the working folder.
func readBeside(folder, name string) (text []byte, path string, err error) {
	path = name
	if !filepath.IsAbs(name) {
		path = filepath.Join(folder, name)
	}
	text, err = ReadRegular(path)
	// A results folder has a copy of the scenario but none of its files: running that
	// copy finds them from the working folder.
	if errors.Is(err, fs.ErrNotExist) && path != filepath.Clean(name) {
		if text, err = ReadRegular(name); errors.Is(err, fs.ErrNotExist) {
			return nil, "", fmt.Errorf("there is neither %s nor %s", path, name)
		}
		path = name
	}
	return text, path, err
}

// OpenRegular opens a file that is neither a device nor larger than most, in bytes.
func OpenRegular(path string, most int64) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s is a folder; want a file", path)
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return nil, fmt.Errorf("%s: want a file of at most %d bytes", path, most)
	}
	return os.Open(path)
}

// mostTable is the largest file that is read a row at a time.
const mostTable = 1 << 34

// Open opens the file that a key of a section names, for a reader that takes it a row at a
// time: from the folder of the scenario that names it, from the folder of data sets, from the
// working folder, or from the library, if the name begins with library/. A confined folder
// opens files from itself or the library alone. path is the place where the file was found.
func (d *Folder) Open(section *document.Node, key, name string) (file fs.File, path string, err error) {
	paths, err := d.places(section, key, name)
	if err != nil {
		return nil, "", section.Resolve(document.At(key, "%v", err))
	}
	for _, path := range paths {
		opened, err := OpenRegular(path, mostTable)
		if err == nil {
			d.Take(Taken{Name: name, Path: path})
			return opened, path, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, "", section.Resolve(document.At(key, "%v", err))
		}
	}
	if file, err = d.shipped(name); err == nil {
		d.Take(Taken{Name: name})
		return file, name, nil
	}
	slices.Sort(paths)
	return nil, "", section.Resolve(document.At(key, "there is no file %s", strings.Join(slices.Compact(paths), " or ")))
}

// OpenFolder returns the path of the folder that a key of a section names, and notes the files that list returns of it.
// It looks where Open looks for a file, but not in the library.
func (d *Folder) OpenFolder(section *document.Node, key, name string, list func(path string) (files []string, err error)) (path string, err error) {
	at := func(err error) error { return section.Resolve(document.At(key, "%v", err)) }
	paths, err := d.places(section, key, name)
	if elsewhere := d.folderElsewhere(name); elsewhere != "" {
		paths, err = []string{elsewhere}, nil
	}
	if err != nil {
		return "", at(err)
	}
	for _, path := range paths {
		var files []string
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err == nil && !info.IsDir():
			err = fmt.Errorf("%s is a file; want a folder", path)
		case err == nil:
			files, err = list(path)
		}
		if err != nil {
			return "", at(err)
		}
		d.Take(Taken{Name: name, Path: path, Files: files})
		return path, nil
	}
	slices.Sort(paths)
	return "", at(fmt.Errorf("there is no folder %s", strings.Join(slices.Compact(paths), " or ")))
}

// InFolder is the name of a file of a folder, by the name that a scenario has for the folder.
func InFolder(name, file string) string { return strings.TrimRight(name, "/") + "/" + file }

// folderElsewhere is the path of a folder with files in Elsewhere, empty if it has none.
func (d *Folder) folderElsewhere(name string) string {
	for as, path := range d.Elsewhere {
		if strings.HasPrefix(as, InFolder(name, "")) {
			return filepath.Dir(path)
		}
	}
	return ""
}

// places returns the paths where a file that a key of a section names may be, in the order of
// the search.
func (d *Folder) places(section *document.Node, key, name string) ([]string, error) {
	elsewhere, ok := d.Elsewhere[name]
	switch {
	case ok:
		return []string{elsewhere}, nil
	case d.Confined:
		path, err := d.inside(name)
		return []string{path}, err
	case d.local(name) != nil:
		return nil, d.local(name)
	case filepath.IsAbs(name):
		return []string{name}, nil
	}
	node, _ := section.Get(key)
	return []string{filepath.Join(filepath.Dir(node.Position().File), name), filepath.Join(d.Path, name), name}, nil
}
