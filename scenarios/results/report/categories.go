package report

import (
	"slices"

	"starling/scenarios/results/figure"
)

// besideRoom is the part of a category in which the points of its series stand beside each other, and mostBeside the number of
// styles that have one place in all categories: of more each category has places for its own.
const (
	besideRoom = 0.7
	mostBeside = 8
)

// styleOf is the colour and the dash of a series, which tell it from others of a chart, or else its name.
func styleOf(s *figure.Series) string {
	if s.Hue+s.Dash != "" {
		return s.Hue + "\n" + s.Dash
	}
	return s.Name
}

// besides are the styles of the series of a figure over categories, in the order of their places: of the whole figure, and of
// each category.
type besides struct {
	all []string
	at  map[int][]string
}

// besidesOf returns the places of the series of a figure; empty for a figure without categories. Lines across have no place.
func besidesOf(f *figure.Figure) besides {
	b := besides{at: map[int][]string{}}
	if f.Categories == nil {
		return b
	}
	for _, panel := range f.Charts() {
		for i := range panel.Series {
			s := &panel.Series[i]
			if s.Reference {
				continue
			}
			style := styleOf(s)
			if !slices.Contains(b.all, style) {
				b.all = append(b.all, style)
			}
			for _, x := range s.X {
				if k := int(x); !slices.Contains(b.at[k], style) {
					b.at[k] = append(b.at[k], style)
				}
			}
		}
	}
	return b
}

// moved returns a series with its points at its places in their categories, and with intervals as bars.
func (b besides) moved(s *figure.Series) *figure.Series {
	if len(b.all) == 0 || s.Reference {
		return s
	}
	style, out := styleOf(s), *s
	out.X, out.Bars = slices.Clone(s.X), true
	for i, x := range s.X {
		styles := b.all
		if len(b.all) > mostBeside {
			styles = b.at[int(x)]
		}
		out.X[i] += besideRoom * (float64(slices.Index(styles, style)) - float64(len(styles)-1)/2) / float64(len(styles))
	}
	return &out
}
