package document

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// budget is a number or the word none.
type budget struct{ Value float64 }

func (b *budget) DecodeNode(n *Node) error {
	if n.Kind() == String && n.Value() == "none" {
		b.Value = math.Inf(1)
		return nil
	}
	if err := Decode(n, &b.Value); err != nil {
		return n.Issuef("expected a number or none, got %s", n.Text())
	}
	if b.Value <= 0 {
		return errors.New("must be positive")
	}
	return nil
}

type inner struct {
	Kind string   `yaml:"kind,required"`
	Size *int     `yaml:"size"`
	Even [2]uint8 `yaml:"even"`
}

type outer struct {
	Name    string      `yaml:"name"`
	Flag    bool        `yaml:"flag"`
	Steps   int         `yaml:"steps,required"`
	Seed    uint64      `yaml:"seed"`
	Small   int8        `yaml:"small"`
	Rate    float64     `yaml:"rate"`
	Single  float32     `yaml:"single"`
	Epsilon *budget     `yaml:"epsilon"`
	Delta   budget      `yaml:"delta"`
	Matrix  [][]float64 `yaml:"matrix"`
	Parts   []inner     `yaml:"parts"`
	Raw     *Node       `yaml:"raw"`
	Ignored string
	Absent  string `yaml:"absent"`
}

// Of two keys that exclude each other one is there, and not null; faults are found together.
func TestDecodeOneOfTwoKeys(t *testing.T) {
	type either struct {
		Sigma   *float64 `yaml:"sigma" or:"epsilon"`
		Epsilon *float64 `yaml:"epsilon"`
		Delta   float64  `yaml:"delta,required"`
	}
	type around struct {
		Inner either `yaml:",inline"`
	}
	for text, want := range map[string]string{
		"sigma: 1\ndelta: 1":                  "",
		"epsilon: 1\ndelta: 1":                "",
		"sigma: null\nepsilon: 1\ndelta: 1":   "",
		"delta: 1":                            `1:1: missing required key "sigma", or "epsilon" in its place`,
		"sigma: null\ndelta: 1":               `missing required key "sigma", or "epsilon" in its place`,
		"epsilon: 2\nsigma: 1\ndelta: 1":      `2:1: sigma: sigma and epsilon exclude each other; give one of them`,
		"{}":                                  `missing required key "delta"`,
		"{epsilon: 1, sigma: x, delta: true}": "expected a number",
	} {
		var got around
		err := Decode(mustParse(t, text).Root(), &got)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if err := Decode(mustParse(t, "{}").Root(), new(around)); err == nil || !strings.Contains(err.Error(), `missing required key "sigma"`) {
		t.Errorf("both faults: %v", err)
	}
}

func TestDecode(t *testing.T) {
	d := mustParse(t, "name: '12'\nflag: TRUE\nsteps: 1e3\nseed: 0xffffffffffffffff\nsmall: -128\nrate: 7\nsingle: .5\n"+
		"epsilon: none\ndelta: 0.1\nmatrix: [[1, 0.50], []]\n"+
		"parts: [{kind: ring, size: 010, even: [1, 2.0]}, {kind: star, size: ~}]\nraw: {kind: x, more: [1]}\n")
	got := outer{Ignored: "kept", Absent: "default"}
	if err := Decode(d.Root(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Raw.Text() != "{kind:x,more:[1]}" || got.Raw.Path() != "raw" {
		t.Errorf("raw is %s at %s", got.Raw.Text(), got.Raw.Path())
	}
	got.Raw = nil
	size := 10
	want := outer{Name: "12", Flag: true, Steps: 1000, Seed: math.MaxUint64, Small: -128, Rate: 7, Single: 0.5,
		Epsilon: &budget{math.Inf(1)}, Delta: budget{0.1}, Matrix: [][]float64{{1, 0.5}, {}},
		Parts:   []inner{{"ring", &size, [2]uint8{1, 2}}, {"star", nil, [2]uint8{}}},
		Ignored: "kept", Absent: "default"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestDecodeIssues checks that all problems of a document are found, each with
// its place, path and value.
func TestDecodeIssues(t *testing.T) {
	d := mustParse(t, `name: 12
flag: yes
seed: -1
small: 128
rate: abc
single: 1e300
epsilom: 1
epsilon: -1
delta: many
zzz: 1
matrix: [[1, x], 3]
parts:
  - kind: ring
    size: 1.5
    even: [1]
    sise: 2
  - {size: "3"}
  - ring
raw: {}
absent: ~
`)
	want := `f.yaml:1:1: missing required key "steps"
f.yaml:1:7: name: expected a string, got the number 12
f.yaml:2:7: flag: expected true or false, got the string "yes"
f.yaml:3:7: seed: expected an integer from 0 to 18446744073709551615, got the number -1
f.yaml:4:8: small: expected an integer from -128 to 127, got the number 128
f.yaml:5:7: rate: expected a number, got the string "abc"
f.yaml:6:9: single: expected a number in the range of float32, got the number 1e300
f.yaml:7:1: unknown key "epsilom"; did you mean "epsilon"?
f.yaml:8:10: epsilon: must be positive
f.yaml:9:8: delta: expected a number or none, got many
f.yaml:10:1: unknown key "zzz"; valid keys: name, flag, steps, seed, small, rate, single, epsilon, delta, matrix, parts, raw, absent
f.yaml:11:14: matrix[0][1]: expected a number, got the string "x"
f.yaml:11:18: matrix[1]: expected a sequence, got the number 3
f.yaml:14:11: parts[0].size: expected an integer, got the number 1.5
f.yaml:15:11: parts[0].even: expected 2 items, got 1
f.yaml:16:5: unknown key "sise" in parts[0]; did you mean "size"?
f.yaml:17:5: parts[1]: missing required key "kind"
f.yaml:17:12: parts[1].size: expected an integer, got the string "3"; write 3
f.yaml:18:5: parts[2]: expected a mapping, got the string "ring"
f.yaml:20:9: absent: expected a string, got null`
	err := Decode(d.Root(), new(outer))
	if err == nil {
		t.Fatal("accepted")
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestDecodeByKind is the way to read a section whose keys depend on its kind.
func TestDecodeByKind(t *testing.T) {
	d := mustParse(t, "mechanism:\n  kind: laplace\n  epsilom: 1\n")
	section, _ := d.Find("mechanism")
	kind, ok := section.Get("kind")
	if !ok || kind.Value() != "laplace" {
		t.Fatal("no kind")
	}
	var laplace struct {
		Kind    string `yaml:"kind"`
		Epsilon budget `yaml:"epsilon,required"`
	}
	want := "f.yaml:3:3: unknown key \"epsilom\" in mechanism; did you mean \"epsilon\"?"
	if err := Decode(section, &laplace); err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

func TestDecodeNumbers(t *testing.T) {
	tests := []struct {
		text    string
		integer string // the int64, or the error
		float   string // the float64, or the error
	}{
		{"1e3", "1000", "1000"},
		{"1.50e1", "15", "15"},
		{"-120e-1", "-12", "-12"},
		{"+5", "5", "5"},
		{"-0", "0", "-0"},
		{"-0.0e5", "0", "-0"},
		{"010", "10", "10"},
		{"0o17", "15", "15"},
		{"9007199254740993.0", "9007199254740993", "9007199254740992"},
		{"9223372036854775807", "9223372036854775807", "9223372036854776000"},
		{`"1_000"`, `expected an integer, got the string "1_000"; write 1000`, `expected a number, got the string "1_000"; write 1000`},
		{"ten", `expected an integer, got the string "ten"`, `expected a number, got the string "ten"`},
		{"1e-400", "expected an integer, got the number 1e-400", "expected a number, but 1e-400 is out of range"},
		{"1e99999999999", "expected an integer, got the number 1e99999999999", "expected a number, but 1e99999999999 is out of range"},
		{"1000000000000000.0001", "expected an integer, got the number 1000000000000000.0001", "1000000000000000"},
		{"9223372036854775808", "expected an integer from -9223372036854775808 to 9223372036854775807, got the number 9223372036854775808", "9223372036854776000"},
		{".nan", "expected an integer, got the number .nan", "expected a number, got .nan"},
		{"-.inf", "expected an integer, got the number -.inf", "-Inf"},
		{"+.INF", "expected an integer, got the number +.INF", "+Inf"},
		{"1e", `expected an integer, got the string "1e"`, `expected a number, got the string "1e"`},
		{"true", "expected an integer, got true", "expected a number, got true"},
		{"[]", "expected an integer, got a sequence", "expected a number, got a sequence"},
	}
	for _, test := range tests {
		n, _ := mustParse(t, "a: "+test.text).Find("a")
		var (
			i int64
			f float64
		)
		integer, float := "", ""
		if err := Decode(n, &i); err != nil {
			integer = strings.TrimPrefix(err.Error(), "f.yaml:1:4: a: ")
		} else {
			integer = fmt.Sprint(i)
		}
		if err := Decode(n, &f); err != nil {
			float = strings.TrimPrefix(err.Error(), "f.yaml:1:4: a: ")
		} else {
			float = strconv.FormatFloat(f, 'f', -1, 64)
		}
		if integer != test.integer || float != test.float {
			t.Errorf("%s: integer %s, float %s", test.text, integer, float)
		}
	}
}

// TestDecodeIntegralProperty checks the exactness of integers written as
// decimals: digits with the point moved by an exponent that moves it back.
func TestDecodeIntegralProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.Int64().Draw(t, "integer")
		shift := rapid.IntRange(0, 18).Draw(t, "shift")
		digits := strings.TrimPrefix(fmt.Sprintf("%020d", want), "-")
		point := len(digits) - shift
		text := fmt.Sprintf("%s.%se%d", digits[:point], digits[point:], shift)
		if want < 0 {
			text = "-" + text
		}
		d, err := Parse("f", []byte("a: "+text))
		if err != nil {
			t.Fatal(err)
		}
		n, _ := d.Find("a")
		var got int64
		if err := Decode(n, &got); err != nil || got != want {
			t.Fatalf("%s is %d, %v; want %d", text, got, err, want)
		}
	})
}

func TestDecodePanics(t *testing.T) {
	root := mustParse(t, "a: 1\n").Root()
	for name, destination := range map[string]any{
		"no pointer": outer{},
		"nil":        (*outer)(nil),
		"no such":    new(chan int),
		"unexported": new(struct {
			a int `yaml:"a"`
		}),
		"tag option": new(struct {
			A int `yaml:"a,omitempty"`
		}),
		"unnamed tag": new(struct {
			A int `yaml:",required"`
		}),
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			_ = Decode(root, destination)
		}()
	}
}

// Keys of other structs may stand beside those of a mapping, whatever they hold; others are
// named with all that may.
func TestDecodeBeside(t *testing.T) {
	type section struct {
		Kind string `yaml:"kind,required"`
	}
	type other struct {
		Epsilon float64 `yaml:"epsilon,required" over:"0"`
	}
	doc, err := Parse("test", []byte("{kind: none, epsilon: many, epsilonn: 1}"))
	if err != nil {
		t.Fatal(err)
	}
	var s section
	err = DecodeBeside(doc.Root(), &s, section{}, other{})
	if want := `unknown key "epsilonn"; did you mean "epsilon"?`; err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "many") || s.Kind != "none" {
		t.Errorf("%v, want %q; kind %q", err, want, s.Kind)
	}
}

// Keys of other structs may stand among those of a mapping with values that the first such
// struct takes; all faults are told, and none of the values is stored.
func TestDecodeAmong(t *testing.T) {
	type section struct {
		Kind string `yaml:"kind"`
	}
	type other struct {
		Epsilon float64 `yaml:"epsilon,required" over:"0"`
		Units   []int   `yaml:"units"`
	}
	type third struct {
		Epsilon string `yaml:"epsilon"`
	}
	for text, want := range map[string]string{
		"{kind: a, epsilon: 2, units: [1]}": "",
		"{kind: a, epsilon: many}":          "epsilon: expected a number",
		"{kind: a, epsilon: 0}":             "want a finite number > 0",
		"{units: 3}":                        "units: expected a sequence",
		"{unit: 3}":                         `unknown key "unit" in at; did you mean "units"?`,
		"[]":                                "expected a mapping, got a sequence",
	} {
		doc, err := Parse("test", []byte("at: "+text))
		if err != nil {
			t.Fatal(err)
		}
		node, _ := doc.Find("at")
		err = DecodeAmong(node, &section{}, section{}, other{}, third{})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
