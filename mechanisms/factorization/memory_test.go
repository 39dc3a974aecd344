package factorization

import "testing"

// What Options say of memory before anything is built is what streams keep: of
// Optimal, whose chains are counted by the search, to two numbers.
func TestMemoryIsKnownBefore(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, 64, 100, 1024, 5000, 50_000} {
		for _, kind := range Kinds() {
			o := Options{Kind: kind, N: n}
			switch kind {
			case ARSum:
				o.Chains = 6
			case BandedToeplitz:
				o.Bands = min(n, 64)
			case BLT:
				o.Buffers = 4
			}
			f, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			got, want, slack := o.MemoryPerCoordinate(), f.MemoryPerCoordinate(), 0
			if kind == Optimal {
				slack = 2
			}
			if got < want-slack || got > want+slack {
				t.Errorf("%s over %d steps: %d numbers a coordinate are foretold, and streams keep %d", kind, n, got, want)
			}
		}
	}
}
