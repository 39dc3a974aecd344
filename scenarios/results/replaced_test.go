package results

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"starling/actors/atomicfile"
)

// Another process changes a file of the folder while the run writes it. The run
// does not say that it is complete, and names the file.
func TestFilesThatOthersChangeAreNoResult(t *testing.T) {
	write := func(name, text string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) { must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)) }
	}
	replace := func(name string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			must(t, os.WriteFile(filepath.Join(dir, "other"), []byte("garbage"), 0o644))
			must(t, os.Rename(filepath.Join(dir, "other"), filepath.Join(dir, name)))
		}
	}
	for _, c := range []struct {
		name, file string
		change     func(t *testing.T, dir string)
		replaced   bool // which the writer of the file sees itself
	}{
		{"replaced", "metrics.parquet", replace("metrics.parquet.partial"), true},
		{"removed", "metrics.parquet", func(t *testing.T, dir string) {
			must(t, os.Remove(filepath.Join(dir, "metrics.parquet.partial")))
		}, false},
		{"written into", "metrics.parquet", func(t *testing.T, dir string) {
			must(t, os.WriteFile(filepath.Join(dir, "metrics.parquet.partial"), make([]byte, 1<<20), 0o644))
		}, true},
		{"another scenario", "scenario.yaml", write("scenario.yaml", "name: other\n"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			folder := create(t, dir, testOptions())
			for _, job := range testJobs() {
				must(t, folder.WriteJob(job))
			}
			c.change(t, dir)
			err := folder.Commit(testManifest(StatusComplete))
			if err == nil || !strings.Contains(err.Error(), c.file) {
				t.Errorf("Commit says %v, which does not name %s", err, c.file)
			}
			if errors.Is(err, atomicfile.ErrReplaced) != c.replaced {
				t.Errorf("%v: ErrReplaced is %t, want %t", err, !c.replaced, c.replaced)
			}
			if complete, err := IsComplete(dir); complete || err != nil {
				t.Error("the folder says that it is complete")
			}
		})
	}
}

// A claim that cannot be removed is an error of Unlock, keeps no later run out,
// and is the only thing that Unlock says.
func TestUnlockSaysWhatItLeaves(t *testing.T) {
	dir := t.TempDir()
	folder := create(t, dir, testOptions())
	claim := filepath.Join(dir, lockName)
	must(t, os.Remove(claim))
	must(t, os.MkdirAll(filepath.Join(claim, "full"), 0o755))
	if err := folder.Unlock(); err == nil || !strings.Contains(err.Error(), lockName) {
		t.Errorf("Unlock says %v, want an error that names %s", err, lockName)
	}
	must(t, folder.Unlock())
	must(t, folder.Close())
}
