package scenarios

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"starling/scenarios/problem/dataset"
	"starling/scenarios/results"
)

// dataNote is the key of the notes that name the data of an arm and their
// SHA-256.
const dataNote = "data"

// dataDigest names data that a scenario reads, and their contents.
type dataDigest struct{ name, sha256 string }

func (d dataDigest) note() note { return note{dataNote, d.name + ", sha256 " + d.sha256} }

// dataFolder reads data sets, each once, for all arms of a scenario.
type dataFolder struct {
	path    string
	missing string // a data set that is wanted and not there
	digests []dataDigest
	ratings *dataset.Ratings
	tables  map[string]*dataset.Losses // by file
	sets    map[string]imageSet        // by name
}

// imageSet is a data set of images that was read.
type imageSet struct {
	*dataset.ImageSet
	digest dataDigest
}

func newDataFolder(path string) *dataFolder {
	return &dataFolder{path: path, tables: map[string]*dataset.Losses{}, sets: map[string]imageSet{}}
}

// errNoFolder says what to do where no folder is named.
var errNoFolder = errors.New("give its folder by --data DIR or STARLING_DATA")

// require is the digest of a data set, which has to be there.
func (d *dataFolder) require(name string) (dataDigest, error) {
	if d.path == "" {
		d.missing = name
		return dataDigest{}, fmt.Errorf("the data set %s is needed: %w; 'starling data get %s --data DIR' downloads it", name, errNoFolder, name)
	}
	if info, err := os.Stat(d.path); err != nil || !info.IsDir() {
		d.missing = name
		return dataDigest{}, fmt.Errorf("the data set %s is needed, and there is no folder %s: %w", name, d.path, errNoFolder)
	}
	sum, err := dataset.Digest(d.path, name)
	var missing *dataset.MissingError
	if errors.As(err, &missing) || errors.Is(err, fs.ErrNotExist) {
		d.missing = name
	}
	digest := dataDigest{name, sum}
	if err == nil {
		d.use(digest)
	}
	return digest, err
}

// use notes that a scenario depends on data.
func (d *dataFolder) use(digest dataDigest) {
	if !slices.Contains(d.digests, digest) {
		d.digests = append(d.digests, digest)
	}
}

// used lists the data that the arms depend on, by name.
func (d *dataFolder) used() []dataDigest {
	slices.SortFunc(d.digests, func(a, b dataDigest) int { return strings.Compare(a.name, b.name) })
	return d.digests
}

// movieLens reads MovieLens 1M.
func (d *dataFolder) movieLens() (*dataset.Ratings, dataDigest, error) {
	digest, err := d.require(dataset.MovieLens1M)
	if err == nil && d.ratings == nil {
		d.ratings, err = dataset.LoadRatings(d.path)
	}
	return d.ratings, digest, err
}

// images reads a data set of images.
func (d *dataFolder) images(name string) (*dataset.ImageSet, dataDigest, error) {
	if s, ok := d.sets[name]; ok {
		return s.ImageSet, s.digest, nil
	}
	digest, err := d.require(name)
	if err != nil {
		return nil, digest, err
	}
	set, err := dataset.LoadImages(d.path, name)
	if err == nil {
		d.sets[name] = imageSet{set, digest}
	}
	return set, digest, err
}

// losses reads a table of losses.
func (d *dataFolder) losses(file string) (*dataset.Losses, error) {
	if l, ok := d.tables[file]; ok {
		return l, nil
	}
	l, err := dataset.LoadLosses(file)
	if err != nil {
		return nil, err
	}
	d.use(dataDigest{file, l.SHA256})
	d.tables[file] = l
	return l, nil
}

// checkData refuses to go on with other data than those of a run.
func (s *Scenario) checkData(run *results.Run) error {
	for _, d := range s.data {
		recorded := slices.ContainsFunc(run.Manifest.Notes, func(n results.Note) bool { return n.Key == dataNote && n.Value == d.note().value })
		if !recorded {
			return BadInput(fmt.Errorf("the run was made with other data than %s with sha256 %s, which is what is there now", d.name, d.sha256))
		}
	}
	return nil
}
