package ofl_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"starling/actors/algorithm/ofl"
	"starling/actors/algorithmtest"
	"starling/actors/lockstep"
	"starling/actors/topology"
	"starling/mechanisms/factorization"
	"starling/messages"
)

// tiered puts levels of servers above the learners, as many as the fan has; the levels above the lowest
// take part every so many rounds, by level from the top.
func tiered(fan []int, periods ...int) func(*ofl.Options) {
	return func(o *ofl.Options) {
		g := topology.Tiers{Fan: fan}
		o.Learners = g.Clients()
		o.Tiers = &ofl.Tiers{Tiers: g, Takes: func(level, round int) bool {
			if level >= len(fan)-1 {
				return true
			}
			return slices.ContainsFunc(periods[:level+1], func(n int) bool { return round%n == 0 })
		}}
	}
}

// levels is Algorithm 1 with levels of servers, as a loop over means of models: a lowest server applies
// line 16 to its own learners, and so does each server above to the vectors of all learners below since
// its last round.
func (p *paper) levels(fan []int, takes func(level, round int) bool) trajectory {
	tr, tau, d, n := newTrajectory(p.Options), float64(p.Tau), len(p.Start), p.Learners
	models := make([][][]float64, len(fan)) // by level and learner: of the server above the learner
	sums := make([][][]float64, len(fan))   // by level: of a learner's vectors since that server's last round
	for level := range fan {
		models[level], sums[level] = make([][]float64, n), make([][]float64, n)
		for i := range n {
			models[level][i], sums[level][i] = slices.Clone(p.Start), make([]float64, d)
		}
	}
	group := func(level, i int) (first, size int) { // learners below the server of a level above learner i
		size = n
		for _, f := range fan[:level] {
			size /= f
		}
		return i / size * size, size
	}
	lowest := len(fan) - 1
	for r := range p.Rounds {
		sent := make([][]float64, n)
		for i := range n {
			start := models[lowest][i]
			z, gradients := slices.Clone(start), make([]float64, d)
			for t := range p.Tau {
				k := r*p.Tau + t
				g := p.gradient(i, r, t, z)
				axpy(gradients, 1/tau, g)
				if p.Version == ofl.PerStep {
					g = combination(1, g, 1, minus(p.noise(i, k), p.noise(i, k-1)))
				}
				axpy(z, -p.LocalStep, g)
				tr.z[i] = append(tr.z[i], slices.Clone(z))
			}
			sent[i] = combination(1/(p.LocalStep*tau), start, -1/(p.LocalStep*tau), z)
			if p.Version == ofl.PerRound {
				sent[i] = combination(1, gradients, 1, minus(p.noise(i, r), p.noise(i, r-1)))
			}
			tr.sent[i] = append(tr.sent[i], sent[i])
		}
		for i := range n {
			for level := range fan {
				axpy(sums[level][i], 1, sent[i])
			}
		}
		for level := lowest; level >= 0; level-- {
			if !takes(level, r+1) {
				continue
			}
			next := make([][]float64, n)
			for i := range n {
				first, size := group(level, i)
				next[i] = slices.Clone(models[level][i])
				for k := first; k < first+size; k++ {
					axpy(next[i], -p.LocalStep*p.GlobalStep*tau/float64(size), sums[level][k])
				}
			}
			for i := range n {
				for below := level; below <= lowest; below++ {
					models[below][i] = next[i]
				}
				clear(sums[level][i])
				for below := level + 1; below <= lowest; below++ {
					clear(sums[below][i])
				}
			}
		}
		tr.x = append(tr.x, models[0][0])
	}
	return tr
}

// seen is what machines with levels of servers compute: models at the top after each round, local models
// and messages of learners.
func seen(t algorithmtest.Fataler, o ofl.Options) trajectory {
	t.Helper()
	tr, d := newTrajectory(o), newDiary()
	watched := newRun(o, d)
	watch(t, watched, 0, func(w *lockstep.Watched) {
		tr.x = append(tr.x, algorithmtest.Quantity(w.Machine, "x"))
	})
	for i := range o.Learners {
		watch(t, newRun(o, newDiary()), ofl.Learner(i), func(w *lockstep.Watched) {
			if w.Hop != 1 {
				return
			}
			tr.z[i] = append(tr.z[i], algorithmtest.Quantity(w.Machine, "z"))
			for to := range o.Participants() {
				for _, single := range w.Outbox.Singles(messages.NodeID(to)) {
					if len(o.Above(ofl.Learner(i))) == 0 || o.Above(ofl.Learner(i))[0] != messages.NodeID(to) {
						t.Fatalf("learner %d sends to %d", i, to)
					}
					tr.sent[i] = append(tr.sent[i], slices.Clone(single.Payload.(*messages.Vector).Values))
				}
			}
		})
	}
	return tr
}

// shapes are levels of servers with their periods.
var shapes = []struct {
	fan     []int
	periods []int
}{
	{[]int{2, 3}, []int{3}}, {[]int{3, 2}, []int{1}}, {[]int{1, 4}, []int{2}}, {[]int{4, 1}, []int{2}},
	{[]int{2, 2, 2}, []int{4, 2}}, {[]int{2, 1, 2}, []int{3, 2}},
}

// TestTiersByAPlainLoop: levels of servers are a loop over the tree, to 1e-12, with noise of every kind in
// both versions.
func TestTiersByAPlainLoop(t *testing.T) {
	for _, kind := range kinds() {
		for _, version := range []ofl.Version{ofl.PerRound, ofl.PerStep} {
			for _, shape := range shapes {
				o := described(kind, func(o *ofl.Options) { o.Version, o.Tau = version, 2 }, tiered(shape.fan, shape.periods...))
				want := newPaper(o, newRun(o, nil).Seed).levels(shape.fan, o.Tiers.Takes)
				got := seen(t, o)
				if difference := distance(t, want, got); !(difference <= 1e-12) {
					t.Errorf("%q, version %d, fan %v every %v: the machines differ from the loop by %v", kind, version, shape.fan, shape.periods, difference)
				}
			}
		}
	}
}

// TestTiersAreAStar: one server between the learners and the top, which takes part in every round, leaves
// the bits of one server: models, decisions, messages and payments. With levels in every round of a seldom
// top the learners' models are the same.
func TestTiersAreAStar(t *testing.T) {
	for _, kind := range kinds() {
		star := described(kind, func(o *ofl.Options) { o.Learners = 5 })
		one := described(kind, tiered([]int{1, 5}, 1))
		want, got := runLockstep(t, star), runLockstep(t, one)
		for i := range star.Learners {
			node := ofl.Learner(i)
			if fmt.Sprint(want.played[node]) != fmt.Sprint(got.played[node]) || fmt.Sprint(want.spent[node]) != fmt.Sprint(got.spent[node]) {
				t.Errorf("%q: learner %d decides or pays otherwise below an edge server", kind, i)
			}
		}
		if fmt.Sprint(want.played[0]) != fmt.Sprint(got.played[0]) || len(want.played[0]) == 0 || len(got.spent) != len(want.spent) {
			t.Errorf("%q: the model at the top differs", kind)
		}
		seldom := runLockstep(t, described(kind, tiered([]int{1, 5}, 3)))
		for k, x := range seldom.played[1] {
			if far := norm(minus(x, want.played[1][k])); far > 1e-12 {
				t.Errorf("%q: decision %d is %v from the star", kind, k, far)
			}
		}
	}
}

// TestTiersMarks: nothing above the learners is raw where they add noise, all is where nobody does, and
// nobody above them pays.
func TestTiersMarks(t *testing.T) {
	for _, kind := range []factorization.Kind{"", "tree"} {
		o := described(kind, tiered([]int{2, 2, 2}, 4, 2))
		d := newDiary()
		for node := 0; node < o.Participants(); node++ {
			sends := 0
			watch(t, newRun(o, d), messages.NodeID(node), func(w *lockstep.Watched) {
				check := func(p messages.Payload) {
					sends++
					if node > o.Learners && node <= 2*o.Learners { // a client hands its datum over
						return
					}
					if raw := p.Kind().Exposure() == messages.Raw; raw != (kind == "") {
						t.Fatalf("%q: participant %d sends raw: %v", kind, node, raw)
					}
				}
				if w.Outbox.Broadcast != nil {
					check(w.Outbox.Broadcast)
				}
				for to := range o.Participants() {
					for _, single := range w.Outbox.Singles(messages.NodeID(to)) {
						check(single.Payload)
					}
				}
			})
			if sends == 0 {
				t.Errorf("participant %d sends nothing", node)
			}
		}
		for node := range d.spent {
			if node < 1 || int(node) > o.Learners {
				t.Errorf("participant %d pays", node)
			}
		}
	}
}

// TestTiersRuntimes: both runtimes leave the same bits, with any shards, resumed in any step, and where all
// learners stop.
func TestTiersRuntimes(t *testing.T) {
	host := algorithmtest.NewHost(t)
	for _, shape := range shapes[:5] {
		for _, version := range []ofl.Version{ofl.PerRound, ofl.PerStep} {
			all := map[messages.NodeID]bool{}
			o := described("tree", func(o *ofl.Options) { o.Version, o.Rounds, o.Tau = version, 4, 2 }, tiered(shape.fan, shape.periods...))
			for i := range o.Learners {
				all[ofl.Learner(i)] = true
			}
			for _, refused := range []map[messages.NodeID]bool{nil, all} {
				name := fmt.Sprintf("%v, version %d", shape.fan, version)
				fresh(o, refused).CheckRuntimes(t, host, name, 1, 2, 3, o.Participants())
				fresh(o, refused).CheckResumes(t, host, name, 1)
			}
		}
	}
}

// TestTiersValidate: levels that do not fit are refused.
func TestTiersValidate(t *testing.T) {
	for want, change := range map[string]func(*ofl.Options){
		"levels of servers [2 2] for 3 learners": func(o *ofl.Options) { tiered([]int{2, 2}, 1)(o); o.Learners = 3 },
		"levels of servers [3] for 3 learners":   func(o *ofl.Options) { tiered([]int{3})(o) },
		"in a network with effects":              func(o *ofl.Options) { tiered([]int{1, 3}, 1)(o); o.Effects = true },
	} {
		o := logisticOptions(change)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
