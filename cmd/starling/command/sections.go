package command

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
	"starling/scenarios/guide"
)

// sectionNames are the sections of a scenario that have kinds, in the order of a
// file.
var sectionNames = []string{"algorithm", "divergence", "problem", "model", "set", "topology", "network", "mechanism"}

// keyNames are the names under which help has the keys of a whole file and of the sections
// without kinds, and keyParts the guide's names for them.
var (
	keyNames = []string{"keys", "sweep", "events"}
	keyParts = map[string]string{"keys": "scenario", "sweep": "sweep", "events": "events"}
)

// keysPage returns the Markdown of the keys of a whole file, of a sweep or of an event:
// name is one of keyNames.
func (p program) keysPage(name string) ([]byte, error) {
	g, err := guide.New(p.Kinds)
	if err != nil {
		return nil, err
	}
	options, _ := g.Options(keyParts[name], "")
	var page bytes.Buffer
	fmt.Fprintf(&page, "# Keys: %s\n\nThe keys of a section with kinds: `starling help SECTION KIND`.\n", keyParts[name])
	writeKeys(&page, options)
	return page.Bytes(), nil
}

// sectionKinds returns the kinds of a section.
func (p program) sectionKinds(section string) []guide.Named {
	return slices.DeleteFunc(guide.KindsOf(p.Kinds), func(k guide.Named) bool { return k.Section != section })
}

// sectionPage returns the Markdown of a section: a table of its kinds, or, with a kind in
// args, of the keys of that kind with their units, limits and defaults.
func (p program) sectionPage(section string, args []string) ([]byte, error) {
	kinds := p.sectionKinds(section)
	var page bytes.Buffer
	if len(args) == 0 {
		fmt.Fprintf(&page, "# Section %s\n\nKeys of a kind: `starling help %s KIND`.\n\n| kind | description |\n| --- | --- |\n", section, section)
		for _, kind := range kinds {
			shell.WriteRow(&page, "`"+kind.Kind.Kind+"`", kind.Summary)
		}
		return page.Bytes(), nil
	}
	i := slices.IndexFunc(kinds, func(kind guide.Named) bool { return kind.Kind.Kind == args[0] })
	if i < 0 || len(args) > 1 {
		return nil, unknownKind(section, kinds, args)
	}
	g, err := guide.New(p.Kinds)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&page, "# %s %s\n\n%s. More: `starling describe %s/%s`.\n", section, args[0], sentence(kinds[i].Summary), section, args[0])
	example, err := exampleOf(&kinds[i])
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&page, "\n```yaml\n%s```\n", example)
	if options, _ := g.Options(section, args[0]); len(options) > 0 {
		writeKeys(&page, requiredFirst(options, 0))
	} else {
		page.WriteString("\nNo keys but `kind`.\n")
	}
	return page.Bytes(), nil
}

// around has the section that holds a section which is none of the file itself.
var around = map[string]string{"divergence": "algorithm", "combine": "algorithm", "set": "problem", "model": "problem", "compression": "network"}

// exampleOf returns the first example of a kind as a part of a file, with a key in a line; of an
// algorithm its section alone. It is empty for a kind without examples.
func exampleOf(k *guide.Named) (string, error) {
	if len(k.Examples) == 0 {
		return "", nil
	}
	text := k.Examples[0]
	if k.Section != "algorithm" { // its examples are whole scenarios
		text = k.Section + ": " + text
	}
	doc, err := document.Parse("example", []byte(text))
	if err != nil {
		return "", err
	}
	section, _ := doc.Find(k.Section)
	var example strings.Builder
	indent := ""
	for _, key := range []string{around[k.Section], k.Section} {
		if key != "" {
			fmt.Fprintf(&example, "%s%s:\n", indent, key)
			indent += "  "
		}
	}
	for key, value := range section.Entries() {
		fmt.Fprintf(&example, "%s%s: %s\n", indent, key, value.Flow())
	}
	return example.String(), nil
}

// requiredFirst returns options, whose keys have so many dots or more, with the required ones before the
// others at each depth. The keys of a mapping stay behind it, and the keys of a form together.
func requiredFirst(options []guide.Option, depth int) (list []guide.Option) {
	var groups [][]guide.Option // a key with the keys inside of it
	for _, o := range options {
		if n := len(groups); n == 0 || strings.Count(o.Key, ".") == depth {
			groups = append(groups, []guide.Option{o})
		} else {
			groups[n-1] = append(groups[n-1], o)
		}
	}
	for first := 0; first < len(groups); {
		end := first
		for end < len(groups) && groups[end][0].Form == groups[first][0].Form {
			end++
		}
		slices.SortStableFunc(groups[first:end], func(a, b []guide.Option) int {
			return cmp.Compare(rank(a[0].Required), rank(b[0].Required))
		})
		first = end
	}
	for _, group := range groups {
		list = append(append(list, group[0]), requiredFirst(group[1:], depth+1)...)
	}
	return list
}

// rank is 0 for required keys, and 1 for others.
func rank(required bool) int {
	if required {
		return 0
	}
	return 1
}

// unknownKind returns the error of a kind that the section has not, with the nearest
// name, or of more words than a kind.
func unknownKind(section string, kinds []guide.Named, args []string) error {
	if len(args) > 1 {
		return shell.Usage(fmt.Errorf("help of a section takes one kind; got %s", strings.Join(args, " ")))
	}
	var names []string
	for _, kind := range kinds {
		names = append(names, kind.Kind.Kind)
	}
	hint := document.Suggest(args[0], names, "known:")
	if !strings.Contains(hint, "did you mean") && !strings.Contains(hint, "known:") { // none is near
		hint = "; known: " + strings.Join(names, ", ")
	}
	return document.BadInput(fmt.Errorf("unknown kind %q of section %s%s\nRun 'starling help %s' for the kinds with their meaning.", args[0], section, hint, section))
}

// writeKeys writes a Markdown list of options: the key with its values, and below them its meaning. Keys of
// a mapping stand inside of its item, after its name and a dot, as --set names them, and the keys of
// each of its forms below a line that names the form. A mapping, or a form of one, with the keys of one above names that.
func writeKeys(w *bytes.Buffer, options []guide.Option) {
	form, above := "", map[string]string{} // names of mappings, and of forms of them, by their keys
	for i := 0; i < len(options); i++ {
		o := &options[i]
		indent := strings.Repeat("  ", strings.Count(o.Key, "."))
		if o.Form != form && o.Form != "" {
			name := "With `" + o.Form + "`"
			if o.Form == guide.List {
				name = "As " + o.Form
			}
			mapping := strings.TrimSuffix(o.Key[:strings.LastIndex(o.Key, ".")], "[]")
			inside, keys := guide.KeysBelow(ofForm(options[i:], o.Form), mapping)
			if first, printed := above[keys]; printed && inside >= guide.LeastShared {
				fmt.Fprintf(w, "\n%s%s: the keys of `%s`, above.\n", indent, name, first)
				i += inside - 1
				continue
			}
			above[keys] = mapping
			fmt.Fprintf(w, "\n%s%s:\n", indent, name)
		}
		form = o.Form
		fmt.Fprintf(w, "\n%s- **%s**: %s\n\n%s  %s.\n", indent, o.Key, o.Value(), indent, strings.TrimSuffix(sentence(o.Text), "."))
		inside, keys := guide.KeysBelow(options[i+1:], o.Key)
		if first, printed := above[keys]; printed && inside >= guide.LeastShared {
			fmt.Fprintf(w, "\n%s  Its keys are the keys of `%s`, above.\n", indent, first)
			i += inside
			continue
		}
		above[keys] = o.Key
	}
}

// ofForm returns the first options of a form.
func ofForm(options []guide.Option, form string) []guide.Option {
	if i := slices.IndexFunc(options, func(o guide.Option) bool { return o.Form != form }); i >= 0 {
		return options[:i]
	}
	return options
}

// sentence returns a text with a capital letter at its beginning. An identifier there, such as regret.fixed, plots/ or the
// key of a section, stays as it is.
func sentence(text string) string {
	word, rest, _ := strings.Cut(text, " ")
	section := strings.HasSuffix(word, ":") && strings.HasPrefix(rest, "{")
	if strings.ContainsAny(strings.TrimRight(word, ".,:;"), "._`/{") || section {
		return text
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}
