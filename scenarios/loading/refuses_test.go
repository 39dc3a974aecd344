package loading_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"starling/scenarios/document"
)

// nowhere is a key that no mapping has.
const nowhere = "qqqqqqqqqqqq"

// wrong returns a value of a type that no alternative of a key has; empty where there is none.
func (w *schemaWalk) wrong(property jsonObject) string {
	types := map[any]bool{}
	var gather func(jsonObject)
	gather = func(value jsonObject) {
		for _, one := range w.alternatives(value) {
			types[one["type"]] = true
			for _, key := range []string{"oneOf", "anyOf", "type"} {
				for _, inner := range slice(one[key]) {
					if object, ok := inner.(jsonObject); ok {
						gather(object)
					} else {
						types[inner] = true
					}
				}
			}
			if one["properties"] != nil {
				types["object"] = true
			}
		}
	}
	gather(property)
	switch {
	case !types["object"]:
		return "{" + nowhere + ": 1}"
	case !types["array"]:
		return "[[7]]"
	case !types["boolean"]:
		return "true"
	}
	return ""
}

// TestRefuses gives every key of the schema a value of a wrong type, and every mapping a key
// that it has not: Load refuses each at its place, and writes nothing. Numbers out of range are
// cases of TestSchemaLimitsAreThoseOfLoad.
func TestRefuses(t *testing.T) {
	files := familyFiles(t)
	for i := range files {
		var err error
		if files[i], err = filepath.Abs(files[i]); err != nil {
			t.Fatal(err)
		}
	}
	folder := t.TempDir()
	t.Chdir(folder)
	before := map[string]document.Issues{} // by file and overrides
	was := func(file string, around []string) document.Issues {
		key := fmt.Sprint(file, around)
		if _, ok := before[key]; !ok {
			before[key] = issuesOf(t, file, around)
		}
		return before[key]
	}
	probes := 0
	refused := func(around []string, at, value string) {
		probes++
		against := func(file string) bool {
			return slices.ContainsFunc(issuesOf(t, file, append(slices.Clone(around), at+"="+value)), func(i document.Issue) bool {
				return below(i.Path, at) && !slices.Contains(was(file, around), i)
			})
		}
		if !anyOf(files, against) {
			t.Errorf("%q with %s=%s: Load has nothing against it there", around, at, value)
		}
	}
	walkSchema(t, func(w *schemaWalk, path string, object jsonObject, around []string) {
		refused(around, joined(path, nowhere), "1")
		for name, property := range object["properties"].(jsonObject) {
			at := joined(path, name)
			value := w.wrong(property.(jsonObject))
			if value == "" {
				t.Errorf("%s takes every type", at)
			}
			refused(append(slices.Clone(around), needs[at]...), at, value)
		}
	})
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Error(fmt.Sprint("checks wrote ", left), err)
	}
	t.Logf("%d values", probes)
}
