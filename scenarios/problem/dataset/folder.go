package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"starling/scenarios/inputs"
	"starling/scenarios/library"
)

// NewFolder returns a folder of data sets from which nothing has been read; see
// inputs.NewFolder. Files that come with the program are the library's.
func NewFolder(path string) *inputs.Folder {
	return inputs.NewFolder(path, func(text []byte) string {
		sum := sha256.Sum256(text)
		return hex.EncodeToString(sum[:])
	}, library.Open)
}

// requireIn returns the digest of a data set, which has to be in the folder. It notes contents
// that are not the known ones.
func requireIn(d *inputs.Folder, name string) (inputs.Digest, error) {
	if d.Path == "" {
		d.Missing = name
		return inputs.Digest{}, fmt.Errorf("the data set %s is needed: %w; 'starling data get %s --data DIR' downloads it", name, inputs.ErrNoFolder, name)
	}
	if info, err := os.Stat(d.Path); err != nil || !info.IsDir() {
		d.Missing = name
		return inputs.Digest{}, fmt.Errorf("the data set %s is needed, and there is no folder %s: %w", name, d.Path, inputs.ErrNoFolder)
	}
	// The digest reads all files whole: this is the slow part, once for each set and
	// scenario.
	sum, files, err := digestOf(d.Path, name)
	var missing *MissingError
	if errors.As(err, &missing) || errors.Is(err, fs.ErrNotExist) {
		d.Missing = name
	}
	digest := inputs.Digest{Name: name, Sha256: sum}
	if err == nil {
		d.Use(digest)
		takeFiles(d, name)
		noteChanged(d, name, files)
	}
	return digest, err
}

// takeFiles notes that the files of a data set were read.
func takeFiles(d *inputs.Folder, name string) {
	set, err := Find(name)
	if err != nil {
		return
	}
	_, files, _ := require(d.Path, set) // the digest was taken of them
	for _, file := range files {
		if inside, err := filepath.Rel(d.Path, file.path); err == nil {
			d.Take(inputs.Taken{Name: filepath.ToSlash(inside), Path: file.path, Set: true})
		}
	}
}

// noteChanged notes the files of a data set that are not the known ones.
func noteChanged(d *inputs.Folder, name string, files []string) {
	if files == nil {
		return
	}
	d.NoteChanged(fmt.Sprintf("%s is not the data set that is known by the name: the contents of %s differ; do not compare with published figures; 'starling data verify' says how they differ", name, strings.Join(files, " and ")))
}

// read is a data set that was read, with its digest.
type read[D any] struct {
	data   D
	digest inputs.Digest
}

// readOnce reads a data set of a folder, once, by its path.
func readOnce[D any](d *inputs.Folder, name string, load func(path string) (D, error)) (D, inputs.Digest, error) {
	type key struct{ name string }
	r, err := inputs.Once(d, key{name}, func() (r read[D], err error) {
		if r.digest, err = requireIn(d, name); err == nil {
			r.data, err = load(d.Path)
		}
		return r, err
	})
	return r.data, r.digest, err
}

// MovieLensIn reads MovieLens 1M of a folder, once.
func MovieLensIn(d *inputs.Folder) (*Ratings, inputs.Digest, error) {
	return readOnce(d, MovieLens1M, LoadRatings)
}

// ImagesIn reads a data set of images of a folder, once.
func ImagesIn(d *inputs.Folder, name string) (*ImageSet, inputs.Digest, error) {
	return readOnce(d, name, func(path string) (*ImageSet, error) { return LoadImages(path, name) })
}

// LossesIn reads a table of losses from a file that a scenario names, once.
func LossesIn(d *inputs.Folder, file string) (*Losses, error) {
	type key struct{ file string }
	return inputs.Once(d, key{file}, func() (*Losses, error) {
		path, err := d.Resolve(file)
		if err != nil {
			return nil, err
		}
		l, err := LoadLosses(path)
		if err == nil {
			d.Use(inputs.Digest{Name: file, Sha256: l.SHA256})
			d.Take(inputs.Taken{Name: file, Path: path})
		}
		return l, err
	})
}
