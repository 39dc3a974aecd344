package opestoch_test

import (
	"math"
	"math/bits"
	"testing"

	"pgregory.net/rapid"

	"starling/actors/algorithm/opestoch"
	"starling/messages"
)

// drawOptions draws options of every sort that validate.
func drawOptions(t *rapid.T, horizon int) opestoch.Options {
	o := linearOptions()
	o.Clients = rapid.IntRange(1, 5).Draw(t, "m")
	o.Experts = rapid.IntRange(1, 6).Draw(t, "d")
	o.Horizon = rapid.IntRange(1, horizon).Draw(t, "T")
	o.Variant = rapid.SampledFrom([]opestoch.Variant{opestoch.Local, opestoch.Approximate, opestoch.Central}).Draw(t, "variant")
	if o.Variant == opestoch.Approximate {
		o.Delta = rapid.SampledFrom([]float64{1e-6, 0.1}).Draw(t, "delta")
	}
	o.Epsilon = rapid.SampledFrom([]float64{0.1, 1, 10, math.Inf(1)}).Draw(t, "epsilon")
	o.Alpha = rapid.SampledFrom([]float64{1, 2.5}).Draw(t, "alpha")
	o.Beta = rapid.SampledFrom([]float64{0, 0.1, 3, 1000}).Draw(t, "beta")
	o.Batch = rapid.SampledFrom([]opestoch.Batch{opestoch.Theorem1, opestoch.Corollary1}).Draw(t, "batch")
	if o.Batch == opestoch.Theorem1 {
		o.Trees = rapid.IntRange(0, 6).Draw(t, "trees")
	}
	return o
}

// Whatever the options, no loss is drawn twice: the draws, added up vertex by
// vertex from the sizes 2^-|s| b, are those stated and are there; sizes are
// whole, or the batch is 1; 2^T1 <= b where the batch is more; phases tile
// 1 .. T.
func TestScheduleNeverOverdraws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t, 1<<18)
		s := must(opestoch.NewSchedule(&o))
		next := 1
		for i, p := range s.Phases {
			if p.Number != i+1 || p.First != next || p.Last < p.First || (p.Last != 2*p.First-1 && p.Last != o.Horizon) {
				t.Fatalf("phase %+v at place %d, after step %d", p, i, next-1)
			}
			next = p.Last + 1
			if i == 0 {
				continue
			}
			if p.Available != s.Phases[i-1].Last-s.Phases[i-1].First+1 {
				t.Fatalf("phase %+v counts %d losses before it", p, p.Available)
			}
			drawn := 0.0
			for j := 1; j <= p.Trees; j++ {
				drawn += float64(p.Batch)
				for q := 1; q <= j; q++ {
					size := math.Ldexp(float64(p.Batch), -q)
					if p.Batch == 1 {
						size = 0
					}
					if size != math.Floor(size) {
						t.Fatalf("phase %+v has %v losses at depth %d", p, size, q)
					}
					drawn += math.Ldexp(size, q-1)
				}
			}
			if float64(p.Drawn) != drawn || p.Drawn > p.Available || p.Drawn < 1 {
				t.Fatalf("phase %+v draws %v", p, drawn)
			}
			if p.Batch > 1 && p.Batch < 1<<p.Trees || p.Batch == 1 && p.Trees != 1 {
				t.Fatalf("phase %+v has more leaves than losses at the root", p)
			}
		}
		if next != o.Horizon+1 {
			t.Fatalf("phases end at %d of %d", next-1, o.Horizon)
		}
	})
}

// Hops and Acts are functions of the time alone: z comes down in step 1, every
// leaf goes up and down, clients play last.
func TestScheduleAlternates(t *testing.T) {
	o := convexOptions()
	s := must(opestoch.NewSchedule(&o))
	clients := [2]messages.NodeID{1, messages.NodeID(o.Clients + 1)}
	server := [2]messages.NodeID{0, 1}
	for offset := range o.Horizon {
		want := [][2]messages.NodeID{clients}
		if step := offset + 1; step == 1 {
			want = [][2]messages.NodeID{server, clients}
		} else if bits.OnesCount(uint(step)) == 1 {
			p := s.Phases[bits.TrailingZeros(uint(step))]
			for j := 1; j <= p.Trees; j++ {
				for range 1 << j {
					want = append(want, server, clients)
				}
			}
		}
		if got := s.Hops(offset); got != len(want) {
			t.Fatalf("step %d has %d hops, want %d", offset+1, got, len(want))
		}
		for hop, actors := range want {
			if first, end := s.Acts(offset, hop); first != actors[0] || end != actors[1] {
				t.Fatalf("step %d, hop %d: nodes %d .. %d act, want %v", offset+1, hop, first, end-1, actors)
			}
		}
	}
}

// T1 of Theorem 1, of the proof of Theorem 7 and of Theorem 6, each worked out
// by hand for phase 20: b = 2^19/361 = 1452.3, log d = log 100 = 4.605.
func TestTreesOfTheTheorems(t *testing.T) {
	o := linearOptions()
	o.Clients, o.Experts, o.Horizon, o.Epsilon, o.Alpha, o.Beta, o.Batch = 16, 100, 1<<20-1, 1, 1, 0.1, opestoch.Theorem1
	for _, test := range []struct {
		variant opestoch.Variant
		delta   float64
		want    int
	}{
		{opestoch.Local, 0, 3},          // log2(145.23*4/4.605)/2 = log2(126.1)/2 = 3.49
		{opestoch.Central, 0, 4},        // log2(145.23*16/4.605)/2 = log2(504.6)/2 = 4.49
		{opestoch.Approximate, 1e-6, 1}, // 2/3 log2(126.1/(13.17+13.82)) = 2/3 log2(4.67) = 1.48
	} {
		o.Variant, o.Delta = test.variant, test.delta
		s := must(opestoch.NewSchedule(&o))
		if got := s.Phases[19].Trees; got != test.want {
			t.Errorf("%s: T1 = %d, want %d", test.variant, got, test.want)
		}
	}
	o.Variant, o.Delta, o.Beta = opestoch.Local, 0, 1e9 // log2 b bounds it: floor(log2 1452) = 10
	if s := must(opestoch.NewSchedule(&o)); s.Phases[19].Trees > 10 {
		t.Errorf("T1 = %d exceeds log2 b", s.Phases[19].Trees)
	}
	o.Beta = 0
	if s := must(opestoch.NewSchedule(&o)); s.Phases[19].Trees != 1 {
		t.Errorf("beta = 0: T1 = %d, want 1", s.Phases[19].Trees)
	}
}

// Corollary 1 at Fig. 1's size: one tree of depth 1 whose root takes 2/3 of the
// losses there are, up to evenness.
func TestBatchOfCorollary1(t *testing.T) {
	o := linearOptions()
	o.Horizon = 1<<14 - 1
	s := must(opestoch.NewSchedule(&o))
	for _, p := range s.Phases[2:] {
		if p.Trees != 1 || math.Abs(float64(p.Batch)-float64(p.Available)*2/3) > 2 {
			t.Errorf("phase %d: %d trees, batch %d of %d", p.Number, p.Trees, p.Batch, p.Available)
		}
	}
	if up, down := s.Communication(); up != 3*4*2*13 || down != 3*(4+2*13) {
		t.Errorf("%d scalars up and %d down", up, down)
	}
}

func TestScheduleIsPrinted(t *testing.T) {
	o := linearOptions()
	o.Horizon = 10
	want := `phase  steps  trees  leaves  batch  drawn  of  scale of tree 1, 2, ..
2  2-3  1  2  1  1  1  [4]
3  4-7  1  2  1  1  2  [4]
4  8-10  1  2  2  3  4  [2]
`
	if got := must(opestoch.NewSchedule(&o)).String(); got != want {
		t.Errorf("printed\n%swant\n%s", got, want)
	}
}

// Theorem 7 (iii) and Theorem 1 (iii): with the trees of the theorems communication
// is of order m^(3/2) d sqrt(T eps beta/(alpha log d)) with a trusted server and m^(5/4)
// without one: it doubles with each tree more, which are log2(m)/2 and log2(m)/4 of
// them. Over m = 1 .. 2^16, in steps at which both have whole trees more, the
// exponent of what clients send in all is within 0.05 of these; rounding down T1 moves
// it by less than 2 leaves of 2^T1, and T1 >= 8 in the phases that count.
func TestCommunicationOfTheorems(t *testing.T) {
	for variant, want := range map[opestoch.Variant]float64{opestoch.Central: 1.5, opestoch.Local: 1.25} {
		up := func(clients int) float64 {
			o := &opestoch.Options{
				Clients: clients, Experts: 20, Horizon: 1 << 28, Variant: variant, Epsilon: 0.02, Alpha: 1, Beta: 30, Batch: opestoch.Theorem1,
			}
			s, err := opestoch.NewSchedule(o)
			if err != nil {
				t.Fatal(err)
			}
			up, _ := s.Communication()
			return float64(up)
		}
		for _, m := range []int{1, 16, 256} {
			if got := math.Log(up(16*m)/up(m)) / math.Log(16); math.Abs(got-want) > 0.05 {
				t.Errorf("%s: from %d clients to %d communication grows with exponent %v, want %v", variant, m, 16*m, got, want)
			}
		}
	}
}
