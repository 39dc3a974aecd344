package python

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"starling/scenarios/inputs"
)

// reads lists the files that a file of code reads besides itself, as far as the texts show: a
// run depends on all of them. No code is run to find them, so that results can be shown
// without running code.
type reads struct {
	// folder is the folder of the file, from which it imports, and beside the scenario's name
	// for the folder.
	folder, beside string
	// modules and data are the files, by their path from the folder, in the order in which
	// they are named; libraries are the names of modules that the folder does not have.
	modules, data []inputs.Digest
	libraries     []string
	// taken are the same files with their paths.
	taken []inputs.Taken
	// hiddenModules and hiddenData are the files with code that finds other modules, or data,
	// in ways that no text shows.
	hiddenModules, hiddenData []string
	seen                      map[string]bool
	local                     bool // files outside of the folder are not read
}

var (
	importLine = regexp.MustCompile(`(?m)^[ \t]*import[ \t]+([^\n#;]+)`)
	fromLine   = regexp.MustCompile(`(?m)^[ \t]*from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#;]+)`)
	unsaid     = regexp.MustCompile(`\b(importlib|__import__|runpy|sys\.path|exec\()`)
	literal    = regexp.MustCompile(`"([^"\n\\]{1,255})"|'([^'\n\\]{1,255})'`)
	reading    = regexp.MustCompile(`\b(open|load|loadtxt|genfromtxt|fromfile|memmap|imread|read_(csv|parquet|pickle|json|feather|excel|table|text|bytes)|load_dataset|load_file)\(`)
	writing    = regexp.MustCompile(`\b(savefig|imsave|save|savez|savez_compressed|savetxt|to_(csv|parquet|pickle|json|feather|excel|latex|html)|write_(csv|parquet|json|image|html))\(\s*[rf]?$`)
	word       = regexp.MustCompile(`^\w+$`)
)

// longestCall is the largest number of bytes of a call that writes, before its first argument.
const longestCall = 64

// readsOf finds the files that a file of code reads. options are the values of a scenario that
// the code gets.
func readsOf(path, name string, text []byte, options []string, local bool) *reads {
	r := &reads{folder: filepath.Dir(path), beside: filepath.Dir(name), seen: map[string]bool{filepath.Base(path): true}, local: local}
	r.code(name, "", text)
	for _, value := range options {
		r.file(value)
	}
	return r
}

// code searches the text of a module in a package of the folder. in is the package, "" for
// modules in the folder itself.
func (r *reads) code(name, in string, text []byte) {
	for _, m := range importLine.FindAllSubmatch(text, -1) {
		for part := range strings.SplitSeq(string(m[1]), ",") {
			if fields := strings.Fields(part); len(fields) > 0 {
				r.module("", fields[0])
			}
		}
	}
	for _, m := range fromLine.FindAllSubmatch(text, -1) {
		package_ := ""
		if up := len(m[1]); up > 0 {
			package_ = in
			for range up - 1 {
				package_ = filepath.Dir(package_)
			}
		}
		of := string(m[2])
		if of != "" {
			r.module(package_, of)
		}
		if of == "" && len(m[1]) == 0 {
			continue
		}
		for part := range strings.SplitSeq(strings.Trim(string(m[3]), "()"), ",") {
			if fields := strings.Fields(part); len(fields) > 0 && word.MatchString(fields[0]) {
				r.submodule(package_, strings.TrimPrefix(of+"."+fields[0], "."))
			}
		}
	}
	if unsaid.Match(text) {
		r.hiddenModules = append(r.hiddenModules, name)
	}
	before := len(r.data)
	for _, m := range literal.FindAllIndex(text, -1) {
		if !writing.Match(text[max(0, m[0]-longestCall):m[0]]) { // a figure that a script has saved is no input
			r.file(string(text[m[0]+1 : m[1]-1]))
		}
	}
	if len(r.data) == before && reading.Match(text) {
		r.hiddenData = append(r.hiddenData, name)
	}
}

// module adds a module, with the packages that it is in. A module that the folder does not
// have is of a library.
func (r *reads) module(in, name string) {
	parts := strings.Split(name, ".")
	if !word.MatchString(parts[0]) {
		return // the text is no import
	}
	if found := r.submodule(in, parts[0]); !found && in == "" {
		if !slices.Contains(r.libraries, parts[0]) {
			r.libraries = append(r.libraries, parts[0])
		}
		return
	}
	for k := range parts[1:] {
		r.submodule(in, strings.Join(parts[:k+2], "."))
	}
}

// submodule adds a module of the folder, and reports whether there is one.
func (r *reads) submodule(in, name string) bool {
	at := filepath.Join(in, filepath.FromSlash(strings.ReplaceAll(name, ".", "/")))
	for _, form := range []struct{ file, in string }{{at + ".py", filepath.Dir(at)}, {filepath.Join(at, "__init__.py"), at}} {
		if r.seen[form.file] {
			return true
		}
		text, err := inputs.ReadRegular(filepath.Join(r.folder, form.file))
		if err != nil {
			continue
		}
		r.seen[form.file] = true
		r.modules = append(r.modules, digestOf(filepath.Join(r.beside, form.file), text))
		r.taken = append(r.taken, inputs.Taken{Name: filepath.Join(r.beside, form.file), Path: filepath.Join(r.folder, form.file), Code: true})
		if form.in == "." {
			form.in = ""
		}
		r.code(filepath.Join(r.beside, form.file), form.in, text)
		return true
	}
	info, err := os.Stat(filepath.Join(r.folder, at))
	return err == nil && info.IsDir() // a package without a file of its own
}

// file adds a file of data that a text names, from the folder or from the working folder.
func (r *reads) file(name string) {
	if filepath.Ext(name) == "" || r.seen[name] || r.local && !filepath.IsLocal(name) {
		return
	}
	paths := []string{filepath.Join(r.folder, name), name}
	if filepath.IsAbs(name) {
		paths = paths[1:]
	}
	for _, path := range paths {
		if text, err := inputs.ReadRegular(path); err == nil {
			r.seen[name] = true
			r.data = append(r.data, digestOf(name, text))
			r.taken = append(r.taken, inputs.Taken{Name: r.placed(path, name), Path: path, ByCode: true})
			return
		}
	}
}

// placed is the path of a file that code reads, from the scenario's folder: code finds it from
// its own folder, or from the working folder.
func (r *reads) placed(path, name string) string {
	if path == name {
		return name
	}
	return filepath.Join(r.beside, name)
}

// texts returns the texts among values, however deep.
func texts(value any) (list []string) {
	switch value := value.(type) {
	case string:
		return []string{value}
	case []any:
		for _, v := range value {
			list = append(list, texts(v)...)
		}
	case map[string]any:
		for _, v := range value {
			list = append(list, texts(v)...)
		}
		slices.Sort(list)
	}
	return list
}
