package tabular

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestWriteWithin(t *testing.T) {
	table := Table{
		Header: []string{"arm", "claimed", "mean", "remark"},
		Rows: [][]string{
			{"a", "2 at delta 0.001, for each client's datum", "1.5 ± 0.1", ""},
			{"b", "not private", "12.5", "this arm runs without noise and says so at length"},
		},
	}
	for _, test := range []struct {
		width int
		want  string
	}{
		{0, `
arm  claimed                                         mean  remark
a    2 at delta 0.001, for each client's datum  1.5 ± 0.1
b    not private                                     12.5  this arm runs without noise and says so at length
`},
		{80, `
arm  claimed                          mean  remark
a    2 at delta 0.001, for each  1.5 ± 0.1
     client's datum
b    not private                      12.5  this arm runs without noise and
                                            says so at length
`},
		{50, `
arm  claimed                          mean
a    2 at delta 0.001, for each  1.5 ± 0.1
     client's datum
b    not private                      12.5

arm  remark
b    this arm runs without noise and says so at
     length
`},
	} {
		var b strings.Builder
		if err := table.WriteWithin(&b, test.width); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.TrimPrefix(test.want, "\n"), b.String()); diff != "" {
			t.Errorf("within %d (-want +got):\n%s", test.width, diff)
		}
	}
}

// TestRowsThatBeginAlike checks that parts of a table keep what tells rows apart.
func TestRowsThatBeginAlike(t *testing.T) {
	long := strings.Repeat("word ", 8)
	table := Table{Header: []string{"arm", "who", "x", "y"}, Rows: [][]string{{"a", "wire", long, "1"}, {"a", "peer", long, "2"}}}
	var b strings.Builder
	if err := table.WriteWithin(&b, 32); err != nil {
		t.Fatal(err)
	}
	if want := "arm  who   y\na    wire  1\na    peer  2\n"; !strings.HasSuffix(b.String(), "\n\n"+want) {
		t.Errorf("%s\nwant\n%s at the end", &b, want)
	}
}

// Whatever the cells, lines fit unless a number or the first column is too wide,
// and no word is lost.
// TestParagraphs checks that a table whose rows need two columns to be told apart is a
// paragraph for each row where it would be cut, and fits.
func TestParagraphs(t *testing.T) {
	table := Table{
		Header: []string{"data set", "file", "records", "status", "note"},
		Rows: [][]string{
			{"mnist", "train-images-idx3-ubyte.gz", "60000", "ok", "as its authors distribute it"},
			{"mnist", "t10k-images-idx3-ubyte.gz", "", "missing", ""},
		},
	}
	want := `mnist, train-images-idx3-ubyte.gz
  records  60000
  status   ok
  note     as its authors distribute
           it

mnist, t10k-images-idx3-ubyte.gz
  status   missing
`
	var b strings.Builder
	if err := table.WriteWithin(&b, 36); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWriteWithinKeepsWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(64, 120).Draw(t, "width")
		columns := rapid.IntRange(1, 8).Draw(t, "columns")
		cell := rapid.StringMatching(`([a-zé=]{1,30} ){0,6}[a-z]{1,9}`)
		table := Table{}
		row := func() (cells []string) {
			for range columns {
				cells = append(cells, cell.Draw(t, "cell"))
			}
			return cells
		}
		table.Header = row()
		for range rapid.IntRange(0, 4).Draw(t, "rows") {
			table.Rows = append(table.Rows, row())
		}
		var b strings.Builder
		if err := table.WriteWithin(&b, width); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(b.String(), "\n") {
			if n := utf8.RuneCountInString(line); n > width {
				t.Fatalf("a line of %d runes within %d:\n%s", n, width, &b)
			}
		}
		count := func(text string) (letters [256]int) {
			for _, r := range text {
				if r != ' ' && r != '\n' {
					letters[r]++
				}
			}
			return letters
		}
		var all strings.Builder
		for _, cells := range append([][]string{table.Header}, table.Rows...) {
			all.WriteString(strings.Join(cells[min(2, columns):], " "))
		}
		got, want := count(b.String()), count(all.String())
		for letter := range want {
			if got[letter] < want[letter] {
				t.Fatalf("%q is there %d times, want %d:\n%s", rune(letter), got[letter], want[letter], &b)
			}
		}
	})
}

// TestHeadings checks that headings of numbers go on in a second line where the table is else cut.
func TestHeadings(t *testing.T) {
	table := Table{
		Header: []string{"combine", "no adversaries", "little-is-enough", "loss of the run"},
		Rows:   [][]string{{"mean", "2905±199 *", "4345±538 ~", "inf"}, {"median", "6323±1664", "4086±2598 *", "1.5"}},
	}
	for width, want := range map[int]string{
		62: `combine  no adversaries  little-is-enough  loss of the run
mean         2905±199 *        4345±538 ~              inf
median        6323±1664       4086±2598 *              1.5
`,
		50: `combine  no adversaries  little-is-enough  loss of
                                           the run
mean         2905±199 *        4345±538 ~      inf
median        6323±1664       4086±2598 *      1.5
`,
	} {
		var b strings.Builder
		if err := table.WriteWithin(&b, width); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, b.String()); diff != "" || !table.Fits(width) {
			t.Errorf("within %d, fits: %v (-want +got):\n%s", width, table.Fits(width), diff)
		}
	}
}

func TestWrap(t *testing.T) {
	for text, want := range map[string][]string{
		"":                       {""},
		"one two":                {"one two"},
		"one two three":          {"one two", "three"},
		"gap=0.01,nodes=16":      {"gap=0.01,", "nodes=16"},
		"abcdefghijklmnopqrstuv": {"abcdefghij", "klmnopqrst", "uv"},
		"é é é é é é é":          {"é é é é é", "é é"},
	} {
		if diff := cmp.Diff(want, Wrap(text, 10)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// TestSignsStay checks that a sign stays in one line with its two sides, unless they are longer than a line.
func TestSignsStay(t *testing.T) {
	for text, want := range map[string][]string{
		"as for ε = 5, the next": {"as for", "ε = 5, the", "next"},
		"all are (p ≤ 0.0006)":   {"all are", "(p ≤ 0.0006)"},
		"epsilon = 0.123456":     {"epsilon =", "0.123456"},
		"ends in =":              {"ends in ="},
	} {
		if diff := cmp.Diff(want, Wrap(text, 12)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// TestHeadingsApart checks that headings are narrowed in a table of several parts, where that saves a part,
// and where one is wider than a line.
func TestHeadingsApart(t *testing.T) {
	table := Table{
		Header: []string{"arm", "standard error of the loss", "standard error of the accuracy", "accuracy on fresh data"},
		Rows:   [][]string{{"a", "0.0123 ± 0.0018", "0.0086 ± 0.0018", "0.907 ± 0.026"}},
	}
	for width, want := range map[int]int{40: 2, 24: 3} {
		var b strings.Builder
		if err := table.WriteWithin(&b, width); err != nil {
			t.Fatal(err)
		}
		if parts := strings.Count(b.String(), "arm  "); parts != want {
			t.Errorf("within %d: %d parts, want %d:\n%s", width, parts, want, &b)
		}
		for line := range strings.Lines(b.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("within %d: a line of %d:\n%s", width, n, &b)
			}
		}
	}
}
