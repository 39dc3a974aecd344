package dataset

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"starling/mechanisms/rng"
)

// Classes are linearly separable while the noise is below the contrast: the
// linear score that weighs a pixel by the sign of its class's shade is largest
// for the true class. The signs are taken from the training part's mean
// images, which noise cannot turn over, and the test part is classified.
func TestSyntheticIsSeparable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := SyntheticOptions{
			Classes: rapid.IntRange(2, 12).Draw(t, "classes"), Train: 40, Test: 40,
			Channels: rapid.IntRange(1, 3).Draw(t, "channels"), Rows: rapid.IntRange(5, 9).Draw(t, "rows"), Columns: rapid.IntRange(5, 9).Draw(t, "columns"),
			Block: rapid.IntRange(1, 2).Draw(t, "block"), Contrast: rapid.IntRange(1, 127).Draw(t, "contrast"),
		}
		o.Noise = rapid.IntRange(0, o.Contrast-1).Draw(t, "noise")
		set, err := NewSynthetic(o, rng.NewKey(rapid.Uint64().Draw(t, "key"), 0))
		if err != nil {
			t.Fatal(err)
		}
		d := set.Train.Shape.Dim()
		weights := make([][]int, o.Classes)
		for i := range set.Train.Len() {
			label := set.Train.Labels[i]
			if weights[label] != nil {
				continue
			}
			weights[label] = make([]int, d)
			for j, v := range set.Train.Bytes(i) {
				weights[label][j] = 1
				if v < 128 {
					weights[label][j] = -1
				}
			}
		}
		for i := range set.Test.Len() {
			best, label := -1<<62, -1
			for c, w := range weights {
				score := 0
				for j, v := range set.Test.Bytes(i) {
					score += w[j] * (int(v) - 128)
				}
				if score > best {
					best, label = score, c
				}
			}
			if label != int(set.Test.Labels[i]) {
				t.Fatalf("%+v: image %d of class %d scores highest for %d", o, i, set.Test.Labels[i], label)
			}
		}
	})
}

func TestSyntheticIsAFunctionOfItsKey(t *testing.T) {
	a, b := small(t, Shape{3, 16, 20}, 30, 20), small(t, Shape{3, 16, 20}, 30, 20)
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("another time it differs\n%s", diff)
	}
	if want := slices.Repeat([]int{3}, 10); !slices.Equal(a.Train.Counts(10), want) || a.Train.Len() != 30 || a.Test.Len() != 20 || a.Subset || a.Classes != 10 || a.Name != "synthetic" {
		t.Errorf("counts %v, want %v", a.Train.Counts(10), want)
	}
	if bytes.Equal(a.Train.All()[:len(a.Test.All())], a.Test.All()) {
		t.Error("the test images are the training images")
	}
	o := DefaultSyntheticOptions()
	o.Train, o.Test = 30, 20
	other, err := NewSynthetic(o, testKey.Of(1))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(small(t, Shape{1, 28, 28}, 30, 20).Train.All(), other.Train.All()) {
		t.Error("another key gives the same images")
	}
}

func TestSyntheticRefuses(t *testing.T) {
	for want, change := range map[string]func(*SyntheticOptions){
		"classes: is 1, want 2 to 256":                                      func(o *SyntheticOptions) { o.Classes = 1 },
		"noise: is 256, want 0 to 255":                                      func(o *SyntheticOptions) { o.Noise = 256 },
		"block: is 14, which leaves 4 squares, too few for 10 classes":      func(o *SyntheticOptions) { o.Block = 14 },
		"train: is 6000, and images of 16777216 values exceed 1073741824 b": func(o *SyntheticOptions) { o.Rows, o.Columns = 4096, 4096 },
	} {
		o := DefaultSyntheticOptions()
		change(&o)
		if _, err := NewSynthetic(o, testKey); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
