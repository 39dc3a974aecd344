package document

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"starling/actors/option"
)

// NodeDecoder is implemented by types that read themselves, such as a privacy
// parameter that is a number or the word none. An error that is no Issue is
// placed as [Document.Resolve] does, at the node.
type NodeDecoder interface {
	DecodeNode(*Node) error
}

var (
	nodeDecoderType = reflect.TypeFor[NodeDecoder]()
	nodeType        = reflect.TypeFor[*Node]()
)

// Decode stores the value of a node in *destination and reports everything
// that does not fit as Issues.
//
// A struct takes a mapping. Its fields are those with a tag yaml:"name", or
// yaml:"name,required" when the key must be there; a key that no field has is
// an error. With a tag or:"other" exactly one of two keys must be there, and not null. The fields
// of a struct with the tag yaml:",inline" count as fields of the struct around it. Fields without a key in the mapping keep their values, which serve as
// defaults. Fields may be strings, bools, integers (in their range; 1e3 is 1000), floats (not
// NaN), structs, slices, arrays (of exactly their length), pointers (null makes them nil),
// *Node, which captures any value to be decoded later, and types that implement [NodeDecoder].
// Nothing is converted: a number is no string and a string no number. A value beyond the
// [option.Bounds] of its field is stored, and reported. A null for a *Node is as if its key
// were absent.
//
// After an error the destination is partly filled. Decode panics if destination is not a
// non-nil pointer or leads to a type not listed here.
func Decode(node *Node, destination any) error {
	target := reflect.ValueOf(destination)
	if target.Kind() != reflect.Pointer || target.IsNil() {
		panic(fmt.Sprintf("document: cannot decode into %T", destination))
	}
	d := decoder{}
	d.decode(node, target.Elem())
	return d.issues.Sorted().Err()
}

// DecodeBeside decodes a mapping into a struct like Decode, but the mapping may also have keys
// of other structs, which are given by value. Their values are ignored.
func DecodeBeside(node *Node, destination any, others ...any) error {
	return decodeBeside(node, destination, false, others)
}

// DecodeAmong is DecodeBeside, but the value of a key of another struct has to be one that the
// first such struct takes. It is not stored.
func DecodeAmong(node *Node, destination any, others ...any) error {
	return decodeBeside(node, destination, true, others)
}

func decodeBeside(node *Node, destination any, checked bool, others []any) error {
	d := decoder{beside: node, checked: checked, others: map[string]foreign{}}
	for _, other := range others {
		of := reflect.TypeOf(other)
		for _, f := range fieldsOf(of) {
			if _, there := d.others[f.name]; !there {
				d.others[f.name] = foreign{f, of.FieldByIndex(f.index).Type}
			}
		}
	}
	d.decode(node, reflect.ValueOf(destination).Elem())
	return d.issues.Sorted().Err()
}

// decoder collects the issues of a whole tree.
type decoder struct {
	issues Issues
	// others are keys that may stand in the mapping beside, by name. Their values are checked
	// or ignored.
	beside  *Node
	checked bool
	others  map[string]foreign
}

// foreign is a field of another struct, with its type.
type foreign struct {
	field
	of reflect.Type
}

func (d *decoder) expected(node *Node, what string) {
	d.issues = append(d.issues, node.Issuef("expected %s, got %s%s", what, node.describe(), asNumber(node, what)).With(OutOfBounds))
}

// asNumber returns the end of a message about a string in place of a number, such as "10" and 10_000, with the number;
// empty where the string has none.
func asNumber(node *Node, what string) string {
	if node.Kind() != String || !strings.Contains(what, "integer") && !strings.Contains(what, "number") {
		return ""
	}
	digits := strings.NewReplacer("_", "", ",", "", "'", "").Replace(strings.TrimSpace(node.value.str))
	if _, err := strconv.ParseFloat(digits, 64); err != nil || strings.Trim(digits, "0123456789.+-eE") != "" {
		return ""
	}
	return "; write " + digits
}

// decode goes by the type of the target: a *Node and types that read themselves come
// before their kinds.
func (d *decoder) decode(node *Node, target reflect.Value) {
	if target.Type() == nodeType {
		target.Set(reflect.ValueOf(node))
		return
	}
	if reflect.PointerTo(target.Type()).Implements(nodeDecoderType) {
		err := target.Addr().Interface().(NodeDecoder).DecodeNode(node)
		d.issues = append(d.issues, node.document.Resolve(node.path, err)...)
		return
	}
	switch target.Kind() {
	case reflect.Pointer:
		d.pointer(node, target)
	case reflect.Struct:
		d.structure(node, target)
	case reflect.Slice, reflect.Array:
		d.list(node, target)
	case reflect.String:
		if node.Kind() != String {
			d.expected(node, "a string")
			return
		}
		target.SetString(node.value.str)
	case reflect.Bool:
		if node.Kind() != Bool {
			d.expected(node, "true or false")
			return
		}
		target.SetBool(strings.ToLower(node.value.text) == "true")
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		d.integer(node, target)
	case reflect.Float32, reflect.Float64:
		d.float(node, target)
	default:
		panic(fmt.Sprintf("document: cannot decode into %s", target.Type()))
	}
}

func (d *decoder) pointer(node *Node, target reflect.Value) {
	if node.Kind() == Null {
		target.SetZero()
		return
	}
	fresh := reflect.New(target.Type().Elem())
	d.decode(node, fresh.Elem())
	target.Set(fresh)
}

// integer takes floats that are whole, such as 1e3, and reads no digit through a float64.
func (d *decoder) integer(node *Node, target reflect.Value) {
	kind := node.Kind()
	if kind != Integer && kind != Float {
		d.expected(node, "an integer")
		return
	}
	text, integral := integerText(kind, node.value.text)
	if !integral {
		d.expected(node, "an integer")
		return
	}
	base := 10
	if kind == Integer && len(text) > 2 && (text[1] == 'o' || text[1] == 'x') {
		base = 0
	}
	var err error
	bits := target.Type().Bits()
	if target.CanInt() {
		var i int64
		if i, err = strconv.ParseInt(text, base, bits); err == nil {
			target.SetInt(i)
		}
	} else {
		var u uint64
		if u, err = strconv.ParseUint(text, base, bits); err == nil {
			target.SetUint(u)
		}
	}
	if err != nil {
		d.expected(node, "an integer "+integerRange(target))
	}
}

// integerRange names the values of an integer type.
func integerRange(target reflect.Value) string {
	bits := target.Type().Bits()
	if target.CanInt() {
		limit := uint64(1) << (bits - 1)
		return fmt.Sprintf("from -%d to %d", limit, limit-1)
	}
	return fmt.Sprintf("from 0 to %d", ^uint64(0)>>(64-bits))
}

func (d *decoder) float(node *Node, target reflect.Value) {
	if node.Kind() != Integer && node.Kind() != Float {
		d.expected(node, "a number")
		return
	}
	f, err := parseFloat(node.Kind(), node.value.text)
	switch {
	case err != nil:
		d.issues = append(d.issues, node.Issuef("%v", err))
	case target.OverflowFloat(f):
		d.expected(node, "a number in the range of "+target.Type().String())
	default:
		target.SetFloat(f)
	}
}

// list decodes into a slice or an array.
func (d *decoder) list(node *Node, target reflect.Value) {
	if node.Kind() != Sequence {
		d.expected(node, "a sequence")
		return
	}
	if target.Kind() == reflect.Slice {
		target.Set(reflect.MakeSlice(target.Type(), node.Len(), node.Len()))
	} else if target.Len() != node.Len() {
		d.issues = append(d.issues, node.Issuef("expected %d items, got %d", target.Len(), node.Len()))
		return
	}
	for i, item := range node.Items() {
		d.decode(item, target.Index(i))
	}
}

// field is a struct field that a key of a mapping goes to.
type field struct {
	name     string
	required bool
	or       string // the key that stands in for this one; empty means none
	index    []int  // as of reflect.Value.FieldByIndex
	bounds   option.Bounds
	meaning  string // of the key, with an example, for the message that it is missing; empty for none
}

// knownFields has the fields of struct types by reflect.Type: a file is decoded many times, and tags take
// longer to read than values.
var knownFields sync.Map

// fieldsOf lists the tagged fields of a struct in their order. Fields of inline structs are in
// the place of the struct. The result is shared and must not be changed.
func fieldsOf(t reflect.Type) []field {
	if fields, ok := knownFields.Load(t); ok {
		return fields.([]field)
	}
	fields, _ := knownFields.LoadOrStore(t, readFields(t))
	return fields.([]field)
}

// readFields is fieldsOf by the tags.
func readFields(t reflect.Type) []field {
	var fields []field
	for i := range t.NumField() {
		tag, tagged := t.Field(i).Tag.Lookup("yaml")
		if !tagged || tag == "-" {
			continue
		}
		name, way, _ := strings.Cut(tag, ",")
		if t.Field(i).IsExported() && t.Field(i).Type.Kind() == reflect.Struct && name == "" && way == "inline" {
			for _, inner := range fieldsOf(t.Field(i).Type) {
				fields = append(fields, field{inner.name, inner.required, inner.or, append([]int{i}, inner.index...), inner.bounds, inner.meaning})
			}
			continue
		}
		if !t.Field(i).IsExported() || name == "" || way != "" && way != "required" {
			panic(fmt.Sprintf("document: field %s of %s has an unusable tag %q", t.Field(i).Name, t, tag))
		}
		fields = append(fields, field{name, way == "required", t.Field(i).Tag.Get("or"), []int{i}, option.BoundsOf(t.Field(i).Tag), meaningOf(name, t.Field(i).Tag)})
	}
	return fields
}

// meaningOf is the meaning of a key with an example, by the tags doc and example. Of a long description it is the first
// clause.
func meaningOf(name string, tag reflect.StructTag) (text string) {
	if doc, _, _ := strings.Cut(tag.Get("doc"), ";"); doc != "" {
		doc, _, _ = strings.Cut(doc, ": ")
		text = name + ": " + doc
	}
	if example := tag.Get("example"); example != "" {
		text = strings.TrimPrefix(text+", such as "+name+": "+example, ", such as ")
	}
	return text
}

// structure reports unknown keys, and then required ones that are missing. A key that an unknown one
// is a misspelling of is not missing as well.
func (d *decoder) structure(node *Node, target reflect.Value) {
	fields := fieldsOf(target.Type())
	if node.Kind() != Mapping {
		d.expected(node, mappingOf(fields))
		return
	}
	misspelt := map[string]bool{}
	for key, child := range node.Entries() {
		found := false
		for _, f := range fields {
			if f.name == key {
				found = true
				d.bounded(child, target.FieldByIndex(f.index), f)
			}
		}
		if !found && !d.stands(node, child, key) {
			misspelt[d.unknown(node, child, key, fields)] = true
		}
	}
	for _, f := range fields {
		if f.or != "" {
			d.either(node, f.name, f.or)
		}
		if !f.required || misspelt[f.name] {
			continue
		}
		message := fmt.Sprintf("missing required key %q", f.name)
		if child, ok := node.Get(f.name); !ok {
			d.issues = append(d.issues, Issue{node.missingAt(), node.path, message, MissingKey, f.meaning})
		} else if child.Kind() == Null && target.FieldByIndex(f.index).Type() == nodeType {
			d.issues = append(d.issues, Issue{child.Position(), child.path, message, MissingKey, f.meaning})
		}
	}
}

// mappingOf names a mapping that is expected, with its keys where they are few. Keys of a kind depend on it.
func mappingOf(fields []field) string {
	kind := func(f field) bool { return f.name == "kind" }
	if len(fields) == 0 || len(fields) > fewKeys || slices.ContainsFunc(fields, kind) {
		return "a mapping"
	}
	var names []string
	for _, f := range fields {
		names = append(names, f.name)
	}
	return fmt.Sprintf("a mapping {%s: ...}", strings.Join(names, ": ..., "))
}

// fewKeys is the number of keys that a message on a mapping names.
const fewKeys = 4

// either reports two keys of which none is there, or both are. A key whose value is null is not
// there.
func (d *decoder) either(node *Node, name, other string) {
	first, one := node.Get(name)
	second, two := node.Get(other)
	one, two = one && first.Kind() != Null, two && second.Kind() != Null
	switch {
	case one && two:
		d.issues = append(d.issues, Issue{first.KeyPosition(), first.path, fmt.Sprintf("%s and %s exclude each other; give one of them", name, other), OfValue, ""})
	case !one && !two:
		d.issues = append(d.issues, Issue{node.missingAt(), node.path, fmt.Sprintf("missing required key %q, or %q in its place", name, other), MissingKey, ""})
	}
}

// stands reports whether a key of another struct may stand in a mapping. It checks the value,
// if that is wanted.
func (d *decoder) stands(node, child *Node, key string) bool {
	other, ok := d.others[key]
	if node != d.beside || !ok {
		return false
	}
	if d.checked {
		d.bounded(child, reflect.New(other.of).Elem(), other.field)
	}
	return true
}

// bounded decodes a value, and reports one that its field's bounds leave out.
func (d *decoder) bounded(node *Node, target reflect.Value, f field) {
	if target.Type() == nodeType && node.Kind() == Null {
		return
	}
	before := len(d.issues)
	d.decode(node, target)
	if len(d.issues) > before {
		return
	}
	message := f.bounds.Refuse(target)
	if words := f.bounds.OneOf; len(words) > 0 && !slices.Contains(words, target.String()) {
		message = Unknown("value", target.String(), words)
	}
	if message != "" {
		d.issues = append(d.issues, node.Issuef("%s", message).With(OutOfBounds))
	}
}

// unknown reports a key that no field has, at the key, and returns the key that it may misspell.
func (d *decoder) unknown(node, child *Node, key string, fields []field) (meant string) {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	if node == d.beside {
		names = slices.AppendSeq(names, maps.Keys(d.others))
		slices.Sort(names)
		names = slices.Compact(names)
	}
	message := fmt.Sprintf("unknown key %q", key)
	if node.path != "" {
		message += " in " + node.path
	}
	if len(names) > 0 {
		message += suggestOf(key, names, "valid keys:", node.describing())
	} else {
		message += "; there are no valid keys"
	}
	d.issues = append(d.issues, Issue{child.KeyPosition(), child.path, message, UnknownKey, ""})
	meant, _ = Nearest(key, names)
	return meant
}

// describing is the command that prints the keys of a mapping: of its kind, or of a scenario.
func (n *Node) describing() string {
	if kind, ok := n.Get("kind"); ok && kind.Kind() == String {
		return "starling describe " + kind.Text()
	}
	return "starling describe scenario"
}
