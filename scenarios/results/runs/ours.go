package runs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"starling/scenarios/results"
)

// common are files of a run that share their names with files of other programs, with the
// pattern of the program's beginning. A file is the program's if it begins so.
var common = map[string]*regexp.Regexp{
	"COMPLETE":           regexp.MustCompile(`^[0-9a-f]{64}\n$`),
	"manifest.json":      regexp.MustCompile(`^\{\s*"format_version": ?\d+,\s*"scenario": ?"`),
	results.LogFile:      regexp.MustCompile(`^\{("level":"[a-z]+",)?("scenario":"[^"]*",.*)?"message":"(started|merge)"`),
	results.ProgressFile: regexp.MustCompile(`^\{\s*"format": ?\d+,\s*"scenario": ?"`),
	"digests.jsonl":      regexp.MustCompile(`^\{"arm":"([^"\\]|\\.)*","seed":\d+,"rows":\d+,"digest":"`),
	"identity.json":      regexp.MustCompile(`^\{\s*"scenario": ?"[^"]*",\s*"hash": ?"`),
}

// empty matches the beginning of an empty file.
var empty = regexp.MustCompile(`^$`)

// own are the files of a run with names that are the program's own. figures are the ends of
// the names of its figures, captions are the ends of names of captions beside them, part is the
// pattern of the folders of parts, and journal the one of journals: a run that was put together
// has a numbered one of each part.
var (
	own      = []string{results.ScenarioFile, "metrics.parquet", results.SummaryFile, "privacy.parquet", "arms.parquet", "LOCK", results.TagsFile, results.NoteFile, results.ReportName}
	figures  = []string{".svg", ".png", ".json"}
	captions = []string{".txt", ".tex"}
	part     = regexp.MustCompile(`^\d+-of-\d+$`)
	journal  = regexp.MustCompile(`^(finished|\d{5})\.journal$`)
)

// most is the number of bytes that are read of a file to decide whether it is the program's.
const most = 1 << 12

// begins reports whether a file begins as the program begins it. It is false for anything but
// a regular file.
func begins(path string, as *regexp.Regexp) bool {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, most))
	return err == nil && as.Match(text)
}

// isRun reports whether a folder is the folder of a run: it has a file that this program alone
// writes, or it has the name of a run, 12 hex digits, and nothing that is not of a run.
func isRun(dir string, entries []os.DirEntry) bool {
	for _, e := range entries {
		name := e.Name()
		switch as, known := common[name]; {
		case known && begins(filepath.Join(dir, name), as):
			return true
		case (name == "jobs" || name == "checkpoints") && begins(filepath.Join(dir, name, "identity.json"), common["identity.json"]):
			return true
		case name == "parts" && hasParts(filepath.Join(dir, name)):
			return true
		}
	}
	strange := func(e os.DirEntry) bool {
		if e.IsDir() {
			return !slices.Contains([]string{"jobs", "checkpoints", "parts", "plots", "models"}, e.Name())
		}
		return !slices.Contains(own, strings.TrimSuffix(e.Name(), ".partial"))
	}
	return isHash(filepath.Base(dir)) && !slices.ContainsFunc(entries, strange)
}

// hasParts reports whether a folder has parts of a run.
func hasParts(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return e.IsDir() && part.MatchString(e.Name()) && begins(filepath.Join(dir, e.Name(), "checkpoints", "identity.json"), common["identity.json"])
	})
}

// written lists the files that this program has written of a run, or of a part of one. The
// files that make it a run come first, and LOCK is left out. All other files are somebody
// else's.
func written(dir string) (files []string) {
	var listed []string
	if m, err := results.ReadManifest(dir); err == nil {
		for _, file := range m.Files {
			listed = append(listed, filepath.Clean(filepath.FromSlash(file.Name)))
		}
	}
	take := func(folder string, ours func(name string) bool) {
		entries, _ := os.ReadDir(filepath.Join(dir, folder)) // a folder that cannot be read stays
		for _, e := range entries {
			path := filepath.Join(folder, e.Name())
			if e.Type().IsRegular() && (ours(strings.TrimSuffix(e.Name(), ".partial")) || slices.Contains(listed, path)) {
				files = append(files, filepath.Join(dir, path))
			}
		}
	}
	take("", func(name string) bool {
		as, shared := common[name]
		return slices.Contains(own, name) && name != "LOCK" || shared && (begins(filepath.Join(dir, name), as) || begins(filepath.Join(dir, name), empty))
	})
	take("plots", func(name string) bool {
		extension := filepath.Ext(name)
		if slices.Contains(captions, extension) {
			_, err := os.Lstat(filepath.Join(dir, "plots", strings.TrimSuffix(name, extension)+".svg"))
			return err == nil
		}
		return slices.Contains(figures, extension)
	})
	take("models", func(name string) bool { return filepath.Ext(name) == ".safetensors" })
	for _, store := range []string{"jobs", "checkpoints"} {
		take(store, func(name string) bool {
			return name == "identity.json" || journal.MatchString(name) || filepath.Ext(name) == ".state"
		})
	}
	parts, _ := os.ReadDir(filepath.Join(dir, "parts"))
	for _, e := range parts {
		if path := filepath.Join(dir, "parts", e.Name()); e.IsDir() && part.MatchString(e.Name()) {
			files = append(files, append(written(path), filepath.Join(path, "LOCK"))...)
		}
	}
	slices.SortStableFunc(files, func(a, b string) int { return rank(a) - rank(b) })
	return files
}

// rank has COMPLETE come before all else: the remaining files are then no complete run.
func rank(path string) int {
	if filepath.Base(path) == "COMPLETE" {
		return 0
	}
	return 1
}

// tidy removes a folder and those in it, as far as they are empty, and returns the files that are left.
func tidy(dir string) (kept []string, err error) {
	var folders []string
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir():
			folders = append(folders, path)
		default:
			kept = append(kept, path)
		}
		return nil
	})
	for _, folder := range slices.Backward(folders) {
		_ = os.Remove(folder) // which a system refuses where something is in it
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return kept, err
}
