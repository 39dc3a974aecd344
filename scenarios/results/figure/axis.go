package figure

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"starling/mechanisms/portable"
)

// minus is the sign of negative numbers, as wide as a plus.
const minus = "\u2212"

// span is the range of an axis that grows with the data.
type span struct {
	min, max float64
	log      bool
	// whole is true if all values are whole numbers, such as steps: the marks are whole
	// numbers then.
	whole bool
	// shared is true if the values are parts of a whole: the axis does not leave 0 to 1.
	shared bool
}

// emptySpan is the range of nothing: any value includes itself in it.
func emptySpan(log bool) span { return span{min: math.Inf(1), max: math.Inf(-1), log: log} }

// include widens the range to a value.
func (s *span) include(v float64) {
	s.min, s.max = math.Min(s.min, v), math.Max(s.max, v)
}

// cut ends the range of parts of a whole at 0 and 1.
func (s *span) cut() {
	if s.shared {
		s.min, s.max = math.Max(s.min, 0), math.Min(s.max, 1)
	}
}

// widened returns the range with a margin (a fraction of its length), never
// empty, and on a linear axis never across 0 for data on one side of it.
func (s span) widened(margin float64) span {
	if s.min > s.max {
		if s.log {
			return span{min: 1, max: 10, log: true}
		}
		return span{min: 0, max: 1}
	}
	if s.log {
		return s.widenedLog(margin)
	}
	pad := (s.max - s.min) * margin
	if pad <= 1e-12*math.Max(math.Abs(s.min), math.Abs(s.max)) { // one value, up to rounding
		pad = 0.1 * math.Max(math.Abs(s.min), math.Abs(s.max))
	}
	if pad < smallest { // nothing but 0, or too small for tick labels
		return span{min: -1, max: 1}
	}
	wide := span{min: s.min - pad, max: s.max + pad, whole: s.whole}
	if s.min >= 0 {
		wide.min = math.Max(wide.min, 0)
	}
	if s.max <= 0 {
		wide.max = math.Min(wide.max, 0)
	}
	if s.shared {
		wide.max = math.Min(wide.max, 1)
	}
	return wide
}

// widenedLog is widened in decades.
func (s span) widenedLog(margin float64) span {
	pad := (portable.Log10(s.max) - portable.Log10(s.min)) * margin
	if pad < 1e-9 {
		pad = 0.5
	}
	factor := portable.Pow(10, pad)
	return span{
		min: math.Max(s.min/factor, smallest/1e5),
		max: math.Min(s.max*factor, largest*1e5),
		log: true,
	}
}

// ticks returns the marks of a range, about most of them labelled, and the factor that the
// labels are to be multiplied by, as text, "" for 1.
func (s span) ticks(most int) ([]plot.Tick, string) {
	if s.log {
		return logTicks(s.min, s.max, most)
	}
	step := niceStep((s.max - s.min) / float64(most))
	for s.marks(step) < leastMarks {
		step = niceStep(step / 2.5)
	}
	if s.whole && s.max-s.min > 2 {
		step = math.Max(step, 1)
	}
	if least := s.bare(step); least > mostEnd {
		for _, m := range []float64{0.2, 0.25, 0.4, 0.5, 1.25, 2, 2.5} { // the first have more marks
			other := step * m
			if !nice(other) || s.whole && other < 1 || s.marks(other) < leastMarks || s.marks(other) > max(most, leastMarks) {
				continue
			}
			if bare := s.bare(other); bare < least-1e-9 {
				step, least = other, bare
				if least <= mostEnd {
					break
				}
			}
		}
	}
	return linearTicks(s.min, s.max, step)
}

// mostEnd is the part of a linear axis after its last mark up to which the mark is near the end.
const mostEnd = 0.08

// bare is the part of the axis after the last multiple of a step.
func (s span) bare(step float64) float64 {
	return (s.max - math.Floor(s.max/step+1e-9)*step) / (s.max - s.min)
}

// nice reports whether a step is 1, 2 or 5 times a power of ten, or 25 or more and 2.5 times one.
func nice(step float64) bool {
	is := func(x float64) bool { return math.Abs(niceStep(x*(1-1e-12))/x-1) < 1e-6 }
	return is(step) || step >= 25 && is(step*2) && is(step*4)
}

// leastMarks is the least number of labels of a linear axis.
const leastMarks = 3

// marks is the number of multiples of a step on the axis.
func (s span) marks(step float64) int {
	return int(math.Floor(s.max/step+1e-9)) - int(math.Ceil(s.min/step-1e-9)) + 1
}

// spaced takes the labels of every second mark, or more, from an axis of a length where they would run into
// each other. A label of 0 stays.
func spaced(a *plot.Axis, length vg.Length, size func(label string) vg.Length) {
	ticks := slices.Clone(a.Tick.Marker.(plot.ConstantTicks))
	var labelled []int
	zero := 0
	for i, tick := range ticks {
		if strings.TrimSpace(tick.Label) == "" {
			continue
		}
		if tick.Value == 0 {
			zero = len(labelled)
		}
		labelled = append(labelled, i)
	}
	apart := func(every int) bool {
		var last *plot.Tick
		for k := zero % every; k < len(labelled); k += every {
			tick := &ticks[labelled[k]]
			if last != nil && vg.Length(a.Norm(tick.Value)-a.Norm(last.Value))*length < (size(tick.Label)+size(last.Label))/2 {
				return false
			}
			last = tick
		}
		return true
	}
	every := 1
	for every < len(labelled) && !apart(every) {
		every++
	}
	for k, i := range labelled {
		if k%every != zero%every {
			ticks[i].Label = " " // a mark without a label is a short one
		}
	}
	a.Tick.Marker = plot.ConstantTicks(ticks)
}

// spacedBoth is spaced for both axes of a chart with data of a size.
func spacedBoth(p *plot.Plot, data vg.Point) {
	if p.X.Tick.Label.Rotation == 0 {
		spaced(&p.X, data.X, func(label string) vg.Length { return p.X.Tick.Label.Width(label) + labelGap })
	}
	spaced(&p.Y, data.Y, func(string) vg.Length { return p.Y.Tick.Label.Font.Size })
}

// labelGap is the least distance between two labels of an x axis.
const labelGap = vg.Length(3)

// linearTicks marks multiples of a step, which is 1, 2 or 5 times a power of ten. Large and
// small numbers share a power of a thousand, which goes to the axis label.
func linearTicks(low, high, step float64) ([]plot.Tick, string) {
	shared := 0
	if far := math.Max(math.Abs(low), math.Abs(high)); far >= 1e5 || far < 1e-2 {
		shared = 3 * int(math.Floor(portable.Log10(far)/3))
	}
	// As many decimals as tell two marks apart, and no more.
	decimals := max(0, shared-int(math.Floor(portable.Log10(step)+1e-9)))
	if shown := step / math.Pow10(shared-decimals); math.Abs(shown-math.Round(shown)) > 1e-6 { // 2.5
		decimals++
	}
	var ticks []plot.Tick
	for i := math.Ceil(low/step - 1e-9); i <= high/step+1e-9; i++ {
		label := number(i*step/math.Pow10(shared), decimals)
		ticks = append(ticks, plot.Tick{Value: i * step, Label: label})
	}
	if shared == 0 {
		return ticks, ""
	}
	return ticks, "×" + powerOfTen(shared)
}

// niceStep is the least of 1, 2, 5 times a power of ten that is at least x > 0.
func niceStep(x float64) float64 {
	power := portable.Pow(10, math.Floor(portable.Log10(x)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= x*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// multiples are the multiples of decades that can have labels, from few to many.
var multiples = [][]int{{1}, {1, 2, 5}, {1, 2, 3, 5, 7}, {1, 2, 3, 4, 5, 6, 7, 8, 9}}

// fewLabels is the least number of labels of a logarithmic axis, if it can have so many.
const fewLabels = 4

// mostBare is the part of an axis that may have no label in it.
const mostBare = 0.45

// logTicks marks the decades, with the fewest multiples that make enough labels
// everywhere, or a linear scale where the range is too short for those.
func logTicks(low, high float64, most int) ([]plot.Tick, string) {
	first, last := int(math.Ceil(portable.Log10(low)-1e-9)), int(math.Floor(portable.Log10(high)+1e-9))
	// Labelled multiples are tried from few to many. The first set that has enough
	// labels, and leaves no long stretch without one, is taken.
	var sparse []plot.Tick
	labels := 0 // of sparse
	for _, labelled := range multiples {
		if len(labelled) > 1 && labels >= leastMarks && !plainDecades(first-1, last) {
			return sparse, "" // the decades are enough: 2×10^5 between them is hard to read
		}
		every := 1
		if len(labelled) == 1 {
			every = max(1, (last-first+most)/most)
		}
		ticks := decadeTicks(first-1, last, every, func(m int) bool { return slices.Contains(labelled, m) }, low, high)
		count, before, bare := 0, low, 1.0
		for _, tick := range ticks {
			if tick.Label != "" {
				count++
				before, bare = tick.Value, math.Max(bare, tick.Value/before)
			}
		}
		bare = portable.Log(math.Max(bare, high/before)) / portable.Log(high/low)
		if fewLabels <= count && count <= most+2 && bare <= mostBare {
			return ticks, ""
		}
		if sparse == nil && 2 <= count && count < fewLabels {
			sparse, labels = ticks, count
		}
	}
	if sparse != nil && high/low >= shortRange {
		return sparse, ""
	}
	return linearTicks(low, high, niceStep((high-low)/float64(most)))
}

// shortRange is the quotient of the ends of a range up to which linear marks look
// even on a logarithmic axis.
const shortRange = 5

// plainDecades reports whether the multiples of some decades are short without an exponent.
func plainDecades(first, last int) bool { return -3 <= first && last <= 4 }

// decadeTicks marks the multiples 1..9 of the decades first..last that lie in
// the range, with labels where labelled says so, every so many decades. Where
// decades are skipped, the marks between them are left out.
func decadeTicks(first, last, every int, labelled func(m int) bool, low, high float64) []plot.Tick {
	plain := plainDecades(first, last)
	var ticks []plot.Tick
	for e := first; e <= last; e++ {
		for m := 1; m <= 9; m++ {
			value := float64(m) * math.Pow10(e)
			switch {
			case value < low || value > high || every > 1 && m > 1:
			case labelled(m) && e%every == 0:
				ticks = append(ticks, plot.Tick{Value: value, Label: decadeLabel(m, e, plain)})
			default:
				ticks = append(ticks, plot.Tick{Value: value})
			}
		}
	}
	return ticks
}

// decadeLabel is m times ten to the power e: plain where all labels of the axis are
// short, else with an exponent.
func decadeLabel(m, e int, plain bool) string {
	if plain {
		return number(float64(m)*math.Pow10(e), max(0, -e))
	}
	if m == 1 {
		return powerOfTen(e)
	}
	return strconv.Itoa(m) + "×" + powerOfTen(e)
}

// powerOfTen writes the exponent raised.
func powerOfTen(e int) string { return "10^" + number(float64(e), 0) }

// number is a number with so many decimals, and with a minus as wide as a digit; a number
// that is rounded to 0 has no sign.
func number(v float64, decimals int) string {
	text := strconv.FormatFloat(math.Abs(v), 'f', decimals, 64)
	if v < 0 && strings.Trim(text, "0.") != "" {
		return minus + text
	}
	return text
}
