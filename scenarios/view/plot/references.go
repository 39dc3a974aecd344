package plot

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"starling/mechanisms/portable"
	"starling/scenarios/results/figure"
)

// reference is the point of an arm that has no place on the axis.
type reference struct {
	origin
	curvePoint
}

// endsOf returns the ends of the x axis that curves take.
func endsOf(curves []figure.Series, log bool) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, s := range curves {
		for _, x := range s.X {
			if figure.Drawable(x, log) {
				low, high = math.Min(low, x), math.Max(high, x)
			}
		}
	}
	return low, high
}

// line returns the line of the arm across the axis.
func (r *reference) line(low, high float64) figure.Series {
	return figure.Series{Name: r.arm.Name, X: []float64{low, high}, Y: []float64{r.y, r.y}, Reference: true}
}

// placeless returns the name of an arm without a place on the axis, and its value there, for
// readers.
func (p *plotter) placeless(of origin) (name, value string, err error) {
	arm := of.arm
	if p.options.Accounted() {
		loss, _, err := p.lossAt(of.run, arm)
		name = p.accountedName(arm)
		if value = lossText(loss); loss == 0 {
			return strings.TrimPrefix(name+", "+value, ", "), value, err
		}
		return cmp.Or(name, withoutNoise), value, err
	}
	if _, set := arm.Value(p.options.X); !set {
		label := shortLabel(arm)
		return label, label, nil
	}
	text, err := sweptValue(arm, p.options.X, "x", p.options.Known)
	return arm.Name, valueLabel(p.options.X, lastElement(p.options.X), text), err
}

// unboundedText is the loss of arms without a bound on it, for readers.
const unboundedText = "ε = ∞"

// lossText returns a loss without a place on a logarithmic axis for readers.
func lossText(loss float64) string {
	if loss == 0 {
		return "ε = 0"
	}
	return unboundedText
}

// references returns lines across the figure, one for each arm without noise. There are none
// without a curve to compare with. Their arms then have a place in the figure. A line has the
// colour of the curve of the same name, or, where values set the styles of curves, the colour
// for its arm's value; its dash also names the arm's value on the axis, which is no number.
func (p *plotter) references(curves []figure.Series) (lines []figure.Series, err error) {
	low, high := endsOf(curves, p.options.LogX)
	if low > high {
		return nil, nil
	}
	if p.categories != nil {
		low, high = -0.5, float64(len(p.categories))-0.5
	}
	for _, r := range p.apart {
		if !figure.Drawable(r.y, p.options.LogY) {
			continue
		}
		s := r.line(low, high)
		name, apart, err := p.placeless(r.origin)
		if err != nil {
			return nil, err
		}
		if s.Name = name; p.options.Accounted() && name == r.arm.Name {
			s.Label = r.run.label(name)
		}
		if r.half > 0 && len(p.apart) == 1 && p.categories == nil { // the bands of several hide each other
			s.Low, s.High = []float64{r.y - r.half, r.y - r.half}, []float64{r.y + r.half, r.y + r.half}
		}
		if p.options.Facet != "" {
			s.Name = p.armName(r.arm)
			s.Label = joinedLabel(restLabel(r.arm, p.options.X, p.options.Facet), apart)
		}
		of, err := p.name(r.run, r.arm, noNode, &asLabel)
		if err != nil {
			return nil, err
		}
		coloured := slices.ContainsFunc(curves, func(s figure.Series) bool { return s.Shown() == of && of != "" })
		if p.options.Hue != "" || p.options.Dash != "" || coloured {
			s.Hue = of
			if p.options.Hue != "" || p.options.Dash != "" {
				s.Hue, s.Dash, err = p.styles(&plotCurve{name: s.Name, from: []origin{r.origin}})
			}
			if err != nil {
				return nil, err
			}
			s.Dash = strings.TrimPrefix(s.Dash+", ", ", ") + apart
		} else if s.Name == r.arm.Name && !p.options.Accounted() { // its name is read
			s.Name = joinedLabel(restLabel(r.arm, p.options.X), apart)
		}
		if p.choiceOf[s.Name] == "" {
			p.choiceOf[s.Name], p.armOf[s.Name] = withoutEpsilon(r.arm), r.arm.Name
		}
		lines = append(lines, s)
		p.without--
	}
	return merged(lines, curves, p.options.LogY), nil
}

// joinedLabel returns the label of a line across: of its arm, and of its value on the axis, unless that is the same.
func joinedLabel(arm, value string) string {
	if arm == value {
		return arm
	}
	return strings.TrimPrefix(arm+", "+value, ", ")
}

// sameLine is the part of the y axis within which lines across hide each other.
const sameLine = 0.01

// merged returns one line in place of lines across that would hide each other, of those with one loss, at their mean
// and with the name that they share.
func merged(lines, curves []figure.Series, log bool) (list []figure.Series) {
	var values []string
	for _, s := range lines {
		if !slices.Contains(values, s.Dash) {
			values = append(values, s.Dash)
		}
	}
	for _, value := range values {
		alike := slices.DeleteFunc(slices.Clone(lines), func(s figure.Series) bool { return s.Dash != value })
		list = append(list, mergedLines(alike, slices.Concat(lines, curves), log)...)
	}
	return list
}

// mergedLines is merged for lines with one loss, on the axis of all curves.
func mergedLines(lines, all []figure.Series, log bool) []figure.Series {
	if len(lines) < 2 || lines[0].Dash == "" {
		return lines
	}
	low, high := extent(all, log)
	least, most := extent(lines, log)
	if most-least > sameLine*(high-low) {
		return lines
	}
	one := figure.Series{Name: lines[0].Dash, X: lines[0].X, Reference: true}
	if one.Name == unboundedText {
		one.Name = withoutNoise
	}
	mean := 0.0
	for _, s := range lines {
		mean += s.Y[0] / float64(len(lines))
	}
	one.Y = []float64{mean, mean}
	return []figure.Series{one}
}

// extent returns the least and the largest value of curves, as they lie on the axis.
func extent(curves []figure.Series, log bool) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, s := range curves {
		for _, y := range s.Y {
			if !figure.Drawable(y, log) {
				continue
			}
			if log {
				y = portable.Log(y)
			}
			low, high = math.Min(low, y), math.Max(high, y)
		}
	}
	return low, high
}
