package dataset

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"starling/mechanisms/rng"
)

// drawnOf draws the data of the first parties.
func drawnOf(t testing.TB, o PartitionOptions, labels []uint8, parties int) Partition {
	t.Helper()
	o.Kind = PartitionDrawn
	p, err := Split(o, labels, parties, testKey)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestDrawnProperties: a party has Size distinct data, ascending, of so many labels where they are given, and
// the same ones however many parties there are.
func TestDrawnProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		labels := cyclic(rapid.IntRange(30, 200).Draw(t, "data"), 10)
		o := PartitionOptions{Kind: PartitionDrawn, Size: rapid.IntRange(1, 30).Draw(t, "size")}
		switch rapid.IntRange(0, 2).Draw(t, "law") {
		case 1:
			o.Alpha = rapid.SampledFrom([]float64{1e-6, 0.1, 1, 100}).Draw(t, "alpha")
		case 2:
			o.Labels = rapid.IntRange((o.Size+2)/3, min(o.Size, 10)).Draw(t, "labels")
		}
		key := rng.NewKey(rapid.Uint64().Draw(t, "key"), 0)
		few, err := Split(o, labels, 3, key)
		if err != nil {
			t.Fatal(err)
		}
		d, err := NewDrawn(o, labels)
		if err != nil {
			t.Fatal(err)
		}
		for party, indices := range few {
			if !slices.Equal(d.Of(party, key), indices) || len(indices) != o.Size || !slices.IsSorted(indices) {
				t.Fatalf("%+v: party %d has %v, and %v alone", o, party, indices, d.Of(party, key))
			}
			seen := map[uint8]bool{}
			for k, index := range indices {
				if seen[labels[index]] = true; k > 0 && index == indices[k-1] {
					t.Fatalf("%+v: party %d has index %d twice", o, party, index)
				}
			}
			if o.Labels > 0 && len(seen) != o.Labels {
				t.Fatalf("%+v: party %d has %d labels", o, party, len(seen))
			}
		}
		if far := d.Of(999_999_999, key); len(far) != o.Size {
			t.Fatalf("%+v: the last of a billion parties has %d data", o, len(far))
		}
	})
}

// TestDrawnShares: of m parties with s data each, of which a label has a share q, the mean share is 1/L and its
// variance is that of Dirichlet shares and of s draws by them,
//
//	v (s - 1)/s + (1/L)(1 - 1/L)/s, v = (1/L)(1 - 1/L)/(L alpha + 1),
//
// where the data of a label do not run out; alpha = +Inf are even shares. The squares are at most 1, so that by
// Hoeffding's inequality a mean is farther from it than the tolerance with a chance below chance.
func TestDrawnShares(t *testing.T) {
	const classes, size, parties = 5, 8, 20_000
	labels := cyclic(classes*1000, classes)
	tolerance := math.Sqrt(math.Log(2/chance) / (2 * parties))
	even := (1.0 / classes) * (1 - 1.0/classes)
	for _, alpha := range []float64{0, 0.1, 1, 20} {
		spread := 0.0
		if alpha > 0 {
			spread = even / (classes*alpha + 1)
		}
		want := spread*(size-1)/size + even/size
		if alpha == 0 { // without replacement from all
			want *= float64(len(labels)-size) / float64(len(labels)-1)
		}
		drawn := drawnOf(t, PartitionOptions{Size: size, Alpha: alpha}, labels, parties)
		for label := range uint8(classes) {
			mean, square := 0.0, 0.0
			for _, indices := range drawn {
				share := 0.0
				for _, index := range indices {
					if labels[index] == label {
						share += 1.0 / size
					}
				}
				mean += share / parties
				square += (share - 1.0/classes) * (share - 1.0/classes) / parties
			}
			if math.Abs(mean-1.0/classes) > tolerance || math.Abs(square-want) > tolerance {
				t.Errorf("alpha %v, label %d: mean share %v and variance %v, want %v and %v within %v", alpha, label, mean, square, 1.0/classes, want, tolerance)
			}
		}
	}
}
