package document

import "slices"

// Merge returns a document with the values of over in place of the values of d. It is the
// meaning of a file that is written as changes to another file. Mappings merge key by key;
// everything else replaces. A mapping with another value of the key kind in over replaces the
// whole mapping, since the keys of one kind mean nothing to another. A null in over removes
// the key; where d has no such key it stays, so that decoding reports it. New keys come after
// the keys of d. Values, and the keys that over writes, keep their positions.
func (d *Document) Merge(over *Document) *Document {
	merged := &Document{root: merge(d.root, over.root), sources: slices.Clone(over.sources)}
	for _, s := range d.sources {
		if !slices.Contains(merged.sources, s) {
			merged.sources = append(merged.sources, s)
		}
	}
	return merged
}

func merge(base, over *value) *value {
	if base.kind != Mapping || over.kind != Mapping || !sameKind(base, over) {
		return over
	}
	merged := &value{kind: Mapping, position: over.position}
	for _, e := range base.entries {
		i, given := over.get(e.key)
		switch {
		case !given:
			merged.entries = append(merged.entries, e)
		case over.entries[i].value.kind != Null:
			changed := over.entries[i]
			changed.value = merge(e.value, changed.value)
			merged.entries = append(merged.entries, changed)
		}
	}
	for _, e := range over.entries {
		if _, known := base.get(e.key); !known {
			merged.entries = append(merged.entries, e)
		}
	}
	return merged
}

// sameKind reports whether two mappings do not name different kinds.
func sameKind(a, b *value) bool {
	i, first := a.get("kind")
	j, second := b.get("kind")
	return !first || !second || equal(a.entries[i].value, b.entries[j].value)
}

// equal compares two scalars; collections are equal to nothing.
func equal(a, b *value) bool {
	return a.kind == b.kind && a.kind != Mapping && a.kind != Sequence && a.text == b.text
}

// MergesInto reports whether Merge, at a node of a document that is merged over
// another, goes on key by key: both nodes are mappings that do not name
// different kinds.
func (n *Node) MergesInto(base *Node) bool {
	return n.Kind() == Mapping && base.Kind() == Mapping && sameKind(base.value, n.value)
}

// Arrange returns a copy of the document in which the keys of every mapping are
// in the order of compare, which gets the path of the mapping and two of its
// keys; keys that it calls equal stay in the order they are in.
func (d *Document) Arrange(compare func(path, a, b string) int) *Document {
	return &Document{root: d.root.arrange("", compare), sources: d.sources}
}

func (v *value) arrange(path string, compare func(path, a, b string) int) *value {
	if len(v.entries) == 0 && len(v.items) == 0 {
		return v
	}
	arranged := *v
	arranged.entries, arranged.items = slices.Clone(v.entries), slices.Clone(v.items)
	for i, e := range arranged.entries {
		arranged.entries[i].value = e.value.arrange(joinKey(path, e.key), compare)
	}
	for i, item := range arranged.items {
		arranged.items[i] = item.arrange(path+"[]", compare)
	}
	slices.SortStableFunc(arranged.entries, func(a, b entry) int { return compare(path, a.key, b.key) })
	return &arranged
}
