package document

import (
	"reflect"
	"slices"
)

// Respell returns the document with its misspelt keys of the top level spelt as the struct target
// has them, so that the rest can be checked, and an issue for each. A key is misspelt if no field has
// it, and if the nearest key is not there. Positions stay as they are.
func (d *Document) Respell(target any) (*Document, Issues) {
	dec := &decoder{}
	fields := fieldsOf(reflect.TypeOf(target))
	var absent []string
	for _, f := range fields {
		if _, ok := d.Root().Get(f.name); !ok {
			absent = append(absent, f.name)
		}
	}
	root := *d.Root().value
	root.entries = slices.Clone(root.entries)
	for key, child := range d.Root().Entries() {
		if slices.ContainsFunc(fields, func(f field) bool { return f.name == key }) {
			continue
		}
		meant, ok := Nearest(key, absent)
		if !ok {
			continue
		}
		i, _ := root.get(key)
		root.entries[i].key = meant
		absent = slices.DeleteFunc(absent, func(name string) bool { return name == meant })
		dec.unknown(d.Root(), child, key, []field{{name: meant}})
	}
	if len(dec.issues) == 0 {
		return d, nil
	}
	return &Document{root: &root, sources: d.sources}, dec.issues
}
