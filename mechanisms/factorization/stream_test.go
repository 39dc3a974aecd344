package factorization

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"starling/mechanisms/rng"
	"starling/messages"
)

// probe is a source of draws that are all 0, but for one which is 1.
type probe struct{ drawn, one int }

func (p *probe) FillNormal(dst []float64) {
	for i := range dst {
		dst[i] = 0
		if p.drawn == p.one {
			dst[i] = 1
		}
		p.drawn++
	}
}

// responses returns the matrix that takes the draws of a stream of one
// coordinate to its increments, and how many draws were made before the end of
// each step.
func responses(t *testing.T, f *Factorization) (matrix *mat.Dense, drawn []int) {
	t.Helper()
	run := func(p *probe, each func(step int, increment float64)) {
		stream, err := f.Stream(1)
		if err != nil {
			t.Fatal(err)
		}
		var increment [1]float64
		for step := range f.N() {
			stream.next(increment[:], p)
			each(step, increment[0])
		}
	}
	count := &probe{one: -1}
	run(count, func(int, float64) { drawn = append(drawn, count.drawn) })
	matrix = mat.NewDense(f.N(), count.drawn, nil)
	for k := range count.drawn {
		run(&probe{one: k}, func(step int, increment float64) { matrix.Set(step, k, increment) })
	}
	return matrix, drawn
}

// The increments are a linear function of the draws, so their covariance is
// known exactly: it is A^(-1) B B' A^(-T) of the dense factors. A draw moves no
// increment of an earlier step.
func TestCovarianceOfIncrements(t *testing.T) {
	for _, kind := range Kinds() {
		for _, n := range []int{1, 2, 3, 4, 7, 8, 13, 33} {
			o := options(kind, n)
			f := build(t, o)
			b, _ := factors(t, o, f)
			matrix, drawn := responses(t, f)
			got := mat.NewSymDense(n, nil)
			got.SymOuterK(1, matrix)
			if want := incrementCovariance(b); !mat.EqualApprox(got, want, 1e-10) {
				t.Errorf("%s, n = %d: the increments do not have the covariance of the factors", kind, n)
			}
			for step := range n {
				for k := drawn[step]; k < drawn[n-1]; k++ {
					if x := matrix.At(step, k); math.Abs(x) > 1e-15 {
						t.Fatalf("%s, n = %d: draw %d, made after step %d, moves its increment by %v", kind, n, k, step, x)
					}
				}
			}
		}
	}
}

// The noise of the optimum is that of an independent dense solution.
func TestCovarianceOfTheOptimum(t *testing.T) {
	const n = 12
	v, _ := solveDense(t, n)
	root, _ := denseRoot(t, v) // X_ij = root_ij/sqrt(v_i v_j)
	for i := range n {
		for j := i; j < n; j++ {
			root.SetSym(i, j, root.At(i, j)/math.Sqrt(v[i]*v[j]))
		}
	}
	var want mat.Dense // covariance of the increments
	if err := want.Inverse(root); err != nil {
		t.Fatal(err)
	}
	matrix, _ := responses(t, build(t, Options{Kind: Optimal, N: n, Gap: 1e-11}))
	got := mat.NewSymDense(n, nil)
	got.SymOuterK(1, matrix)
	if !mat.EqualApprox(got, &want, 1e-6) { // the gap is quadratic in the multipliers
		t.Errorf("the increments have covariance %.8v, want %.8v", mat.Formatted(got), mat.Formatted(&want))
	}
}

// increments runs the stream to its end with the generators of a node.
func increments(t testing.TB, s *Stream, d, node int) []float64 {
	t.Helper()
	var stream rng.Stream
	key := rng.NewKey(7, rng.PurposeOf("factorization test"))
	var all []float64
	for s.Step() < s.n {
		dst := make([]float64, d)
		if err := s.Next(dst, stream.Open(key, node, s.Step(), 0)); err != nil {
			t.Fatal(err)
		}
		all = append(all, dst...)
	}
	return all
}

// The sample covariance of drawn increments, whitened by the covariance of the
// dense factors, is the identity. Coordinates are independent samples. A mean of
// N squares of standard normal numbers is off 1 by more than e = 2 sqrt(x/N) +
// 2x/N with probability at most 2 exp(-x) (Laurent, Massart 2000, lemma 1), and
// a product of two is a quarter of a difference of two such squares times 2. Over
// 9 kinds and 36 entries of two events each at most, x = 28 makes a false failure
// less likely than 1e-9.
func TestSampleCovariance(t *testing.T) {
	const n, d, x = 8, 20_000, 28
	tolerance := 2*math.Sqrt(x/float64(d)) + 2*x/float64(d)
	for _, kind := range Kinds() {
		o := options(kind, n)
		f := build(t, o)
		s, err := f.Stream(d)
		if err != nil {
			t.Fatal(err)
		}
		samples := mat.NewDense(n, d, increments(t, s, d, 0))
		b, _ := factors(t, o, f)
		var factor mat.Cholesky
		if !factor.Factorize(incrementCovariance(b)) {
			t.Fatalf("%s: the covariance is not positive", kind)
		}
		var lower mat.TriDense
		factor.LTo(&lower)
		var white mat.Dense
		if err := white.Solve(&lower, samples); err != nil {
			t.Fatal(err)
		}
		covariance := mat.NewSymDense(n, nil)
		covariance.SymOuterK(1/float64(d), &white)
		for i := range n {
			for j := range i + 1 {
				want := 0.0
				if i == j {
					want = 1
				}
				if got := covariance.At(i, j); math.Abs(got-want) > tolerance {
					t.Errorf("%s: whitened covariance (%d, %d) is %v, want %v within %v", kind, i, j, got, want, tolerance)
				}
			}
		}
	}
}

// A stream that is restored goes on with the same bits, whatever the one it is
// restored to has drawn.
func TestStateRoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		kind := rapid.SampledFrom(Kinds()).Draw(r, "kind")
		n, d := rapid.IntRange(1, 70).Draw(r, "n"), rapid.IntRange(1, 3).Draw(r, "d")
		f := build(t, options(kind, n))
		straight, _ := f.Stream(d)
		want := increments(t, straight, d, 1)
		stop := rapid.IntRange(0, n).Draw(r, "stop")
		first, _ := f.Stream(d)
		dst := make([]float64, d)
		var stream rng.Stream
		key := rng.NewKey(7, rng.PurposeOf("factorization test"))
		for first.Step() < stop {
			if err := first.Next(dst, stream.Open(key, 1, first.Step(), 0)); err != nil {
				r.Fatal(err)
			}
		}
		state := messages.Write([]byte("before"), first)
		second, _ := f.Stream(d)
		if rapid.Bool().Draw(r, "used") {
			increments(t, second, d, 2)
		}
		if err := messages.Read(state[len("before"):], second); err != nil {
			r.Fatal(err)
		}
		if again := messages.Write([]byte("before"), second); !bytes.Equal(again, state) || second.Step() != stop {
			r.Fatalf("%s: the restored stream is at step %d with another state", kind, second.Step())
		}
		if got := increments(t, second, d, 1); !slices.Equal(got, want[d*stop:]) {
			r.Fatalf("%s, n = %d: increments after step %d are %v, want %v", kind, n, stop, got, want[d*stop:])
		}
	})
}

// A stream that has come to its end can be set back to its beginning.
func TestStreamStartsAgain(t *testing.T) {
	for _, kind := range Kinds() {
		s, _ := build(t, options(kind, 20)).Stream(2)
		beginning := messages.Write(nil, s)
		want := increments(t, s, 2, 1)
		if err := messages.Read(beginning, s); err != nil {
			t.Fatal(err)
		}
		if got := increments(t, s, 2, 1); !slices.Equal(got, want) {
			t.Errorf("%s: a second run has other increments", kind)
		}
	}
}

// The state that a stream encodes is all it has: 16 bytes and
// MemoryPerCoordinate floats for each coordinate.
func TestMemoryPerCoordinate(t *testing.T) {
	for _, test := range []struct {
		options Options
		want    int
	}{
		{Options{Kind: Independent, N: 1000}, 0},
		{Options{Kind: Tree, N: 1000}, 9},
		{Options{Kind: Tree, N: 1024}, 10},
		{Options{Kind: TreeOnline, N: 1024}, 10},
		{Options{Kind: TreeFull, N: 1023}, 9},
		{Options{Kind: Toeplitz, N: 1000}, 36},
		{Options{Kind: BandedToeplitz, N: 1000, Bands: 16}, 15},
		{Options{Kind: BLT, N: 1000, Buffers: 4}, 4},
		{Options{Kind: ARSum, N: 1000, Chains: 6}, 6},
		{Options{Kind: Optimal, N: 1000}, 25},
	} {
		const d = 3
		f := build(t, test.options)
		s, err := f.Stream(d)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.MemoryPerCoordinate(); got != test.want || cap(s.state) != d*test.want || len(messages.Write(nil, s)) != 16+8*d*test.want {
			t.Errorf("%+v: %d floats for a coordinate, %d held, want %d", test.options, got, cap(s.state), d*test.want)
		}
	}
}

func TestNextDoesNotAllocate(t *testing.T) {
	r := rng.New(1)
	dst := make([]float64, 5)
	for _, kind := range Kinds() {
		s, _ := build(t, options(kind, 200)).Stream(len(dst))
		if got := testing.AllocsPerRun(150, func() {
			if err := s.Next(dst, r); err != nil {
				t.Fatal(err)
			}
		}); got != 0 {
			t.Errorf("%s: %v allocations a step", kind, got)
		}
		var fresh []*Stream // AllocsPerRun calls once more than it is told
		for range 5 {
			s, _ := build(t, options(kind, 200)).Stream(len(dst))
			fresh = append(fresh, s)
		}
		if got := testing.AllocsPerRun(len(fresh)-1, func() {
			fresh[0].next(dst, r)
			fresh = fresh[1:]
		}); got != 0 {
			t.Errorf("%s: %v allocations at step 0", kind, got)
		}
	}
}

func TestMisuse(t *testing.T) {
	f := build(t, options(Tree, 2))
	for _, d := range []int{0, -1, math.MaxInt / 4} {
		if s, err := f.Stream(d); err == nil || s != nil || !strings.Contains(err.Error(), fmt.Sprint(d)) {
			t.Errorf("stream for length %d: %v", d, err)
		}
	}
	s, _ := f.Stream(2)
	r := rng.New(1)
	before := messages.Write(nil, s)
	if err := s.Next(make([]float64, 3), r); err == nil || !strings.Contains(err.Error(), "length 3, but the stream has 2") {
		t.Errorf("wrong length: %v", err)
	}
	if !bytes.Equal(messages.Write(nil, s), before) {
		t.Error("a refused draw changed the stream")
	}
	increments(t, s, 2, 0)
	if err := s.Next(make([]float64, 2), r); err == nil || !strings.Contains(err.Error(), "noise for step 2, but the factorization has 2 steps") {
		t.Errorf("too many steps: %v", err)
	}
}

func TestStreamRefusesStates(t *testing.T) {
	f := build(t, options(BLT, 9))
	fresh, _ := f.Stream(1)
	good := messages.Write(nil, fresh)
	for name, spoil := range map[string]func([]byte) []byte{
		"24 bytes wanted, 23 left":   func(b []byte) []byte { return b[:39] },
		"8 bytes wanted, 0 left":     func([]byte) []byte { return nil },
		"at step 10":                 func(b []byte) []byte { b[0] = 10; return b },
		"length: 2, want 3":          func(b []byte) []byte { b[8] = 2; return b },
		"number 0":                   func(b []byte) []byte { b[22], b[23] = 0xf0, 0x7f; return b },
		"at step -72057594037927936": func(b []byte) []byte { b[7] = 0xff; return b },
	} {
		s, _ := f.Stream(1)
		err := messages.Read(spoil(bytes.Clone(good)), s)
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want one with %q", err, name)
		}
	}
}

func FuzzStreamState(f *testing.F) {
	made, err := New(Options{Kind: ARSum, N: 40, Chains: 2})
	if err != nil {
		f.Fatal(err)
	}
	s, _ := made.Stream(1)
	f.Add(messages.Write(nil, s))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, src []byte) {
		s, _ := made.Stream(1)
		if messages.Read(src, s) != nil {
			return
		}
		if got := messages.Write(nil, s); !bytes.Equal(got, src) {
			t.Fatalf("restored %x, encodes %x", src, got)
		}
		increments(t, s, 1, 0)
	})
}

func ExampleStream() {
	f, err := New(Options{Kind: ARSum, N: 4, Chains: 3})
	if err != nil {
		panic(err)
	}
	stream, err := f.Stream(2) // for vectors of length 2
	if err != nil {
		panic(err)
	}
	const sigma = 0.5 // standard deviation at sensitivity 1
	deviation := sigma * f.Sensitivity()
	var generator rng.Stream
	key := rng.NewKey(1, rng.PurposeOf("noise"))
	noise, prefix := make([]float64, 2), make([]float64, 2)
	for stream.Step() < f.N() {
		step := stream.Step()
		if err := stream.Next(noise, generator.Open(key, 0, step, 0)); err != nil {
			panic(err)
		}
		for i := range prefix {
			prefix[i] += deviation * noise[i]
		}
	}
	fmt.Printf("%d steps, %d floats for a coordinate\n", stream.Step(), f.MemoryPerCoordinate())
	// Output: 4 steps, 3 floats for a coordinate
}

// The noise on an input after zeros is the sum of the increments up to it, on the same
// numbers. Where increments are independent of each other it is the input's own.
func TestNoiseAfterZeros(t *testing.T) {
	const n, d = 13, 3
	for _, kind := range Kinds() {
		f := build(t, options(kind, n))
		rapid.Check(t, func(t *rapid.T) {
			taken := rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 1, n, rapid.ID[int]).Draw(t, "steps")
			slices.Sort(taken)
			want, _ := f.Stream(d)
			got, _ := f.Stream(d)
			numbers, same, sum, row := rng.New(1), rng.New(1), make([]float64, d), make([]float64, d)
			for _, step := range taken {
				clear(sum)
				for want.Step() <= step {
					if f.MemoryPerCoordinate() == 0 {
						want.t = step
					}
					if err := want.Next(row, numbers); err != nil {
						t.Fatal(err)
					}
					for k, v := range row {
						sum[k] += v
					}
				}
				if err := got.NextAt(step, row, same); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(row, sum) || got.Step() != step+1 || numbers.Uint64() != same.Uint64() {
					t.Fatalf("%s: noise %v on input %d of %v, then step %d; want %v", kind, row, step, taken, got.Step(), sum)
				}
			}
			last := got.Step()
			for _, step := range []int{last - 1, n} {
				if err := got.NextAt(step, row, same); err == nil || got.Step() != last {
					t.Errorf("%s: noise for step %d after step %d of %d: error %v, then step %d", kind, step, last-1, n, err, got.Step())
				}
			}
		})
	}
}
