package topology_test

import (
	"errors"
	"math"
	"math/cmplx"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"starling/actors/option"
	"starling/actors/topology"
	"starling/messages"
)

// fromAveraging returns a - 11'/N in gonum's form.
func fromAveraging(a [][]float64) *mat.Dense {
	n := len(a)
	m := mat.NewDense(n, n, nil)
	for i, row := range a {
		for j, w := range row {
			m.Set(i, j, w-1/float64(n))
		}
	}
	return m
}

// largestSingular is gonum's spectral norm.
func largestSingular(t failer, m *mat.Dense) float64 {
	t.Helper()
	var svd mat.SVD
	if !svd.Factorize(m, mat.SVDNone) {
		t.Fatalf("gonum's decomposition fails")
	}
	return svd.Values(nil)[0]
}

// largestModulus is the largest modulus of gonum's eigenvalues.
func largestModulus(t failer, m *mat.Dense) (largest float64) {
	t.Helper()
	var eigen mat.Eigen
	if !eigen.Factorize(m, mat.EigenNone) {
		t.Fatalf("gonum's decomposition fails")
	}
	for _, value := range eigen.Values(nil) {
		largest = max(largest, cmplx.Abs(value))
	}
	return largest
}

// TestSpectralGapAgainstGonum: the norm is gonum's, the gap of a symmetric matrix
// that of its eigenvalues, and of any other no more than that.
func TestSpectralGapAgainstGonum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		options, _, symmetric := drawRandom(t)
		seq, err := options.Sequence()
		if err != nil {
			t.Fatal(err)
		}
		weighting := topology.Weighting{Scheme: topology.Metropolis}
		if !symmetric {
			regular, err := topology.Permutations{Nodes: seq.Nodes(), Degree: 2, Seed: rapid.Uint64().Draw(t, "other")}.Sequence()
			if err != nil {
				t.Fatal(err)
			}
			seq, weighting.Scheme = regular, topology.Given
		}
		g, err := weighting.Apply(seq.At(0))
		if err != nil {
			t.Fatal(err)
		}
		m := fromAveraging(dense(g))
		gap, err := topology.SpectralGap(g)
		if err != nil {
			t.Fatalf("%v, norm %v", err, largestSingular(t, m))
		}
		if want := 1 - largestSingular(t, m); math.Abs(gap-want) > 1e-7 {
			t.Fatalf("gap %v, gonum has %v", gap, want)
		}
		eigen := 1 - largestModulus(t, m)
		if gap > eigen+1e-7 || symmetric && math.Abs(gap-eigen) > 1e-7 {
			t.Fatalf("gap %v, by eigenvalues %v", gap, eigen)
		}
	})
}

// TestSpectralGapsInClosedForm: the complete graph averages at once; the directed
// ring with weights of 1/2 has singular values |1 + w^k|/2 = |cos(pi k/N)|, w the
// N-th root of unity; two parts that never talk have no gap.
func TestSpectralGapsInClosedForm(t *testing.T) {
	cases := []struct {
		options generator
		want    float64
	}{
		{topology.Complete{Nodes: 9, SelfLoops: true}, 1},
		{topology.Complete{Nodes: 1, SelfLoops: true}, 1},
		{topology.Complete{Nodes: 6}, 1 - 1./5},
		{topology.Ring{Nodes: 7}, 1 - math.Cos(math.Pi/7)},
		{topology.Ring{Nodes: 5000}, 1 - math.Cos(math.Pi/5000)},
	}
	for _, c := range cases {
		gap, err := topology.SpectralGap(mustSequence(t, c.options).At(0))
		if err != nil || math.Abs(gap-c.want) > 1e-9 {
			t.Errorf("%+v: gap %v, %v, want %v", c.options, gap, err, c.want)
		}
	}
	// The eigenvalues of a torus with Metropolis weights, all degrees being 4, are
	// (1 + 2 cos(2 pi k/100) + 2 cos(2 pi l/100))/5.
	torus := weigh(t, topology.Metropolis, false, mustSequence(t, topology.Torus{Nodes: 10_000, Sides: []int{100, 100}}).At(0))
	want := (2 - 2*math.Cos(2*math.Pi/100)) / 5
	if gap, err := topology.SpectralGap(torus); err != nil || math.Abs(gap-want) > 1e-10 {
		t.Errorf("torus: gap %v, %v, want %v", gap, err, want)
	}
	apart := mustDense(t, [][]float64{{.5, .5, 0, 0}, {.5, .5, 0, 0}, {0, 0, .5, .5}, {0, 0, .5, .5}})
	if gap, err := topology.SpectralGap(apart); err != nil || math.Abs(gap) > 1e-8 {
		t.Errorf("two parts: gap %v, %v, want 0", gap, err)
	}
	var fault *topology.WeightError
	if _, err := topology.SpectralGap(mustSequence(t, topology.Star{Leaves: 3}).At(0)); !errors.As(err, &fault) {
		t.Errorf("weights of a star: %v", err)
	}
}

// TestWindowContractionAgainstGonum multiplies the window out.
func TestWindowContractionAgainstGonum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 12).Draw(t, "nodes")
		seq, err := topology.Permutations{Nodes: n, Degree: 1, Every: rapid.IntRange(1, 3).Draw(t, "every"), Seed: rapid.Uint64().Draw(t, "seed")}.Sequence()
		if err != nil {
			t.Fatal(err)
		}
		first, length := rapid.IntRange(0, 20).Draw(t, "first"), rapid.IntRange(1, 6).Draw(t, "length")
		product := identity(n)
		for step := first; step < first+length; step++ {
			next := mat.NewDense(n, n, nil)
			next.Mul(matrix(dense(seq.At(step))), product)
			product = next
		}
		rows := make([][]float64, n)
		for i := range rows {
			rows[i] = product.RawRowView(i)
		}
		want := largestSingular(t, fromAveraging(rows))
		got, err := topology.WindowContraction(seq, first, length)
		if err != nil {
			t.Fatalf("%v, gonum has %v", err, want)
		}
		if math.Abs(got-want) > 1e-7 {
			t.Fatalf("contraction %v, gonum has %v", got, want)
		}
	})
	seq := mustSequence(t, topology.Ring{Nodes: 5})
	if _, err := topology.WindowContraction(seq, 0, 0); err == nil || option.Message(err) != "length is 0, want at least 1" {
		t.Errorf("no steps: %v", err)
	}
	if _, err := topology.WindowContraction(seq, -1, 1); err == nil || option.Message(err) != "first is -1, want at least 0" {
		t.Errorf("before the first step: %v", err)
	}
}

// TestPushSumContraction multiplies the window out, and divides by masses that it also multiplies
// out. The values of nodes come no further apart, by the deviation that masses weigh.
func TestPushSumContraction(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "nodes")
		drawn, err := topology.KOut{Nodes: n, Degree: 1, Directed: true, Redraw: topology.Redraw{Every: rapid.IntRange(1, 3).Draw(t, "every"), Seed: rapid.Uint64().Draw(t, "seed")}}.Sequence()
		if err != nil {
			t.Fatal(err)
		}
		seq, err := topology.Weighting{Scheme: topology.UniformOut, SelfLoops: true}.Over(drawn, 20)
		if err != nil {
			t.Fatal(err)
		}
		first, length := rapid.IntRange(0, 12).Draw(t, "first"), rapid.IntRange(1, 6).Draw(t, "length")
		column := func(v float64) *mat.Dense {
			m := mat.NewDense(n, 1, nil)
			for i := range n {
				m.Set(i, 0, v)
			}
			return m
		}
		before, product := column(1), identity(n)
		for step := range first + length {
			a := matrix(dense(seq.At(step)))
			if step < first {
				next := mat.NewDense(n, 1, nil)
				next.Mul(a, before)
				before = next
				continue
			}
			next := mat.NewDense(n, n, nil)
			next.Mul(a, product)
			product = next
		}
		after := mat.NewDense(n, 1, nil)
		after.Mul(product, before)
		m, values := mat.NewDense(n, n, nil), make([]float64, n)
		for i := range n {
			values[i] = rapid.Float64Range(-1, 1).Draw(t, "value")
			for j := range n {
				m.Set(i, j, product.At(i, j)*math.Sqrt(before.At(j, 0)/after.At(i, 0))-math.Sqrt(before.At(j, 0)*after.At(i, 0))/float64(n))
			}
		}
		want := largestSingular(t, m)
		got, err := topology.PushSumContraction(seq, first, length)
		if err != nil || math.Abs(got-want) > 1e-7 || got > 1+1e-9 {
			t.Fatalf("contraction %v, %v, gonum has %v", got, err, want)
		}
		var mean float64
		for j, z := range values {
			mean += before.At(j, 0) * z / float64(n)
		}
		apart, then := 0., 0.
		for i := range n {
			var z float64
			for j := range n {
				z += product.At(i, j) * before.At(j, 0) * values[j] / after.At(i, 0)
			}
			apart += before.At(i, 0) * (values[i] - mean) * (values[i] - mean)
			then += after.At(i, 0) * (z - mean) * (z - mean)
		}
		if math.Sqrt(then) > got*math.Sqrt(apart)+1e-9 {
			t.Fatalf("values %v apart are %v apart after a window of contraction %v", math.Sqrt(apart), math.Sqrt(then), got)
		}
	})
	// A walk over windows has the numbers of one window after the other, and does not go back.
	drawn, err := topology.Weighting{Scheme: topology.UniformOut, SelfLoops: true}.Over(mustSequence(t, topology.KOut{Nodes: 9, Degree: 2, Directed: true, Redraw: topology.Redraw{Every: 2, Seed: 3}}), 20)
	if err != nil {
		t.Fatal(err)
	}
	walk := topology.Measures{}.PushSumMasses(drawn)
	for _, first := range []int{0, 3, 3, 7, 15} {
		want, err := topology.PushSumContraction(drawn, first, 3)
		if got, fault := walk.Contraction(first, 3); err != nil || fault != nil || got != want {
			t.Errorf("from step %d: %v, %v, want %v, %v", first, got, fault, want, err)
		}
	}
	if _, err := walk.Contraction(14, 3); err == nil || option.Message(err) != "first is 14, want at least 15: windows go on in their order" {
		t.Errorf("a window before the last: %v", err)
	}
	ring := mustSequence(t, topology.Ring{Nodes: 7})
	averaging, err := topology.WindowContraction(ring, 0, 3)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := topology.PushSumContraction(ring, 4, 3); err != nil || math.Abs(got-averaging) > 1e-9 {
		t.Errorf("doubly stochastic weights: %v, %v, want %v", got, err, averaging)
	}
	var fault *topology.StepError
	if _, err := topology.PushSumContraction(mustSequence(t, topology.Star{Leaves: 3}), 0, 1); !errors.As(err, &fault) {
		t.Errorf("weights of a star: %v", err)
	}
}

func matrix(a [][]float64) *mat.Dense {
	m := mat.NewDense(len(a), len(a), nil)
	for i, row := range a {
		m.SetRow(i, row)
	}
	return m
}

func identity(n int) *mat.Dense {
	m := mat.NewDense(n, n, nil)
	for i := range n {
		m.Set(i, i, 1)
	}
	return m
}

// TestMixingTimeAgainstPowers multiplies the matrices out until all columns are
// close enough.
func TestMixingTimeAgainstPowers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "nodes")
		seq, err := topology.Permutations{Nodes: n, Degree: 1, Every: 2, Seed: rapid.Uint64().Draw(t, "seed")}.Sequence()
		if err != nil {
			t.Fatal(err)
		}
		first := rapid.IntRange(0, 9).Draw(t, "first")
		distance := rapid.Float64Range(0.01, 0.9).Draw(t, "distance")
		const horizon = 60
		product, steps := identity(n), 0
		far := func() (largest float64) {
			for j := range n {
				var sum float64
				for i := range n {
					sum += math.Abs(product.At(i, j)-1/float64(n)) / 2
				}
				largest = max(largest, sum)
			}
			return largest
		}
		for far() > distance && first+steps < horizon {
			next := mat.NewDense(n, n, nil)
			next.Mul(matrix(dense(seq.At(first+steps))), product)
			product = next
			steps++
		}
		mixing, err := topology.MixingTime(seq, first, horizon, distance)
		if math.Abs(far()-distance) < 1e-12 {
			t.Skip("rounding decides")
		}
		if far() > distance {
			if !errors.Is(err, topology.ErrNoMixing) {
				t.Fatalf("error is %v, distance %v", err, far())
			}
			return
		}
		if err != nil || mixing.Steps != steps || math.Abs(mixing.Distance-far()) > 1e-12 || mixing.Sources != n || mixing.Sampled {
			t.Fatalf("%+v, %v, want %d steps to %v", mixing, err, steps, far())
		}
	})
	ring := mustSequence(t, topology.Ring{Nodes: 5})
	for _, test := range []struct {
		first, horizon int
		distance       float64
		want           string
	}{
		{5, 5, 0.25, "first is 5, want 0 to 4: below the horizon"},
		{0, 5, 1, "distance is 1, want above 0 and below 1"},
	} {
		if _, err := topology.MixingTime(ring, test.first, test.horizon, test.distance); err == nil || option.Message(err) != test.want {
			t.Errorf("error is %v, want %q", err, test.want)
		}
	}
	large := mustSequence(t, topology.Circulant{Nodes: 300, Degree: 100})
	if mixing, err := topology.MixingTime(large, 0, 500, 0.25); err != nil || !mixing.Sampled || mixing.Sources != 64 || mixing.Steps < 2 {
		t.Errorf("%+v, %v, want a sample of 64", mixing, err)
	}
}

// reachedIn counts by breadth-first search in time who has heard of a source.
func reachedIn(seq topology.Sequence, source, first, steps int) int {
	heard := map[int]bool{source: true}
	for step := first; step < first+steps; step++ {
		var news []int
		for j := range heard {
			for _, i := range seq.At(step).Out(messages.NodeID(j)) {
				news = append(news, int(i))
			}
		}
		for _, i := range news {
			heard[i] = true
		}
	}
	return len(heard)
}

// TestSpreadAgainstEverySource compares the fractions with a search from each
// node, which meets more than 64 sources too.
func TestSpreadAgainstEverySource(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{2, 5, 30, 70}).Draw(t, "nodes")
		seq, err := topology.KOut{Nodes: n, Degree: 1, Directed: true, Redraw: topology.Redraw{Every: 1, Seed: rapid.Uint64().Draw(t, "seed")}}.Sequence()
		if err != nil {
			t.Fatal(err)
		}
		first := rapid.IntRange(0, 5).Draw(t, "first")
		const steps = 4
		spread, err := topology.Spread(seq, first, first+steps)
		if err != nil || spread.Sources != n || spread.Sampled {
			t.Fatalf("%+v, %v", spread, err)
		}
		for k, got := range spread.Reached {
			pairs := 0
			for source := range n {
				pairs += reachedIn(seq, source, first, k) - 1
			}
			if want := float64(pairs) / float64(n*(n-1)); got != want {
				t.Fatalf("after %d steps a fraction of %v is reached, want %v", k, got, want)
			}
		}
		if last := spread.Reached[len(spread.Reached)-1]; len(spread.Reached) != steps+1 && last != 1 {
			t.Fatalf("it ends after %d steps at %v", len(spread.Reached)-1, last)
		}
	})
}

// TestEffectiveDiametersOverTime holds each of a series against Spread from the
// same step, and a series that is too much work to its beginning.
func TestEffectiveDiametersOverTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		horizon := rapid.IntRange(1, 10).Draw(t, "horizon")
		seq := drawSequence(t, horizon)
		starts := rapid.SliceOfN(rapid.IntRange(0, horizon-1), 1, 5).Draw(t, "starts")
		const share = 0.9
		series, err := topology.EffectiveDiameters(seq, starts, horizon, share)
		if err != nil || len(series.Steps) != len(starts) || series.Sampled || series.Sources != seq.Nodes() {
			t.Fatalf("%+v, %v", series, err)
		}
		for k, first := range starts {
			spread, err := topology.Spread(seq, first, horizon)
			if err != nil {
				t.Fatal(err)
			}
			if want, _ := spread.EffectiveDiameter(share); series.Steps[k] != want {
				t.Fatalf("from step %d %v, want %v", first, series.Steps[k], want)
			}
		}
	})
	long := mustSequence(t, topology.Path{Nodes: 30_000})
	if series, err := topology.EffectiveDiameters(long, []int{0, 1}, 1<<20, 0.9); err != nil || len(series.Steps) != 0 || series.Sources != 256 || !series.Sampled {
		t.Errorf("%+v, %v, want none of a path that is too long", series, err)
	}
	if _, err := topology.EffectiveDiameters(long, []int{3}, 3, 0.9); err == nil || option.Message(err) != "first is 3, want 0 to 2: below the horizon" {
		t.Errorf("error is %v", err)
	}
}

// TestEffectiveDiameters: on the directed ring of 5 nodes a quarter more of the
// pairs is reached every step; a matching for ever reaches one partner.
func TestEffectiveDiameters(t *testing.T) {
	ring, err := topology.Spread(mustSequence(t, topology.Ring{Nodes: 5}), 3, 100)
	if err != nil || len(ring.Reached) != 5 {
		t.Fatalf("%+v, %v", ring, err)
	}
	for fraction, want := range map[float64]float64{0.25: 1, 0.5: 2, 0.9: 3.6, 1: 4} {
		if got, ok := ring.EffectiveDiameter(fraction); !ok || math.Abs(got-want) > 1e-12 {
			t.Errorf("%v of the pairs are reached in %v steps, %v, want %v", fraction, got, ok, want)
		}
	}
	pair, err := topology.Spread(mustSequence(t, topology.Matching{Nodes: 6}), 0, 9)
	if err != nil || len(pair.Reached) != 10 || pair.Reached[9] != 0.2 {
		t.Fatalf("%+v, %v", pair, err)
	}
	if _, ok := pair.EffectiveDiameter(0.9); ok {
		t.Error("a matching reaches everybody")
	}
	alone, err := topology.Spread(mustSequence(t, topology.Complete{Nodes: 1, SelfLoops: true}), 0, 9)
	if d, ok := alone.EffectiveDiameter(1); err != nil || d != 0 || !ok {
		t.Errorf("one node: %v, %v, %v", d, ok, err)
	}
	if _, err := topology.Spread(mustSequence(t, topology.Ring{Nodes: 5}), -1, 9); err == nil || option.Message(err) != "first is -1, want 0 to 8: below the horizon" {
		t.Errorf("before the first step: %v", err)
	}
}

// TestSpreadSamplesLargeGraphs: by the symmetry of the ring every source sees the
// same, so a sample of 1024 gives the exact fractions.
func TestSpreadSamplesLargeGraphs(t *testing.T) {
	const n = 3000
	spread, err := topology.Spread(mustSequence(t, topology.Ring{Nodes: n}), 0, 3)
	if err != nil || !spread.Sampled || spread.Sources != 1024 {
		t.Fatalf("%+v, %v", spread, err)
	}
	for k, got := range spread.Reached {
		if want := float64(k) / (n - 1); math.Abs(got-want) > 1e-15 {
			t.Errorf("after %d steps a fraction of %v is reached, want %v", k, got, want)
		}
	}
}

func TestDegrees(t *testing.T) {
	g := mustDense(t, [][]float64{{1, 1, 1}, {0, 0, 1}, {0, 0, 1}})
	got := topology.Degrees(g)
	want := topology.DegreeSummary{MinIn: 0, MaxIn: 2, MinOut: 0, MaxOut: 2, Mean: 1, In: []int{1, 1, 1}, Out: []int{1, 1, 1}}
	if got.Mean != want.Mean || got.MinIn != want.MinIn || got.MaxIn != want.MaxIn || got.MinOut != want.MinOut || got.MaxOut != want.MaxOut {
		t.Errorf("%+v, want %+v", got, want)
	}
	star := topology.Degrees(mustSequence(t, topology.Star{Leaves: 4}).At(0))
	if star.MinIn != 1 || star.MaxOut != 4 || star.In[1] != 4 || star.In[4] != 1 || len(star.In) != 5 || star.Mean != 8./5 {
		t.Errorf("degrees of a star: %+v", star)
	}
}

// TestWindowComponentsAgainstGonum counts the components of every union.
func TestWindowComponentsAgainstGonum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		horizon := rapid.IntRange(1, 10).Draw(t, "horizon")
		seq := drawSequence(t, horizon)
		for length := 1; length <= horizon; length++ {
			counts, err := topology.WindowComponents(seq, horizon, length)
			if err != nil {
				t.Fatal(err)
			}
			starts := horizon - length + 1
			if p, ok := seq.Period(); ok {
				starts = min(starts, p)
			}
			if len(counts) != starts {
				t.Fatalf("%d windows, want %d", len(counts), starts)
			}
			for first, count := range counts {
				if want := componentsOfUnion(seq, first, length); count != want {
					t.Fatalf("window of %d steps from %d has %d components, gonum finds %d", length, first, count, want)
				}
			}
		}
	})
	if _, err := topology.WindowComponents(printedCycle(t), 4, 5); err == nil {
		t.Error("a window longer than the horizon is taken")
	}
}
