package shell

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// TestWrapLine: a wrapped line goes on below its text, and one that fits is as it was.
func TestWrapLine(t *testing.T) {
	for _, test := range []struct {
		line  string
		width int
		want  string
	}{
		{"fits", 0, "fits"},
		{"a line of several words", 40, "a line of several words"},
		{"a line of several words and one more", 24, "a line of several words\nand one more"},
		{"time    about a second on two cores as busy as now", 40, "time    about a second on two cores as\n        busy as now"},
		{"  an indented line of several words", 26, "  an indented line of\n  several words"},
	} {
		if got := WrapLine(test.line, test.width); got != test.want {
			t.Errorf("%q in %d columns is %q, want %q", test.line, test.width, got, test.want)
		}
	}
}

// TestWrapLineLosesNothing: the words stay, in their order, and lines fit where no word is
// longer than what a line has beside its indent.
func TestWrapLineLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-zé±]{1,12}`), 1, 30).Draw(t, "words")
		line := strings.Repeat(" ", rapid.IntRange(0, 6).Draw(t, "indent")) + strings.Join(words, " ")
		width := rapid.IntRange(40, 90).Draw(t, "width")
		got := WrapLine(line, width)
		if a, b := strings.Join(strings.Fields(got), " "), strings.Join(words, " "); a != b {
			t.Fatalf("%q became %q", b, a)
		}
		for part := range strings.SplitSeq(got, "\n") {
			if utf8.RuneCountInString(part) > width {
				t.Fatalf("%q is wider than %d", part, width)
			}
		}
	})
}
