package document

import "testing"

// Every bound has a message of its own, at the value; what is beyond is stored.
func TestDecodeBounds(t *testing.T) {
	type bounded struct {
		Steps int     `yaml:"steps" min:"1" max:"9" says:"%v steps"`
		Base  uint64  `yaml:"base" min:"0" max:"5"`
		Share float64 `yaml:"share" min:"0" max:"1"`
		Node  *int    `yaml:"node" min:"1"`
		Rate  float64 `yaml:"rate" over:"0" says:"a rate of %v"`
		Delta Number  `yaml:"delta" min:"0" under:"1"`
		Kind  string  `yaml:"kind" oneof:"drop use"`
		Title string  `yaml:"title" min:"1" max:"3" says:"%v letters"`
		Parts []int   `yaml:"parts" min:"2" says:"%v parts"`
		More  *Node   `yaml:"more"`
	}
	for text, want := range map[string]string{
		"steps: 9\nbase: 5\nshare: 1\nnode: 1\n": "",
		"steps: 0\nbase: 6\nshare: 1.5\nnode: 0\n": "f.yaml:1:8: steps: 0 steps; want 1 to 9\nf.yaml:2:7: base: 6; want at most 5\n" +
			"f.yaml:3:8: share: 1.5; want a probability, 0 to 1\nf.yaml:4:7: node: 0; want at least 1",
		"node: null\nmore: null\n":                                    "",
		"rate: 0.1\ndelta: 0\nkind: use\ntitle: abc\nparts: [1, 2]\n": "",
		"rate: 0\ndelta: 1/1\nkind: dorp\ntitle: abcd\nparts: []\n": "f.yaml:1:7: rate: a rate of 0; want a finite number > 0\nf.yaml:2:8: delta: 1; want a number >= 0 and < 1\n" +
			"f.yaml:3:7: kind: unknown value \"dorp\"; did you mean \"drop\"?\nf.yaml:4:8: title: 4 letters; want 1 to 3\nf.yaml:5:8: parts: 0 parts; want at least 2",
		"rate: .inf\nkind: both\n": "f.yaml:1:7: rate: a rate of +Inf; want a finite number > 0\nf.yaml:2:7: kind: unknown value \"both\"; known: drop, use",
	} {
		d, err := Parse("f.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got, v := "", bounded{Steps: 3}
		if err := Decode(d.Root(), &v); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
		if v.More != nil {
			t.Errorf("%q: a null is %v", text, v.More)
		}
		if _, given := d.Find("steps"); given != (v.Steps != 3) {
			t.Errorf("%q: %d steps", text, v.Steps)
		}
	}
}
