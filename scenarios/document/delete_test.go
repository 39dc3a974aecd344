package document

import "testing"

func TestDelete(t *testing.T) {
	doc, err := Parse("s.yaml", []byte("a: {b: 1, c: {d: 2}}\ne: [1, 2]\n\"x.y\": 3\n"))
	if err != nil {
		t.Fatal(err)
	}
	before := doc.Root().Text()
	tests := []struct{ path, want, problem string }{
		{"a.b", "{a:{c:{d:2}},e:[1,2],x.y:3}", ""},
		{"a", "{e:[1,2],x.y:3}", ""},
		{`["x.y"]`, "{a:{b:1,c:{d:2}},e:[1,2]}", ""},
		{"a.z", "", "s.yaml:1:4: a.z: there is no such key to delete"},
		{"e[0]", "{a:{b:1,c:{d:2}},e:[2],x.y:3}", ""},
		{"e[2]", "", "s.yaml:2:4: e[2]: there is no such key to delete"},
	}
	for _, test := range tests {
		changed, err := doc.Delete(test.path)
		switch {
		case err != nil && err.Error() != test.problem:
			t.Errorf("delete %s: %v, want %q", test.path, err, test.problem)
		case err == nil && changed.Root().Text() != test.want:
			t.Errorf("delete %s: %s, want %s", test.path, changed.Root().Text(), test.want)
		}
	}
	if after := doc.Root().Text(); after != before {
		t.Errorf("the document has changed to %s", after)
	}
}
