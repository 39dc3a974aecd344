package view

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"starling/actors/atomicfile"
	"starling/scenarios/metric"
	"starling/scenarios/results/live"
	"starling/scenarios/results/runs"
)

// KeptFile is the name of the file in a folder of results that keeps the headlines of its runs. It
// follows from the runs, and can be deleted.
const KeptFile = ".headlines.json"

// keptFormat is the version of the file; another one is read as an empty file.
const keptFormat = 2

// restless is the age below which a file may change again without another time: a headline from
// such a file is not kept.
const restless = 2 * time.Second

// KeptHeadlines are the headlines and the settings of the runs in a folder of results, kept in a file
// between calls. They hold as long as the names, sizes and times of the run's files are those with which
// they were read, by the same program. It is safe for concurrent use.
type KeptHeadlines struct {
	folder, program string
	mu              sync.Mutex
	was, now        map[string]keptHeadline // guarded by mu: by folder of the run
	changed         bool                    // guarded by mu
}

// keptHeadline is a headline, nil for a run without one, and settings, with the files from which
// they were read.
type keptHeadline struct {
	Files    string    `json:"files"`
	Headline *Headline `json:"headline"`
	// Read is false where the headline has not been asked for. Settings are the settings of the
	// run; nil where these have not been.
	Read     bool           `json:"read,omitempty"`
	Settings *runs.Settings `json:"settings,omitempty"`
	// Value and Epsilon are its numbers in all digits: JSON of a headline has six, and no infinity.
	Value   string `json:"value,omitempty"`
	Epsilon string `json:"epsilon,omitempty"`
}

// keptText is the content of the file.
type keptText struct {
	Format  int                     `json:"format"`
	Program string                  `json:"program"`
	Runs    map[string]keptHeadline `json:"runs"`
}

// OpenKept returns the headlines that a folder of results keeps. A file that is missing, damaged or
// of another program keeps none.
func OpenKept(folder string) *KeptHeadlines {
	k := &KeptHeadlines{folder: folder, program: thisProgram(), now: map[string]keptHeadline{}}
	var text keptText
	if data, err := os.ReadFile(filepath.Join(folder, KeptFile)); err == nil && json.Unmarshal(data, &text) == nil && text.Format == keptFormat && text.Program == k.program {
		k.was = text.Runs
	}
	return k
}

// thisProgram identifies the executable: another build may read runs in another way.
func thisProgram() string {
	name, err := os.Executable()
	if err != nil {
		return ""
	}
	info, err := os.Stat(name)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano())
}

// Of returns the headline of the run in a folder, as HeadlineIn does.
func (k *KeptHeadlines) Of(dir string, metrics metric.List) *Headline {
	kept := k.find(dir, func(kept *keptHeadline) bool { return kept.Read && kept.exact() }, func(kept *keptHeadline) {
		kept.Headline, kept.Read = HeadlineIn(dir, metrics), true
		if h := kept.Headline; h != nil {
			kept.Value, kept.Epsilon = allDigits(h.Value), allDigits(h.Epsilon)
		}
	})
	return kept.Headline
}

// Settings returns the settings of a complete run in a folder; read reads them.
func (k *KeptHeadlines) Settings(dir string, read func() runs.Settings) runs.Settings {
	kept := k.find(dir, func(kept *keptHeadline) bool { return kept.Settings != nil }, func(kept *keptHeadline) {
		settings := read()
		kept.Settings = &settings
	})
	return *kept.Settings
}

// find returns the facts that are kept of the run in a folder. Where they are of other files, or not
// there, fill reads them, and they are kept unless files are still changing.
func (k *KeptHeadlines) find(dir string, there func(*keptHeadline) bool, fill func(*keptHeadline)) keptHeadline {
	name, err := filepath.Rel(k.folder, dir)
	files, newest := filesOf(dir)
	if err != nil || files == "" || k.program == "" {
		var kept keptHeadline
		fill(&kept)
		return kept
	}
	k.mu.Lock()
	kept, ok := k.now[name]
	if !ok || kept.Files != files {
		kept = k.was[name]
	}
	k.mu.Unlock()
	if kept.Files != files {
		kept = keptHeadline{Files: files}
	}
	if there(&kept) {
		k.keep(name, kept, false)
		return kept
	}
	fill(&kept)
	if again, _ := filesOf(dir); again == files && time.Since(newest) > restless {
		k.keep(name, kept, true)
	}
	return kept
}

// allDigits is a number from which exact reads the same.
func allDigits(v live.Float) string { return strconv.FormatFloat(float64(v), 'g', -1, 64) }

// exact sets the numbers of the headline to those in all digits, and reports whether they are there.
func (k *keptHeadline) exact() bool {
	if k.Headline == nil {
		return true
	}
	value, err := strconv.ParseFloat(k.Value, 64)
	epsilon, fault := strconv.ParseFloat(k.Epsilon, 64)
	h := *k.Headline // others may read the one that is kept
	h.Value, h.Epsilon = live.Float(value), live.Float(epsilon)
	k.Headline = &h
	return err == nil && fault == nil
}

// keep keeps a headline for the next call.
func (k *KeptHeadlines) keep(name string, kept keptHeadline, changed bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.now[name] = kept
	k.changed = k.changed || changed
}

// Save writes the headlines of this call, if some are new. Headlines of other runs are dropped when
// their folders are gone. A folder that cannot be written keeps the file as it is.
func (k *KeptHeadlines) Save() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.changed {
		return
	}
	for name, kept := range k.was {
		if _, read := k.now[name]; read {
			continue
		}
		if _, err := os.Stat(filepath.Join(k.folder, name)); err == nil {
			k.now[name] = kept
		}
	}
	_, _, _ = atomicfile.Write(filepath.Join(k.folder, KeptFile), func(w io.Writer) error {
		return json.NewEncoder(w).Encode(keptText{keptFormat, k.program, k.now})
	}) // the next call reads the runs again
}

// filesOf returns the names, sizes and times of the files in a folder, as a text that is empty where
// there are none, and the newest time.
func filesOf(dir string) (text string, newest time.Time) {
	var out strings.Builder
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if entry.IsDir() {
			continue
		}
		info, err := entry.Info()
		if err != nil {
			return "", newest
		}
		fmt.Fprintf(&out, "%s %d %d\n", entry.Name(), info.Size(), info.ModTime().UnixNano())
		if info.ModTime().After(newest) {
			newest = info.ModTime()
		}
	}
	return out.String(), newest
}
