package command

import (
	"bytes"
	"strings"
	"testing"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/guide"
)

// TestKeysOfForms writes the keys of a mapping with several forms below the name of each form, and no line
// is wider than a narrow terminal.
func TestKeysOfForms(t *testing.T) {
	var page bytes.Buffer
	writeKeys(&page, []guide.Option{
		{Key: "groups", Type: "mapping", Text: "nodes with an epsilon of their own"},
		{Key: "groups[].first", Type: "integer", Text: "the first node", Form: guide.List},
		{Key: "groups.file", Type: "text", Text: "a file", Form: "file", Required: true},
		{Key: "rate", Type: "number", Unit: "nats", Text: "a rate"},
	})
	text, err := shell.Markdown(page.Bytes(), 44, false)
	if err != nil {
		t.Fatal(err)
	}
	want := `- groups: mapping
  Nodes with an epsilon of their own.

  As a list:

  - groups[].first: integer
    The first node.

  With ` + "`file`" + `:

  - groups.file: text; required
    A file.

- rate: number, nats
  A rate.
`
	if text != want {
		t.Errorf("%s\nwant\n%s", text, want)
	}
	for line := range strings.Lines(text) {
		if len([]rune(line)) > 45 {
			t.Errorf("a line of %d columns: %s", len(line), line)
		}
	}
}
