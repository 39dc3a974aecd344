package report

import (
	"html/template"
	"regexp"
	"strings"

	"starling/scenarios/results/diagram"
)

// titled finds the title of a picture in SVG, which is escaped.
var titled = regexp.MustCompile(`role="img"><title>([^<]*)</title>`)

// labelled gives pictures in SVG their titles as labels, too: not all readers of screens take a title.
func labelled(svg string) string {
	return titled.ReplaceAllString(svg, `role="img" aria-label="$1"><title>$1</title>`)
}

// drawing is the picture of a graph, or nothing for one too large. Every text in it is escaped.
func drawing(g *diagram.Graph) template.HTML {
	return template.HTML(labelled(strings.Join(diagram.Pieces(g), "")))
}
