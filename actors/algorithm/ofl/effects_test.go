package ofl_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"starling/actors/algorithm"
	"starling/actors/algorithm/ofl"
	"starling/actors/algorithmtest"
	"starling/actors/network"
	"starling/actors/runtimetest"
	"starling/mechanisms/factorization"
	"starling/mechanisms/rng"
	"starling/messages"
)

// inNetwork changes the network of a run. The network is made of its options by
// whoever makes the run, as its nodes are those of the run.
func inNetwork(n algorithm.Network) func(*algorithm.Run) {
	return func(r *algorithm.Run) { r.Network = n }
}

// troubled are effects of every sort for a number of learners. A message waits
// for its receiver's next turn by the schedule.
func troubled(o ofl.Options) *network.Effects {
	return must(network.New(network.Options{
		Nodes: o.Participants(), Seed: 5, Local: ofl.Local(o.Learners), Delay: network.Geometric{Arrive: 0.5, Longest: 12}, Loss: network.Independent{Probability: 0.1},
		Patience: 2 * o.Tau, Churn: &network.Churn{Fail: 0.1, Recover: 0.5},
		Outages: []network.Outage{{Nodes: []messages.NodeID{0}, Interval: network.Interval{First: 20, End: 30}}},
		// Models of these turns are overtaken by later ones.
		Stragglings: []network.Straggling{{Nodes: []messages.NodeID{0}, Interval: network.Interval{First: 60, End: 66}, Turns: 10},
			{Nodes: []messages.NodeID{0}, Interval: network.Interval{First: 100, End: 106}, Turns: 15}},
	}))
}

// dropout is what remembers a run in a network with effects, in a plain loop over
// turns: each message is looked for by its sender and turn.
type dropout struct {
	ofl.Options
	seed     uint64
	net      *network.Effects
	turns    []moment
	server   map[int][]float64       // by turn: the model broadcast in it
	learners []map[int][]float64     // by learner, by turn: ghat sent in it
	streams  []*factorization.Stream // by learner
	models   [][]float64             // after every turn of the server
	counts   []float64               // participants, in those turns
	played   [][][]float64           // by learner
	midway   int                     // models that came when a local step of the round had been taken
}

// moment is a turn of the schedule.
type moment struct{ step, hop int }

func newDropout(o ofl.Options, seed uint64, net *network.Effects) *dropout {
	d := &dropout{Options: o, seed: seed, net: net, server: map[int][]float64{}, played: make([][][]float64, o.Learners)}
	for step := range o.Steps() {
		for hop := range o.Hops(step) {
			d.turns = append(d.turns, moment{step, hop})
		}
	}
	for range o.Learners {
		d.learners = append(d.learners, map[int][]float64{})
		if o.Noise.Private() {
			d.streams = append(d.streams, must(o.Noise.Factorization().Stream(len(o.Start))))
		}
	}
	return d
}

// acts tells whether a participant has a turn, and is up.
func (d *dropout) acts(node, turn int) bool {
	n, hop := d.Learners, d.turns[turn].hop
	scheduled := hop == 0 && node >= 1 || hop == 1 && node >= 1 && node <= n || hop == 2 && node == 0
	return scheduled && d.net.Up(messages.NodeID(node), turn)
}

// reaches is the turn in which what is sent in a turn is there; -1 if never.
func (d *dropout) reaches(from, to, sent int) int {
	delay, lost := d.net.Fate(messages.NodeID(from), messages.NodeID(to), sent)
	for turn := sent + 1 + delay; !lost && turn <= sent+1+delay+d.net.Patience() && turn < len(d.turns); turn++ {
		if d.acts(to, turn) {
			return turn
		}
	}
	return -1
}

// loop is the whole run.
func (d *dropout) loop() {
	x := slices.Clone(d.Start)
	type learner struct {
		x, z, sum          []float64
		round, taken, sent int
	}
	learners := make([]learner, d.Learners)
	for i := range learners {
		learners[i] = learner{slices.Clone(d.Start), slices.Clone(d.Start), make([]float64, len(x)), -1, 0, -1}
	}
	for turn, now := range d.turns {
		if now.hop == 2 && d.acts(0, turn) {
			x = d.serve(x, turn)
			d.server[turn], d.models = x, append(d.models, x)
		}
		for i := range learners {
			if !d.acts(1+i, turn) {
				continue
			}
			l := &learners[i]
			if round := now.step / d.Tau; round != l.round {
				l.round, l.taken, l.z, l.sum = round, 0, slices.Clone(l.x), make([]float64, len(x))
			}
			for sent := turn - 1; sent > l.sent; sent-- { // the newest first
				if model, ok := d.server[sent]; ok && d.reaches(0, 1+i, sent) == turn {
					if l.taken > 0 {
						d.midway++
					}
					l.z, l.x, l.sent = combination(1, model, -1, minus(l.x, l.z)), model, sent
				}
			}
			if now.hop == 0 {
				d.played[i] = append(d.played[i], l.x)
				continue
			}
			client := 1 + d.Learners + i
			if d.acts(client, turn-1) && d.reaches(client, 1+i, turn-1) == turn {
				p := paper{Options: d.Options}
				g := p.gradient(i, now.step/d.Tau, now.step%d.Tau, l.z)
				axpy(l.sum, 1, g)
				if d.Version == ofl.PerStep {
					d.perturb(g, i, now.step, now.step)
				}
				axpy(l.z, -d.LocalStep, g)
				l.taken++
			}
			if (now.step+1)%d.Tau == 0 && l.taken > 0 {
				ghat := combination(1/(d.LocalStep*float64(d.Tau)), minus(l.x, l.z), 0, l.x)
				if d.Version == ofl.PerRound {
					ghat = combination(1/float64(d.Tau), l.sum, 0, l.sum)
					d.perturb(ghat, i, now.step, now.step/d.Tau)
				}
				d.learners[i][turn] = ghat
			}
		}
	}
}

// perturb adds the increments of a learner's noise since its last input up to one.
func (d *dropout) perturb(g []float64, i, step, input int) {
	if !d.Noise.Private() {
		return
	}
	row, r := make([]float64, len(g)), new(rng.Stream).Open(rng.NewKey(d.seed, d.NoisePurpose), 1+i, step, 1)
	for d.streams[i].Step() <= input {
		if err := d.streams[i].Next(row, r); err != nil {
			panic(err)
		}
		axpy(g, d.Noise.Scale(), row)
	}
}

// serve is a turn of the server.
func (d *dropout) serve(x []float64, turn int) []float64 {
	sum, n := make([]float64, len(x)), 0
	for i := range d.learners {
		for sent := range turn {
			ghat, ok := d.learners[i][sent]
			if ok && d.reaches(1+i, 0, sent) == turn && (sent == turn-1 || d.Late == algorithm.LateUse) {
				axpy(sum, 1, ghat)
				n++
			}
		}
	}
	d.counts = append(d.counts, float64(n))
	if n == 0 {
		return x
	}
	return combination(1, x, -d.LocalStep*d.GlobalStep*float64(d.Tau)/float64(n), sum)
}

// withEffects are runs of both versions, with and without noise, and both rules.
func withEffects() map[string]ofl.Options {
	list := map[string]ofl.Options{}
	for _, late := range []algorithm.Late{algorithm.LateDrop, algorithm.LateUse, ""} {
		for _, version := range []ofl.Version{ofl.PerRound, ofl.PerStep} {
			effects := func(o *ofl.Options) { o.Effects, o.Late, o.Version, o.Rounds, o.Learners = true, late, version, 30, 5 }
			list[fmt.Sprintf("version %d, late %q, no noise", version, late)] = logisticOptions(effects)
			list[fmt.Sprintf("version %d, late %q, toeplitz", version, late)] = logisticOptions(effects, withNoise(factorization.Toeplitz))
			list[fmt.Sprintf("version %d, late %q, tree", version, late)] = logisticOptions(effects, withNoise(factorization.Tree))
		}
	}
	return list
}

// The machines do what the rules say, to rounding, where learners drop out, come
// back in the middle of a round, and models overtake each other.
func TestDropoutTranscription(t *testing.T) {
	for name, o := range withEffects() {
		net := troubled(o)
		want := newDropout(o, 7, net)
		want.loop()
		d, run := newDiary(), newRun(o, nil)
		run.Meter, run.Network = d, net
		if err := algorithmtest.Lockstep(run); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := algorithmtest.Quantity(run.Machines[0], "x")
		if last := want.models[len(want.models)-1]; norm(minus(last, got)) > 1e-9 {
			t.Errorf("%s: the server ends with %v, want %v", name, got, last)
		}
		if !slices.Equal(d.values[0][ofl.Participants], want.counts) {
			t.Errorf("%s: the server averaged %v, want %v", name, d.values[0][ofl.Participants], want.counts)
		}
		if want.midway < 5 || slices.Min(want.counts) > 1 || slices.Max(want.counts) < 2 {
			t.Errorf("%s: %v participants and %d models in the middle of a round: the run has little to tell", name, want.counts, want.midway)
		}
		for i, played := range want.played {
			for k, x := range played {
				if norm(minus(x, d.played[ofl.Learner(i)][k])) > 1e-9 {
					t.Fatalf("%s: decision %d of learner %d is %v, want %v", name, k+1, i+1, d.played[ofl.Learner(i)][k], x)
				}
			}
			if o.Noise.Private() && len(d.spent[ofl.Learner(i)]) != 1 {
				t.Errorf("%s: learner %d paid %v, want once for all of the stream", name, i+1, d.spent[ofl.Learner(i)])
			}
		}
	}
}

// The transcript of a tiny run in which learner 1 is down at the end of round 0 and
// comes back in the middle of round 1, and learner 2 is a round late.
func TestEffectsTranscript(t *testing.T) {
	o := tinyOptions(withNoise(factorization.Tree), func(o *ofl.Options) { o.Effects, o.Late, o.Rounds = true, algorithm.LateUse, 3 })
	withNoise(factorization.Tree)(&o)
	algorithmtest.CheckTranscript(t, "effects", transcript(t, o, inNetwork(must(network.New(network.Options{
		Nodes: o.Participants(), Patience: 2 * o.Tau, Local: ofl.Local(o.Learners),
		Outages:     []network.Outage{{Nodes: []messages.NodeID{1}, Interval: network.Interval{First: 3, End: 7}}},
		Stragglings: []network.Straggling{{Nodes: []messages.NodeID{2}, Interval: network.Interval{First: 0, End: 5}, Turns: 1}},
	})))))
}

// Where all are there and in time, rounds by the schedule leave the same
// decisions, to the last bit, as rounds in which everybody waits.
func TestEffectsOfNone(t *testing.T) {
	for name, o := range withEffects() {
		got := runLockstep(t, o)
		o.Effects = false
		want := runLockstep(t, o)
		for i := range o.Learners {
			node := ofl.Learner(i)
			for k, x := range want.played[node] {
				if !slices.Equal(x, got.played[node][k]) {
					t.Fatalf("%s: decision %d of learner %d is %v, want %v", name, k+1, i+1, got.played[node][k], x)
				}
			}
		}
		for _, n := range got.values[0][ofl.Participants] {
			if n != float64(o.Learners) {
				t.Errorf("%s: %v participants of %d", name, n, o.Learners)
			}
		}
	}
}

// Whatever becomes of messages and learners, both runtimes leave the same bits on
// any shards, and so does a run that is resumed anywhere.
func TestRandomEffects(t *testing.T) {
	host := algorithmtest.NewHost(t)
	kinds := append(kinds(), "")
	rapid.Check(t, func(t *rapid.T) {
		o := described(rapid.SampledFrom(kinds).Draw(t, "kind"), func(o *ofl.Options) {
			o.Effects = true
			o.Late = rapid.SampledFrom([]algorithm.Late{algorithm.LateDrop, algorithm.LateUse}).Draw(t, "late")
			o.Version = rapid.SampledFrom([]ofl.Version{ofl.PerRound, ofl.PerStep}).Draw(t, "version")
			o.Learners = rapid.IntRange(1, 6).Draw(t, "n")
			o.Rounds = rapid.IntRange(1, 4).Draw(t, "R")
			o.Tau = rapid.IntRange(1, 4).Draw(t, "tau")
		})
		net := inNetwork(kept{runtimetest.DrawNetwork(t, o.Participants(), 2*o.Steps()+o.Rounds)})
		want, pauses := fresh(o, nil, net).FinishWithPauses(t, 1, algorithmtest.Lockstep)
		shards := rapid.IntRange(1, o.Participants()).Draw(t, "shards")
		got := fresh(o, nil, net).Finish(t, algorithmtest.Actors(host, shards))
		if diff := runtimetest.Diff(want, got); diff != "" {
			t.Fatalf("-lockstep +actors:\n%s", diff)
		}
		if len(pauses) > 0 {
			got = fresh(o, nil, net).FinishFrom(t, rapid.SampledFrom(pauses).Draw(t, "pause"), algorithmtest.Actors(host, shards))
			if diff := runtimetest.Diff(want, got); diff != "" {
				t.Fatalf("-straight +resumed:\n%s", diff)
			}
		}
	})
}

// kept is a network whose nodes keep what they know.
type kept struct{ algorithm.Network }

func (kept) Restarts(messages.NodeID, int) bool { return false }
func (kept) Forgets(messages.NodeID) bool       { return false }
