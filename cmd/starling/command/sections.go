package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"

	"starling/scenarios/document"
	"starling/scenarios/loading"
)

// sectionNames are the sections of a scenario that have kinds, in the order of a
// file.
var sectionNames = []string{"algorithm", "divergence", "problem", "set", "topology", "network", "mechanism"}

// keyNames are the names under which help has the keys of a whole file and of the
// sections without kinds, and keyParts what the schema calls these.
var (
	keyNames = []string{"keys", "sweep", "events"}
	keyParts = map[string]string{"keys": "scenario", "sweep": "sweep", "events": "events"}
)

// definition returns a part of the schema of scenarios by its name, such as topology.
// Help prints the schema that editors read, which is made from the tags by which files
// are decoded: help, editors and the loader cannot disagree.
func (p program) definition(name string) (*jsonschema.Schema, error) {
	text, err := loading.SchemaOf(p.kinds)
	if err != nil {
		return nil, err
	}
	var whole jsonschema.Schema
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, err
	}
	part, ok := whole.Definitions[name]
	if !ok {
		return nil, fmt.Errorf("the schema has no part %q", name)
	}
	return part, nil
}

// sectionKinds returns the schemas of the kinds of a section. Title is the name of a
// kind, and Description its summary.
func (p program) sectionKinds(section string) ([]*jsonschema.Schema, error) {
	part, err := p.definition(section)
	if err != nil {
		return nil, err
	}
	return part.OneOf, nil
}

// keysPage returns the Markdown of the keys of a whole file, of a sweep or of an event:
// name is one of keyNames.
func (p program) keysPage(name string) ([]byte, error) {
	part, err := p.definition(keyParts[name])
	if err != nil {
		return nil, err
	}
	if part.Items != nil { // a list, of which each item has the keys
		part = part.Items
	}
	var page bytes.Buffer
	fmt.Fprintf(&page, "# Keys: %s\n\nThe keys of a section with kinds: `starling help SECTION KIND`.\n", keyParts[name])
	writeKeys(&page, keyRows(part, ""))
	return page.Bytes(), nil
}

// sectionPage returns the Markdown of a section: a table of its kinds, or, with a kind in
// args, of the keys of that kind with their defaults and limits.
func (p program) sectionPage(section string, args []string) ([]byte, error) {
	kinds, err := p.sectionKinds(section)
	if err != nil {
		return nil, err
	}
	var page bytes.Buffer
	if len(args) == 0 {
		fmt.Fprintf(&page, "# Section %s\n\nKeys of a kind: `starling help %s KIND`.\n\n| kind | what it is |\n| --- | --- |\n", section, section)
		for _, kind := range kinds {
			writeRow(&page, "`"+kind.Title+"`", kind.Description)
		}
		return page.Bytes(), nil
	}
	i := slices.IndexFunc(kinds, func(kind *jsonschema.Schema) bool { return kind.Title == args[0] })
	if i < 0 || len(args) > 1 {
		return nil, unknownKind(section, kinds, args)
	}
	return kindPage(section, kinds[i]), nil
}

// kindPage returns the Markdown of the keys of one kind.
func kindPage(section string, kind *jsonschema.Schema) []byte {
	var page bytes.Buffer
	fmt.Fprintf(&page, "# %s %s\n\n%s.\n", section, kind.Title, kind.Description)
	if keys := keyRows(kind, ""); len(keys) > 0 {
		writeKeys(&page, keys)
	} else {
		page.WriteString("\nNo keys but `kind`.\n")
	}
	return page.Bytes()
}

// unknownKind returns the error of a kind that the section has not, with the nearest
// name, or of more words than a kind.
func unknownKind(section string, kinds []*jsonschema.Schema, args []string) error {
	if len(args) > 1 {
		return &usageError{fmt.Errorf("help of a section takes one kind; got %s", strings.Join(args, " "))}
	}
	var names []string
	for _, kind := range kinds {
		names = append(names, kind.Title)
	}
	return &usageError{fmt.Errorf("unknown kind %q of section %s%s", args[0], section, document.Suggest(args[0], names, "known:"))}
}

// writeKeys writes a Markdown table of keys, whose rows are those of keyRows.
func writeKeys(w *bytes.Buffer, rows [][]string) {
	w.WriteString("\n| key | value | what it is |\n| --- | --- | --- |\n")
	for _, row := range rows {
		writeRow(w, row...)
	}
}

// writeRow writes a row of a Markdown table. A bar inside a cell is escaped: it would end
// the cell.
func writeRow(w *bytes.Buffer, cells ...string) {
	for _, cell := range cells {
		w.WriteString("| " + strings.ReplaceAll(cell, "|", `\|`) + " ")
	}
	w.WriteString("|\n")
}

// keyRows returns a row for each key of a mapping, with its name, its value and what it
// is. Keys of a mapping inside stand below it, after its name and a dot, as --set names
// them. prefix is that name. The key kind is left out: the page is of one kind.
func keyRows(object *jsonschema.Schema, prefix string) (rows [][]string) {
	for pair := object.Properties.Oldest(); pair != nil; pair = pair.Next() {
		name, key := prefix+pair.Key, pair.Value
		if name == "kind" {
			continue
		}
		value := valueOf(key)
		switch {
		case slices.Contains(object.Required, pair.Key):
			value += "; required"
		case key.Default != nil:
			value += fmt.Sprintf("; default %v", key.Default)
		}
		rows = append(rows, []string{"`" + name + "`", value, key.Description})
		// The keys of a list's items stand below the list, under its name with [].
		if key.Type == "array" && key.Items != nil {
			key, name = key.Items, name+"[]"
		}
		if key.Properties != nil {
			rows = append(rows, keyRows(key, name+".")...)
		}
	}
	return rows
}

// valueOf says in words what a key takes: a section, a constant, one of some words, a
// list, a mapping, or a type with its limits. Alternatives are joined by "or".
func valueOf(s *jsonschema.Schema) string {
	switch {
	case s.Ref != "":
		return "section " + strings.TrimPrefix(s.Ref, "#/$defs/")
	case s.Const != nil:
		return fmt.Sprint(s.Const)
	case len(s.Enum) > 0:
		var words []string
		for _, word := range s.Enum {
			words = append(words, fmt.Sprint(word))
		}
		return strings.Join(words, ", ")
	case s.Type == "array" && s.Items != nil:
		return "list of: " + valueOf(s.Items)
	case s.Type == "object":
		return "mapping"
	}
	if alternatives := slices.Concat(s.OneOf, s.AnyOf); len(alternatives) > 0 {
		var words []string
		for _, alternative := range alternatives {
			words = append(words, valueOf(alternative))
		}
		return strings.Join(words, " or ")
	}
	return s.Type + limitsOf(s)
}

// limitsOf says between which limits a number is, such as " > 0, <= 1"; empty without
// limits.
func limitsOf(s *jsonschema.Schema) string {
	var limits []string
	for _, limit := range []struct {
		sign  string
		value json.Number
	}{{">=", s.Minimum}, {">", s.ExclusiveMinimum}, {"<=", s.Maximum}, {"<", s.ExclusiveMaximum}} {
		if limit.value != "" {
			limits = append(limits, limit.sign+" "+string(limit.value))
		}
	}
	if len(limits) == 0 {
		return ""
	}
	return " " + strings.Join(limits, ", ")
}
