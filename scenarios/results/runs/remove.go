package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"starling/scenarios/results"
	"starling/scenarios/results/live"
)

// ErrRunning is the error of a run that cannot be removed while a process is making it.
var ErrRunning = errors.New("a process is making it")

// Remove deletes the files that this program has written in the folder of a run. It deletes
// the folder where nothing else is in it, and then the scenario's folder where nothing else is
// in that. It returns the paths of the remaining files, which are not of the run. A run at
// work is refused. From the first deleted file on, a complete run is no longer complete, even
// if the removal is cut short.
func Remove(dir string) (kept []string, err error) {
	info, err := os.Lstat(dir)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, fmt.Errorf("%s is a link; remove it where it leads to", dir)
	case err != nil:
		return nil, err
	case !isRun(dir, entries):
		return nil, fmt.Errorf("%s is no run", dir)
	case results.Claimed(dir) || Of(dir).Status == Running:
		return nil, fmt.Errorf("%s: %w", dir, ErrRunning)
	}
	release, err := results.Claim(dir)
	if err != nil {
		return nil, err
	}
	for _, path := range written(dir) {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			release()
			return nil, err
		}
	}
	if err := release(); err != nil { // which takes LOCK away
		return nil, err
	}
	kept, err = tidy(dir)
	if parent := filepath.Dir(filepath.Clean(dir)); isHash(filepath.Base(filepath.Clean(dir))) {
		_ = os.Remove(parent) // which a system refuses where something else is in it
	}
	return kept, err
}

// Size is the disk space of a run, in bytes.
type Size struct {
	// Total is all of it. Of has the sizes of the folders of the run, such as jobs, by name;
	// files in none of them are not listed there.
	Total int64            `json:"total"`
	Of    map[string]int64 `json:"of"`
}

// SizeOf adds up the files in the folder of a run. A file with several names counts once. A
// file that cannot be read counts nothing.
func SizeOf(dir string) Size {
	size := Size{Of: map[string]int64{}}
	var seen []os.FileInfo // with several names
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return nil
		}
		if linked(info) {
			if slices.ContainsFunc(seen, func(other os.FileInfo) bool { return os.SameFile(info, other) }) {
				return nil
			}
			seen = append(seen, info)
		}
		size.Total += info.Size()
		if folder, rest := firstElement(dir, path); rest {
			size.Of[folder] += info.Size()
		}
		return nil
	})
	return size
}

// firstElement is the first element of the path of a file in a folder, and whether it is a
// folder itself.
func firstElement(dir, path string) (string, bool) {
	relative, err := filepath.Rel(dir, path)
	if err != nil {
		return "", false
	}
	for i := range len(relative) {
		if os.IsPathSeparator(relative[i]) {
			return relative[:i], true
		}
	}
	return relative, false
}

// Live is the progress of a run while it is made: the content of progress.json, or the
// progress of its parts together. It is nil where there is none.
func Live(r *Run) (*live.Run, error) {
	if now, err := live.Read(r.Dir); now != nil || err != nil {
		return now, err
	}
	var parts []*live.Run
	for _, p := range r.Parts {
		now, err := live.Read(filepath.Join(r.Dir, partFolder(p.Name)))
		if err != nil {
			return nil, err
		}
		parts = append(parts, now)
	}
	return live.Join(parts), nil
}
