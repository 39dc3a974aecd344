package shell

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"pgregory.net/rapid"
)

// TestVerb holds the page of a verb against what is known of it.
func TestVerb(t *testing.T) {
	root := &cobra.Command{Use: "prog", Run: func(*cobra.Command, []string) {}}
	verb := &cobra.Command{
		Use: "do FILE", Short: "Do it", Example: "  prog do 'a'",
		Long: "Do it\nwith a \\ and é.\n\n.leading dot\n\n  in  columns",
		Run:  func(*cobra.Command, []string) {},
	}
	verb.Flags().String("out", "x", "the `FOLDER` to use")
	root.AddCommand(verb)
	want := `.TH "PROG\-DO" 1 "" "Starling 1.0" "Starling"
.SH NAME
prog\-do \- Do it
.SH SYNOPSIS
.B prog do
FILE [flags]
.SH DESCRIPTION
.PP
Do it
with a \e and \[u00E9].
.PP
\&.leading dot
.PP
.nf
  in  columns
.fi
.SH OPTIONS
.TP
\fB\-h\fR, \fB\-\-help\fR
help for do
.TP
\fB\-\-out\fR \fIFOLDER\fR
the FOLDER to use (default x)
.SH EXAMPLES
.PP
.nf
  prog do \(aqa\(aq
.fi
.SH SEE ALSO
\fBprog\fR(1),
\fBprog\-more\fR(7)
`
	if got := ManualVerb(verb, "1.0", "prog-more"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestTopic holds the page of a topic against its Markdown.
func TestTopic(t *testing.T) {
	source := "# A title\n\nText with `code-a\n...b` and *more*,\nsee [there](https://example.org/x) or [here](x.md).\n\n## Part\n\n- one\n- two\n\n1. first\n\n| a | b |\n| --- | --- |\n| x | y |\n\n```sh\n.run 'it'\n```\n"
	want := `.TH "T" 7 "" "Starling 1.0" "Starling"
.SH NAME
t \- A title
.SH DESCRIPTION
.PP
Text with \fBcode\-a ...b\fR and \fImore\fR, see there (https://example.org/x) or here.
.SH Part
.IP \(bu 2
one
.IP \(bu 2
two
.IP 1. 4
first
.TP
\fBx\fR
y
.PP
.nf
  .run \(aqit\(aq
.fi
`
	got, err := ManualTopic("t", "1.0", []byte(source))
	if err != nil || got != want {
		t.Errorf("%v, got\n%s\nwant\n%s", err, got, want)
	}
	if _, err := ManualTopic("t", "1.0", []byte("> quoted\n")); err == nil || !strings.Contains(err.Error(), "Blockquote") {
		t.Errorf("a quotation: %v", err)
	}
}

// TestAnyTextIsItself writes any words into a page and has groff, where there is one, print
// them: it warns of nothing, and the words come back.
func TestAnyTextIsItself(t *testing.T) {
	if _, err := exec.LookPath("groff"); err != nil {
		t.Skip("no groff")
	}
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[!-~]{1,12}`), 1, 8).Draw(t, "words")
		p := manualPage{}
		p.title("t", VerbSection, "1", "s")
		p.line(".SH X")
		p.paragraphs("Begin " + strings.Join(words, " "))
		p.paragraphs(strings.Join(words, " "))
		groff := exec.Command("groff", "-man", "-Tascii", "-ww", "-P-c", "-rLL=900n")
		groff.Stdin = strings.NewReader(p.String())
		var warned strings.Builder
		groff.Stderr = &warned
		printed, err := groff.Output()
		if err != nil || warned.Len() > 0 {
			t.Fatalf("%v: %s", err, &warned)
		}
		got := strings.Join(strings.Fields(string(printed)), " ")
		if want := strings.Join(words, " "); strings.Count(got, want) < 2 {
			t.Fatalf("%q is not twice in %q", want, got)
		}
	})
}
