package loading

import (
	"errors"
	"slices"

	"starling/scenarios/document"
	"starling/scenarios/kind"
	"starling/scenarios/study"
)

// replacedFaults returns the faults of values that the sweep replaces in every arm. Such a value is
// read by its type, like any other, and nothing is built of it: no arm would show its faults.
func replacedFaults(kinds *kind.Catalog, doc *document.Document, variants []study.Variant) (issues document.Issues) {
	seen := map[string]bool{}
	for _, v := range variants {
		for _, a := range v.Assigned {
			value, given := doc.Find(a.Path)
			if !given || seen[a.Path] || !inAll(variants, a.Path) {
				continue
			}
			seen[a.Path] = true
			// The rest of the arm says of which kind the section around the value is.
			if with, err := v.Document.With(a.Path, value); err == nil {
				issues = append(issues, faultsAt(kinds, with, a.Path)...)
			}
		}
	}
	return issues
}

// inAll reports whether every arm sets a path, or a section around it.
func inAll(variants []study.Variant, path string) bool {
	return !slices.ContainsFunc(variants, func(v study.Variant) bool {
		return !slices.ContainsFunc(v.Assigned, func(a study.Assignment) bool { return below(path, a.Path) })
	})
}

// faultsAt returns the faults of the value at a path, and of values below it, by the types of their
// keys. Unknown keys and missing ones are no faults of a value: arms report them of their own.
func faultsAt(kinds *kind.Catalog, doc *document.Document, path string) document.Issues {
	_, issues := study.DecodeFile(doc)
	for _, section := range kinds.Sections() {
		if node, ok := doc.Root().Get(section.Name); ok && (below(path, node.Path()) || below(node.Path(), path)) {
			issues = append(issues, sectionFaults(kinds, section, node)...)
		}
	}
	return slices.DeleteFunc(issues, func(i document.Issue) bool {
		return !below(i.Path, path) || i.Fault == document.UnknownKey || i.Fault == document.MissingKey
	})
}

// sectionFaults returns the faults of a section, read as the kind that it names, and of the sections
// in it. It returns none where the kind is not known.
func sectionFaults(kinds *kind.Catalog, section kind.Section, node *document.Node) (issues document.Issues) {
	name, err := kind.NameOf(node)
	i := slices.IndexFunc(*section.Kinds, func(k kind.Kind) bool { return k.Kind == name })
	if err != nil || i < 0 {
		return nil
	}
	errors.As((*section.Kinds)[i].CheckValues(*section.Kinds, node), &issues)
	for key, child := range node.Entries() {
		inner := key
		if other, ok := sectionsAt[section.Name+"."+name+"."+key]; ok {
			inner = other
		}
		for _, s := range kinds.Sections() {
			if s.Name == inner && child.Kind() == document.Mapping {
				issues = append(issues, sectionFaults(kinds, s, child)...)
			}
		}
	}
	return issues
}
