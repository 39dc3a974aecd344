package figure

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/plot"
)

// labels joins the labelled ticks and the factor.
func labels(s span, most int) string {
	ticks, factor := s.ticks(most)
	var texts []string
	for _, tick := range ticks {
		if tick.Label != "" {
			texts = append(texts, tick.Label)
		}
	}
	return strings.TrimSpace(strings.Join(texts, " ") + "; " + factor)
}

func TestTickLabels(t *testing.T) {
	tests := map[string]struct {
		s    span
		want string
	}{
		"unit":         {span{min: 0, max: 1}, "0.0 0.2 0.4 0.6 0.8 1.0;"},
		"five steps":   {span{min: 0.9, max: 5.1, whole: true}, "1 2 3 4 5;"},
		"many steps":   {span{min: 0, max: 102, whole: true}, "0 20 40 60 80 100;"},
		"one step":     {span{min: 0.9, max: 1.1, whole: true}, "0.90 0.95 1.00 1.05 1.10;"},
		"negative":     {span{min: -30, max: 30}, "−30 −20 −10 0 10 20 30;"},
		"thousands":    {span{min: 0, max: 5000}, "0 1000 2000 3000 4000 5000;"},
		"millions":     {span{min: 0, max: 2.5e6}, "0.0 0.5 1.0 1.5 2.0 2.5; ×10^6"},
		"small":        {span{min: 0, max: 4e-4}, "0 100 200 300 400; ×10^−6"},
		"decades":      {span{min: 0.5, max: 2000, log: true}, "1 10 100 1000;"},
		"far decades":  {span{min: 2e-6, max: 3, log: true}, "10^−5 10^−4 10^−3 10^−2 10^−1 10^0;"},
		"two by two":   {span{min: 2e-8, max: 3, log: true}, "10^−6 10^−4 10^−2 10^0;"},
		"many decades": {span{min: 1e-24, max: 1, log: true}, "10^−24 10^−20 10^−16 10^−12 10^−8 10^−4 10^0;"},
		"one decade":   {span{min: 1, max: 20, log: true}, "1 2 5 10 20;"},
		"far decade":   {span{min: 1e-6, max: 2e-5, log: true}, "10^−6 2×10^−6 5×10^−6 10^−5 2×10^−5;"},
		"below one":    {span{min: 0.6, max: 4, log: true}, "0.7 1 2 3;"},
		"bare above":   {span{min: 0.52, max: 1.9, log: true}, "0.6 0.8 1.0 1.2 1.4 1.6 1.8;"},
		"over one":     {span{min: 55, max: 400, log: true}, "70 100 200 300;"},
		"two and more": {span{min: 0.15, max: 60, log: true}, "0.2 0.5 1 2 5 10 20 50;"},
		"half":         {span{min: 2, max: 6.3, log: true}, "2 3 4 5 6;"},
		"a third":      {span{min: 1.1, max: 2.3, log: true}, "1.2 1.4 1.6 1.8 2.0 2.2;"},
		"next to none": {span{min: 100000.1, max: 100000.9, log: true}, "100.0002 100.0004 100.0006 100.0008; ×10^3"},
		"no decade":    {span{min: 300, max: 350, log: true}, "300 310 320 330 340 350;"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, labels(test.s, 7)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestEveryAxisIsLabelled: any range gets three labels at least and not many
// more than asked for, all within it and apart.
func TestEveryAxisIsLabelled(t *testing.T) {
	const most = 7
	for _, log := range []bool{false, true} {
		for exponent := -200.0; exponent <= 200; exponent += 7.3 {
			for _, ratio := range []float64{1.001, 1.7, 3, 5, 9, 30, 300, 1e4, 1e9, 1e40} {
				s := span{min: math.Pow(10, exponent), max: math.Pow(10, exponent) * ratio, log: log}.widened(0.04)
				ticks, _ := s.ticks(most)
				checkTicks(t, s, ticks, most)
			}
		}
	}
}

func checkTicks(t *testing.T, s span, ticks []plot.Tick, most int) {
	t.Helper()
	seen := map[string]bool{}
	slack := 1e-9 * math.Max(math.Abs(s.min), math.Abs(s.max))
	for _, tick := range ticks {
		if tick.Value < s.min-slack || tick.Value > s.max+slack {
			t.Errorf("%+v: tick %v lies outside", s, tick.Value)
		}
		if tick.Label != "" && seen[tick.Label] {
			t.Errorf("%+v: label %q twice", s, tick.Label)
		}
		seen[tick.Label] = true
	}
	delete(seen, "")
	if len(seen) < 3 || len(seen) > most+2 {
		t.Errorf("%+v: %d labels", s, len(seen))
	}
}

func TestWidened(t *testing.T) {
	tests := map[string]struct{ in, want span }{
		"margin":       {span{min: 1, max: 2}, span{min: 0.9, max: 2.1}},
		"not past 0":   {span{min: 0, max: 2}, span{min: 0, max: 2.2}},
		"below 0":      {span{min: -2, max: -0.1}, span{min: -2.19, max: 0}},
		"one value":    {span{min: 10, max: 10}, span{min: 9, max: 11}},
		"zero":         {span{}, span{min: -1, max: 1}},
		"nothing":      {emptySpan(false), span{min: 0, max: 1}},
		"log nothing":  {emptySpan(true), span{min: 1, max: 10, log: true}},
		"log decade":   {span{min: 1, max: 10, log: true}, span{min: math.Pow(10, -0.1), max: math.Pow(10, 1.1), log: true}},
		"log constant": {span{min: 1, max: 1, log: true}, span{min: math.Pow(10, -0.5), max: math.Pow(10, 0.5), log: true}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := test.in.widened(0.1)
			near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Max(1, math.Abs(b)) }
			if !near(got.min, test.want.min) || !near(got.max, test.want.max) || got.log != test.want.log {
				t.Errorf("%+v, want %+v", got, test.want)
			}
		})
	}
}

func TestSuperscripts(t *testing.T) {
	tests := map[string][]piece{
		"plain":                 {{text: "plain"}},
		"T^2 and x^n":           {{text: "T"}, {text: "2", raised: 1}, {text: " and x^n"}},
		"10^−16":                {{text: "10"}, {text: "−16", raised: 1}},
		"^3":                    {{text: "3", raised: 1}},
		"a^−":                   {{text: "a^−"}},
		`\epsilon_{max} of x_t`: {{text: "ε"}, {text: "max", raised: -1}, {text: " of x_t"}},
		`e^{\eta t}`:            {{text: "e"}, {text: "η t", raised: 1}},
		"a_{}^{b":               {{text: "a_{}^{b"}},
	}
	for text, want := range tests {
		if diff := cmp.Diff(want, split(text), cmp.AllowUnexported(piece{})); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func TestElide(t *testing.T) {
	style := textStyle(10)
	name := "topology=ring epsilon=0.125"
	if got := elide(name, style.Width(name), style); got != name {
		t.Errorf("%q was cut to %q though it fits", name, got)
	}
	got := elide(name, style.Width(name)/2, style)
	if !strings.HasPrefix(got, "topo") || !strings.HasSuffix(got, "0.125") || !strings.Contains(got, "…") || style.Width(got) > style.Width(name)/2 {
		t.Errorf("%q", got)
	}
}
