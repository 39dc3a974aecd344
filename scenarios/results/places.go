package results

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Checkpoints is the folder in which the results folder dir keeps the checkpoints of an
// unfinished run. Create leaves it alone.
func Checkpoints(dir string) string { return filepath.Join(dir, checkpointsName) }

// Jobs is the folder in which the results folder dir of a complete run keeps the results of
// its jobs. Create leaves it alone.
func Jobs(dir string) string { return filepath.Join(dir, jobsName) }

// Part is the folder of a part of the run of the results folder dir, such as 3 of 16. Create
// leaves it alone.
func Part(dir string, part, parts int) string {
	return filepath.Join(dir, partsName, fmt.Sprintf("%d-of-%d", part, parts))
}

// Stores are the folders under out in which runs of a scenario, and parts of them, keep the
// results of jobs. The folders themselves state whether they are stores, and of which build.
func Stores(out, scenario string) (dirs []string, err error) {
	place := filepath.Join(quoted(out), scenario, "*")
	for _, pattern := range []string{jobsName, checkpointsName, filepath.Join(partsName, "*", checkpointsName)} {
		found, err := filepath.Glob(filepath.Join(place, pattern))
		if err != nil {
			return nil, err
		}
		dirs = append(dirs, found...)
	}
	return dirs, nil
}

// quoted makes a path one that matches itself only.
func quoted(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// Claim makes the folder dir with its parents and claims it for this process, as Create
// does; release gives it up.
func Claim(dir string) (release func() error, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	claim, err := acquire(filepath.Join(dir, lockName))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return claim.Release, nil
}

// Claimed reports whether a process is at work in the folder dir. Where no process is, it
// claims the folder while it asks. The answer can be outdated when the caller reads it.
func Claimed(dir string) bool { return held(filepath.Join(dir, lockName)) }

// Leftovers are the paths of files in the folder of a complete run that only an unfinished run
// has a use for. They stay when a process ends, or a system fails, between writing COMPLETE
// and removing them.
func Leftovers(dir string) (paths []string) {
	for _, name := range []string{checkpointsName, lockName} {
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
			paths = append(paths, path)
		}
	}
	return paths
}
