package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/library"
)

// DataNote is the key of the notes that name the data of an arm and their
// SHA-256.
const DataNote = "data"

// FileDigest identifies data that a scenario reads: Name is the name of a data set or of a
// file, Sha256 the digest of the contents, in hex.
type FileDigest struct{ Name, Sha256 string }

// Folder reads data sets, each once, for all arms of a scenario.
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
	digests []FileDigest
	// changed lists the data with other contents than their names stand for.
	changed []string
	// ratings, tables and sets keep the data that were read: all arms of a scenario share
	// them.
	ratings *Ratings
	tables  map[string]*Losses  // by file
	sets    map[string]imageSet // by name
}

// imageSet is a data set of images that was read.
type imageSet struct {
	*ImageSet
	digest FileDigest
}

// NewFolder returns a folder from which nothing has been read. The path need not exist.
func NewFolder(path string) *Folder {
	return &Folder{Path: path, tables: map[string]*Losses{}, sets: map[string]imageSet{}}
}

// Renewed returns a folder with the same settings from which nothing has been read.
func (d *Folder) Renewed() *Folder {
	again := NewFolder(d.Path)
	again.Confined, again.Local, again.Code, again.Twice = d.Confined, d.Local, d.Code, d.Twice
	again.Showing, again.Context = d.Showing, d.Context
	return again
}

// ErrNoFolder is the error, with its remedy, of a scenario that needs a folder where none is
// named.
var ErrNoFolder = errors.New("give its folder by --data DIR or STARLING_DATA")

// require returns the digest of a data set, which has to be there. It notes contents that are
// not the known ones.
func (d *Folder) require(name string) (FileDigest, error) {
	if d.Path == "" {
		d.Missing = name
		return FileDigest{}, fmt.Errorf("the data set %s is needed: %w; 'starling data get %s --data DIR' downloads it", name, ErrNoFolder, name)
	}
	if info, err := os.Stat(d.Path); err != nil || !info.IsDir() {
		d.Missing = name
		return FileDigest{}, fmt.Errorf("the data set %s is needed, and there is no folder %s: %w", name, d.Path, ErrNoFolder)
	}
	// The digest reads all files whole: this is the slow part, once for each set and
	// scenario.
	sum, files, err := digestOf(d.Path, name)
	var missing *MissingError
	if errors.As(err, &missing) || errors.Is(err, fs.ErrNotExist) {
		d.Missing = name
	}
	digest := FileDigest{name, sum}
	if err == nil {
		d.use(digest)
		d.noteChanged(name, files)
	}
	return digest, err
}

// Use notes that a scenario depends on data that a reader of its own has read.
func (d *Folder) Use(digest FileDigest) { d.use(digest) }

// use notes that a scenario depends on data.
func (d *Folder) use(digest FileDigest) {
	if !slices.Contains(d.digests, digest) {
		d.digests = append(d.digests, digest)
	}
}

// Used lists the data that the arms depend on, by name.
func (d *Folder) Used() []FileDigest {
	slices.SortFunc(d.digests, func(a, b FileDigest) int { return strings.Compare(a.Name, b.Name) })
	return d.digests
}

// noteChanged notes the files of a data set that are not the known ones.
func (d *Folder) noteChanged(name string, files []string) {
	if files == nil {
		return
	}
	notice := fmt.Sprintf("%s is not the data set that is known by the name: the contents of %s differ; do not compare with published figures; 'starling data verify' says how they differ", name, strings.Join(files, " and "))
	if !slices.Contains(d.changed, notice) {
		d.changed = append(d.changed, notice)
	}
}

// Changed returns a sentence for a warning for each data set that was used and has other
// contents than the known ones. The sentence lists the files that differ. Changed is empty
// where all are as known.
func (d *Folder) Changed() []string { return d.changed }

// MovieLens reads MovieLens 1M.
func (d *Folder) MovieLens() (*Ratings, FileDigest, error) {
	digest, err := d.require(MovieLens1M)
	if err == nil && d.ratings == nil {
		d.ratings, err = LoadRatings(d.Path)
	}
	return d.ratings, digest, err
}

// Images reads a data set of images.
func (d *Folder) Images(name string) (*ImageSet, FileDigest, error) {
	if s, ok := d.sets[name]; ok {
		return s.ImageSet, s.digest, nil
	}
	digest, err := d.require(name)
	if err != nil {
		return nil, digest, err
	}
	set, err := LoadImages(d.Path, name)
	if err == nil {
		d.sets[name] = imageSet{set, digest}
	}
	return set, digest, err
}

// Losses reads a table of losses.
func (d *Folder) Losses(file string) (*Losses, error) {
	if l, ok := d.tables[file]; ok {
		return l, nil
	}
	path, err := file, d.local(file)
	if d.Confined {
		path, err = d.inside(file)
	}
	if err != nil {
		return nil, err
	}
	l, err := LoadLosses(path)
	if err != nil {
		return nil, err
	}
	d.use(FileDigest{file, l.SHA256})
	d.tables[file] = l
	return l, nil
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
// scenario that names it or, where it is not there, from the working folder; a confined folder
// reads from itself alone. File notes that the results depend on its contents.
func (d *Folder) File(section *document.Node, key, name string) (text []byte, digest FileDigest, err error) {
	if d.Confined {
		var path string
		if path, err = d.inside(name); err == nil {
			text, err = ReadRegular(path)
		}
	} else if err = d.local(name); err == nil {
		node, _ := section.Get(key)
		text, err = readBeside(filepath.Dir(node.Position().File), name)
	}
	if err != nil {
		return nil, digest, section.Resolve(document.At(key, "%v", err))
	}
	sum := sha256.Sum256(text)
	digest = FileDigest{name, hex.EncodeToString(sum[:])}
	d.use(digest)
	return text, digest, nil
}

// readBeside reads a file from a folder or, where it is not there, from the working folder.
func readBeside(folder, name string) (text []byte, err error) {
	path := name
	if !filepath.IsAbs(name) {
		path = filepath.Join(folder, name)
	}
	text, err = ReadRegular(path)
	// A results folder has a copy of the scenario but none of its files: running that
	// copy finds them from the working folder.
	if errors.Is(err, fs.ErrNotExist) && path != filepath.Clean(name) {
		if text, err = ReadRegular(name); errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("there is neither %s nor %s", path, name)
		}
	}
	return text, err
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
		opened, err := openRegular(path, mostTable)
		if err == nil {
			return opened, path, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, "", section.Resolve(document.At(key, "%v", err))
		}
	}
	if file, err = library.Open(name); err == nil {
		return file, name, nil
	}
	slices.Sort(paths)
	return nil, "", section.Resolve(document.At(key, "there is no file %s", strings.Join(slices.Compact(paths), " or ")))
}

// places returns the paths where a file that a key of a section names may be, in the order of
// the search.
func (d *Folder) places(section *document.Node, key, name string) ([]string, error) {
	switch {
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
