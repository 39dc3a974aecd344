package observatory

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"starling/scenarios/document"
	"starling/scenarios/guide"
	"starling/scenarios/kind"
	"starling/scenarios/loading"
)

// Place is the place of a source.
type Place string

// The places.
const (
	Library Place = "library" // scenarios that come with the program
	Working Place = "here"    // files of the working folder
	Saved   Place = "saved"   // files of the folder for saving
)

// Sources are texts to begin a new scenario from.
type Sources struct {
	// Folder is the working folder. Save is the folder for saving, empty where there is none.
	Folder string `json:"folder"`
	Save   string `json:"save"`
	// Library are scenarios that come with the program; Here and Saved are files.
	Library []Named  `json:"library"`
	Here    []string `json:"here"`
	Saved   []string `json:"saved"`
	// Algorithms and Problems are the kinds that a new scenario can have. Files are the files
	// of the working folder that problems of Reading can read.
	Algorithms []Named  `json:"algorithms"`
	Problems   []Named  `json:"problems"`
	Reading    []string `json:"reading"`
	Files      []string `json:"files"`
}

// Named is a name with its description.
type Named struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// sources lists the texts to begin from.
func (b *Bench) sources() (*Sources, error) {
	s := &Sources{Save: b.saves, Library: []Named{}, Saved: []string{}, Reading: []string{}}
	var err error
	if s.Folder, err = os.Getwd(); err != nil {
		return nil, err
	}
	entries, err := loading.LibraryEntries()
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		s.Library = append(s.Library, Named{e.Kind, e.Summary})
	}
	if s.Here, err = files(".", isScenario); err != nil {
		return nil, err
	}
	if s.Files, err = files(".", isData); err != nil {
		return nil, err
	}
	if b.saves != "" {
		if s.Saved, err = files(b.saves, isScenario); err != nil {
			return nil, err
		}
	}
	kinds := b.options.Loader.Kinds
	s.Algorithms, s.Problems = named(kinds.Algorithms), named(kinds.Problems)
	for _, p := range s.Problems {
		if b.guide.ReadsFile(p.Name) {
			s.Reading = append(s.Reading, p.Name)
		}
	}
	return s, nil
}

func named(kinds []kind.Kind) (list []Named) {
	for i := range kinds {
		list = append(list, Named{kinds[i].Entry.Kind, kinds[i].Summary})
	}
	return list
}

// mostFiles is the number of files of a folder that are listed.
const mostFiles = 1000

// isScenario reports whether a file can be a scenario, by its name.
func isScenario(name string) bool {
	ext := strings.ToLower(filepath.Ext(name))
	return (ext == ".yaml" || ext == ".yml") && !strings.HasPrefix(name, ".")
}

// isData reports whether a problem may read a file, by its name.
func isData(name string) bool {
	for _, end := range []string{".csv", ".csv.gz", ".tsv", ".parquet", ".py"} {
		if strings.HasSuffix(strings.ToLower(name), end) && !strings.HasPrefix(name, ".") {
			return true
		}
	}
	return false
}

// files lists the files of a folder for which meant returns true, and no links.
func files(dir string, meant func(name string) bool) ([]string, error) {
	list := []string{}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.Type().IsRegular() && meant(e.Name()) && len(list) < mostFiles {
			list = append(list, e.Name())
		}
	}
	return list, err
}

// Text is a text to begin from.
type Text struct {
	Name string `json:"name"`
	Text string `json:"text"`
	// Sum is the SHA-256 of a file as it was read, for save. It is empty for a source that is
	// not in the folder for saving.
	Sum string `json:"sum"`
}

// source returns a text to begin from. If there is none, the error is errNoSource.
func (b *Bench) source(from Place, name string) (*Text, error) {
	switch from {
	case Library:
		if !slices.Contains(loading.Library(), name) {
			return nil, fmt.Errorf("%s in the library: %w", name, errNoSource)
		}
		_, text, err := loading.Text(name)
		return &Text{Name: name + ".yaml", Text: string(text)}, err
	case Working:
		return read(".", name)
	case Saved:
		if b.saves == "" {
			return nil, errNoSaving
		}
		return read(b.saves, name)
	}
	return nil, fmt.Errorf("%q: %w", from, errNoSource)
}

// read reads a scenario file of a folder. The file has to exist and must not be a link.
func read(dir, name string) (*Text, error) {
	if !isScenario(name) || strings.ContainsAny(name, "/\\\x00") || !filepath.IsLocal(name) {
		return nil, fmt.Errorf("%q: %w", name, errNoSource)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	switch info, err := root.Lstat(name); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w", name, errNoSource)
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file: %w", name, errNoSource)
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, document.MaxBytes+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > document.MaxBytes:
		return nil, document.BadInput(fmt.Errorf("%s has more than %d bytes", name, document.MaxBytes))
	case !utf8.Valid(text):
		return nil, document.BadInput(fmt.Errorf("%s is not UTF-8", name))
	}
	return &Text{Name: name, Text: string(text), Sum: sumOf(text)}, nil
}

func sumOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// begin writes a new scenario of an algorithm and a problem, with comments on every option.
// file is a file of the working folder, for a problem that reads one, and empty for others.
// The error names kinds that do not fit together, or a name that no file can have.
func (b *Bench) begin(name, algorithm, problem, file string) (*Text, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	if file != "" {
		here, err := files(".", isData)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(here, file) {
			return nil, fmt.Errorf("%q: %w", file, errNoSource)
		}
	}
	choice := guide.Choice{Path: name, Kinds: map[string]string{"algorithm": algorithm, "problem": problem}, File: file}
	text, err := b.guide.Begin(b.options.Loader, choice)
	if err != nil {
		return nil, document.BadInput(err)
	}
	return &Text{Name: name, Text: string(text)}, nil
}

// validName matches the names that a saved file can have: no system takes such a name for
// another.
var validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}\.ya?ml$`)

// device is a name that Windows takes for a device, whatever comes after the first point.
var device = regexp.MustCompile(`^(?i:con|prn|aux|nul|com[0-9]|lpt[0-9])\.`)

// checkName refuses a name that no saved file can have. The error is an InputError.
func checkName(name string) error {
	if device.MatchString(name) {
		return document.BadInput(fmt.Errorf("%q: Windows takes a file of that name for a device", name))
	}
	if validName.MatchString(name) {
		return nil
	}
	return document.BadInput(fmt.Errorf("%q: a file is called by up to 100 letters, digits, points, _ and -, and .yaml at the end", name))
}

// save writes a text into the folder for saving. over is the sum of the file as the user read
// it, and empty for a new file. If the file has another sum by now, the error is errChanged.
// save writes the file as a whole or not at all.
func (b *Bench) save(name, text, over string) (*Text, error) {
	if b.saves == "" {
		return nil, errNoSaving
	}
	if err := inSize(text); err != nil {
		return nil, err
	}
	if err := checkName(name); err != nil {
		return nil, err
	}
	b.saving.Lock()
	defer b.saving.Unlock()
	there, err := read(b.saves, name)
	switch {
	case err == nil && over == "":
		return nil, fmt.Errorf("%s exists already: %w", name, errChanged)
	case err == nil && over != there.Sum:
		return nil, fmt.Errorf("%s: %w", name, errChanged)
	case err != nil && !errors.Is(err, errNoSource):
		return nil, err
	}
	root, err := os.OpenRoot(b.saves)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if there == nil {
		// A name that exists here without a file that was read, such as a link, is refused.
		if _, err := root.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s exists already, and is no regular file: %w", name, errChanged)
		}
	}
	if err := replace(root, name, text); err != nil {
		return nil, err
	}
	return &Text{Name: name, Text: text, Sum: sumOf([]byte(text))}, nil
}

// replace writes a temporary file beside the old one and renames it over the old one.
func replace(root *os.Root, name, text string) error {
	beside := "." + name + ".new"
	file, err := root.OpenFile(beside, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = io.WriteString(file, text)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = root.Rename(beside, name)
	}
	if err != nil {
		root.Remove(beside) // a file that is left does no harm
	}
	return err
}
