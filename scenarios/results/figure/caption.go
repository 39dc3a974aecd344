package figure

import (
	"io"
	"strings"

	"starling/actors/atomicfile"
	"starling/scenarios/results/typeset"
)

// CaptionExtensions are the ends of the names of the files with a caption, beside a figure: a
// paragraph of text, and the command \caption of LaTeX.
func CaptionExtensions() []string { return []string{".txt", ".tex"} }

// SaveCaption writes a caption beside a figure, each file whole or not at all. base is the path
// of the figure without its extension. The last sentence names the run, in either file.
func SaveCaption(sentences []string, base, extension string) error {
	format, _ := typeset.FormatOf(extension)
	_, _, err := atomicfile.Write(base+extension, func(w io.Writer) error { return typeset.Caption(w, format, sentences) })
	return err
}

// Plain returns a text of a figure as a line of plain text: with Greek letters, and without the
// braces of raised and lowered parts.
func Plain(text string) string {
	var out strings.Builder
	for line := text; line != ""; {
		base, script, raised, rest := cutScript(line)
		out.WriteString(greek(base))
		if script != "" {
			out.WriteString(map[int]string{1: "^", -1: "_"}[raised] + greek(script))
		}
		line = rest
	}
	return out.String()
}
