package figure

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestEndNames writes names at the ends of curves where they tell few of them apart.
func TestEndNames(t *testing.T) {
	across := span{min: 0, max: 10}
	ends := func(change func(f *Figure)) int {
		f := curves(3, 10)
		change(&f)
		return len(f.endNames(across))
	}
	for name, test := range map[string]struct {
		change func(f *Figure)
		want   int
	}{
		"few":                 {func(*Figure) {}, 3},
		"of a ramp":           {func(f *Figure) { f.Series[1].Hue, f.Ramp = "ε = 1", []string{"ε = 1"} }, 3},
		"one without a name":  {func(f *Figure) { f.Series[1].Name = "" }, 2},
		"two of one name":     {func(f *Figure) { f.Series[1].Name = "arm 1" }, 0},
		"one ends early":      {func(f *Figure) { s := &f.Series[1]; s.X, s.Y = s.X[:5], s.Y[:5] }, 0},
		"one without a point": {func(f *Figure) { s := &f.Series[1]; s.Y = slices.Repeat([]float64{math.NaN()}, len(s.X)) }, 0},
		"one with a dash":     {func(f *Figure) { f.Series[1].Hue, f.Series[1].Dash = "a", "b" }, 0},
		"a line of a curve":   {func(f *Figure) { s := &f.Series[1]; s.Hue, s.Dash, s.Reference = "arm 1", "b", true }, 3},
		"dots":                {func(f *Figure) { f.Series[1].Dots = true }, 0},
		"many":                {func(f *Figure) { *f = curves(mostEnds+1, 10) }, 0},
		"panels":              {func(f *Figure) { f.Panels, f.Series = []Panel{{Series: f.Series}}, nil }, 0},
	} {
		if got := ends(test.change); got != test.want {
			t.Errorf("%s: %d names, want %d", name, got, test.want)
		}
	}
}

// TestApart holds that heights are moved apart, stay in order and on the page, and stay where
// they are if they are apart.
func TestApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		heights := rapid.SliceOfN(rapid.Float64Range(0, 100), 1, 8).Draw(t, "heights")
		slices.Sort(heights)
		moved := apart(slices.Clone(heights), 10, 0, 100)
		wide := true
		for i := range moved {
			if i > 0 {
				wide = wide && heights[i]-heights[i-1] >= 10
			}
			if moved[i] < -1e-9 || moved[i] > 100+1e-9 || i > 0 && moved[i]-moved[i-1] < 10-1e-9 {
				t.Fatalf("%v becomes %v", heights, moved)
			}
		}
		if wide && heights[len(heights)-1] <= 100 {
			for i := range moved {
				if math.Abs(moved[i]-heights[i]) > 1e-9 {
					t.Fatalf("%v becomes %v", heights, moved)
				}
			}
		}
	})
}

// TestRamp goes from light to dark, in even steps of lightness.
func TestRamp(t *testing.T) {
	lightness := func(degree, of int) float64 {
		c := rampColor(ramp, degree, of)
		return 0.2126*float64(c.R) + 0.7152*float64(c.G) + 0.0722*float64(c.B)
	}
	for of := 2; of <= 13; of++ {
		even := (lightness(0, of) - lightness(of-1, of)) / float64(of-1)
		for degree := 1; degree < of; degree++ {
			if drop := lightness(degree-1, of) - lightness(degree, of); drop < even/2 || drop > even*2 {
				t.Errorf("degree %d of %d: %g darker", degree, of, drop)
			}
		}
	}
}
