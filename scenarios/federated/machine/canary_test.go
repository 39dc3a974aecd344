package machine

import (
	"math"
	"testing"

	"starling/messages"
)

// Directions have length 1; one of them has entries that are all alike, which are the longest in
// 1-norm, and in each entry some direction has all of its length or a share.
func TestDirections(t *testing.T) {
	const length = 6
	longest := 0.0
	for _, c := range Directions(length) {
		l1, square := 0.0, 0.0
		for _, v := range c.Direction {
			l1 += math.Abs(v)
			square += v * v
		}
		if math.Abs(square-1) > 1e-12 || c.Client != 1 || len(c.Direction) != length {
			t.Errorf("%+v is of client %d, and has a 2-norm of %v", c.Direction, c.Client, math.Sqrt(square))
		}
		longest = max(longest, l1)
	}
	if math.Abs(longest-math.Sqrt(length)) > 1e-12 {
		t.Errorf("a 1-norm of %v, want %v", longest, math.Sqrt(length))
	}
}

// What a canary's client computes is longer than the clip, and turns round if it alternates; an
// absent one is zeros. Other clients compute zeros, or as many of them either pole.
func TestCanaryClient(t *testing.T) {
	at := &Setting{Clip: 0.5}
	for _, test := range []struct {
		of   Canary
		want [2]float64 // first entries
	}{
		{Canary{Direction: []float64{1, 0}}, [2]float64{4, 4}},
		{Canary{Direction: []float64{1, 0}, Alternates: true}, [2]float64{4, -4}},
		{Canary{Direction: []float64{1, 0}, In: Absent}, [2]float64{}},
	} {
		c, dst := &canaryClient{at: at, of: &test.of}, []float64{7, 7}
		for i, want := range test.want {
			if _, err := c.Update(nil, dst, nil); err != nil || dst[0] != want || dst[1] != 0 {
				t.Errorf("%+v, vector %d: %v, %v; want %v", test.of, i+1, dst, err, want)
			}
		}
	}
	for _, client := range []int{1, 3} {
		c := Canary{Client: messages.NodeID(client), Direction: []float64{1}, Others: PolarOthers}
		sum := 0.0
		for i := range 5 {
			if i+1 != client {
				sum += c.other(i).Direction[0]
			}
		}
		if sum != 0 {
			t.Errorf("around client %d the poles of 4 others have the sum %v", client, sum)
		}
	}
	c := Canary{Client: 1, Direction: []float64{1}, Others: ZeroOthers}
	if c.other(2).In != Absent {
		t.Error("zeros are not absent")
	}
}
