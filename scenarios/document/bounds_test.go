package document

import "testing"

// Every bound has a message of its own, at the value; what is beyond is stored.
func TestDecodeBounds(t *testing.T) {
	type bounded struct {
		Steps int     `yaml:"steps" min:"1" max:"9" says:"%v steps"`
		Base  uint64  `yaml:"base" min:"0" max:"5"`
		Share float64 `yaml:"share" min:"0" max:"1"`
		Node  *int    `yaml:"node" min:"1"`
	}
	for text, want := range map[string]string{
		"steps: 9\nbase: 5\nshare: 1\nnode: 1\n": "",
		"steps: 0\nbase: 6\nshare: 1.5\nnode: 0\n": "f.yaml:1:8: steps: 0 steps; want 1 to 9\nf.yaml:2:7: base: 6; want at most 5\n" +
			"f.yaml:3:8: share: 1.5; want a probability, 0 to 1\nf.yaml:4:7: node: 0; want at least 1",
		"node: null\n": "",
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
		if _, given := d.Find("steps"); given != (v.Steps != 3) {
			t.Errorf("%q: %d steps", text, v.Steps)
		}
	}
}
