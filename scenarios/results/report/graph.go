package report

import (
	"html/template"
	"strings"

	"starling/scenarios/results/diagram"
)

// drawing is the picture of a graph, or nothing for one too large. Every text in it is escaped.
func drawing(g *diagram.Graph) template.HTML {
	return template.HTML(strings.Join(diagram.Pieces(g), ""))
}
