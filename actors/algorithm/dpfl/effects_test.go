package dpfl_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"starling/actors/algorithm"
	"starling/actors/algorithm/dpfl"
	"starling/actors/algorithmtest"
	"starling/actors/network"
	"starling/actors/runtimetest"
	"starling/messages"
)

// troubled are effects of every sort on a server and three clients. A message
// waits for its receiver's next turn by the schedule.
func troubled(seed uint64) *network.Effects {
	return must(network.New(network.Options{
		Nodes: 4, Seed: seed, Delay: network.Geometric{Arrive: 0.75, Longest: 6}, Loss: network.Independent{Probability: 0.05},
		Patience: 1, Churn: &network.Churn{Fail: 0.15, Recover: 0.5, Nodes: []messages.NodeID{1, 2, 3}},
		Outages: []network.Outage{
			{Nodes: []messages.NodeID{0}, Interval: network.Interval{First: 9, End: 10}},
			{Nodes: []messages.NodeID{0}, Interval: network.Interval{First: 15, End: 16}},
		},
	}))
}

// withEffects are runs of every sort with effects and more rounds.
func withEffects() map[string]dpfl.Options {
	list := map[string]dpfl.Options{}
	for _, late := range []algorithm.Late{algorithm.LateDrop, algorithm.LateUse, ""} {
		for name, o := range sampleRuns() {
			o.Effects, o.Late = true, late
			if o.Rounds > 2 && o.Budget == nil { // which statistics of more rounds would take
				o.Rounds = 20
				if o.Noise.Once() {
					o.Noise = prefix(&o, o.Noise.Factorization().Kind(), 1)
				}
			}
			list[fmt.Sprintf("%s, late %q", name, late)] = o
		}
	}
	return list
}

// dropout is a run in a network with effects as a plain loop over turns: each
// message is looked for by its sender and turn.
type dropout struct {
	transcriber
	net    *network.Effects
	turns  [][2]int // round, hop
	budget int

	means, taus      map[int][]float64   // by turn: what the server broadcast
	models           []map[int][]float64 // by client, by turn: what it sent
	ratios           []map[int][]float64
	gradients        []map[int][]float64
	clients          []remembered
	w                []float64
	tau, done, last  int
	rho, beta        float64
	estimated        bool
	played, averaged [][]float64
	chosen           []float64
}

// remembered is what a client goes by.
type remembered struct {
	w, local         []float64
	tau, done        int
	sentMean, sentAt int
	ended            bool
}

func newDropout(o dpfl.Options, seed uint64, net *network.Effects) *dropout {
	d := &dropout{
		transcriber: transcriber{o: o, seed: seed}, net: net, budget: must(dpfl.NewPlan(&o)).Steps,
		means: map[int][]float64{}, taus: map[int][]float64{}, w: slices.Clone(o.Start), tau: max(o.Tau, 1),
	}
	for offset := range o.Rounds {
		for hop := range o.Hops(offset) {
			d.turns = append(d.turns, [2]int{offset + 1, hop})
		}
	}
	for range o.Clients {
		d.models, d.ratios = append(d.models, map[int][]float64{}), append(d.ratios, map[int][]float64{})
		d.gradients = append(d.gradients, map[int][]float64{})
		d.clients = append(d.clients, remembered{w: d.w, local: d.w, tau: d.tau, sentMean: -1, sentAt: -1})
	}
	return d
}

// reaches is the turn in which what is sent in a turn is there; -1 if never.
func (d *dropout) reaches(from, to messages.NodeID, sent int) int {
	delay, lost := d.net.Fate(from, to, sent)
	for turn := sent + 1 + delay; !lost && turn <= sent+1+delay+d.net.Patience() && turn < len(d.turns); turn++ {
		if (to == 0) == (d.turns[turn][1]%2 == 1) && d.net.Up(to, turn) {
			return turn
		}
	}
	return -1
}

func (d *dropout) loop() {
	for turn, now := range d.turns {
		round, hop := now[0], now[1]
		if hop%2 == 1 {
			if d.net.Up(0, turn) {
				d.serve(turn, round, hop)
			}
			continue
		}
		for i := range d.clients {
			if node := messages.NodeID(1 + i); d.net.Up(node, turn) && !d.clients[i].ended {
				d.act(i, turn, round, hop)
			}
		}
	}
}

// act is a turn of a client.
func (d *dropout) act(i, turn, round, hop int) {
	c, node := &d.clients[i], messages.NodeID(1+i)
	renewed := false
	for sent := range turn {
		if w, ok := d.means[sent]; ok && sent > c.sentMean && d.reaches(0, node, sent) == turn {
			c.w, c.sentMean, renewed = w, sent, sent == turn-1
		}
		if tau, ok := d.taus[sent]; ok && sent > c.sentAt && d.reaches(0, node, sent) == turn {
			c.tau, c.sentAt = int(tau[0]), sent
		}
	}
	if c.done == d.budget {
		c.ended = true
		return
	}
	if hop == 2 {
		if renewed {
			d.gradients[i][turn] = d.gradient(i, round, c.w)
		}
		return
	}
	steps := min(c.tau, d.budget-c.done)
	c.done += steps
	chooses := d.o.Adaptive != nil && round >= 2 && round < d.o.Rounds
	if chooses && c.done < d.budget && norm(minus(c.local, c.w)) > 1e-12*norm(c.w) {
		rho, beta := d.estimates(i, round, c.local, c.w)
		d.ratios[i][turn] = []float64{rho, beta}
	}
	c.local = d.local(i, round, steps, c.w)
	d.models[i][turn] = c.local
}

// meanOver is the mean over clients, by |D_i|, of what they sent in the turns that
// are wanted; nil if there is nothing.
func (d *dropout) meanOver(sent []map[int][]float64, wanted func(node messages.NodeID, turn int) bool) (mean []float64, n int) {
	var weight float64
	for i := range sent {
		for turn := range d.turns {
			if x, ok := sent[i][turn]; ok && wanted(messages.NodeID(1+i), turn) {
				if mean == nil {
					mean = make([]float64, len(x))
				}
				size := float64(d.o.Clients[i].Size())
				axpy(mean, size, x)
				weight += size
				n++
			}
		}
	}
	for k := range mean {
		mean[k] /= weight
	}
	return mean, n
}

// serve is a turn of the server.
func (d *dropout) serve(turn, round, hop int) {
	before := func(node messages.NodeID, sent int) bool {
		return sent == turn-1 && d.reaches(node, 0, sent) == turn
	}
	if hop == 1 {
		previous := -1 // the turn in which the server averaged last
		for at := range d.means {
			previous = max(previous, at)
		}
		mean, n := d.meanOver(d.models, func(node messages.NodeID, sent int) bool {
			at := d.reaches(node, 0, sent)
			return at == turn && sent == turn-1 || d.o.Late == algorithm.LateUse && previous < at && at <= turn
		})
		if n > 0 {
			d.w = mean
		}
		ratios, n2 := d.meanOver(d.ratios, before)
		if d.estimated = n2 > 0; d.estimated {
			d.rho, d.beta = ratios[0], ratios[1]
		}
		d.done = min(d.done+(round-d.last)*d.tau, d.budget)
		d.last, d.means[turn] = round, d.w
		d.played, d.averaged = append(d.played, d.w), append(d.averaged, []float64{float64(n)})
		return
	}
	mean, n := d.meanOver(d.gradients, before)
	if n > 0 && d.estimated && d.last == round {
		distances := make([]map[int][]float64, len(d.gradients))
		for i, sent := range d.gradients {
			distances[i] = map[int][]float64{}
			if x, ok := sent[turn-1]; ok {
				distances[i][turn-1] = []float64{norm(minus(x, mean))}
			}
		}
		xi, _ := d.meanOver(distances, before)
		best, least := 1, math.Inf(1)
		for tau := 1; tau <= min(2*d.tau, 100); tau++ {
			T := math.Min(float64(tau*(d.o.Rounds-round)), float64(d.budget-d.done))
			if g := d.G(tau, T, d.rho, d.beta, xi[0]); g < least-1e-12 {
				best, least = tau, g
			}
		}
		d.tau = best
		d.chosen = append(d.chosen, float64(best))
	}
	d.taus[turn] = []float64{float64(d.tau)}
}

// The machines do what the rules say, to rounding, where clients drop out, are
// late and miss models and taus.
func TestDropoutTranscription(t *testing.T) {
	empty, choices := 0, 0
	for name, o := range withEffects() {
		net := troubled(uint64(len(name)))
		want, got := newDropout(o, 7, net), runIn(t, o, net)
		want.loop()
		if len(got.models) != len(want.played) {
			t.Fatalf("%s: %d models, want %d", name, len(got.models), len(want.played))
		}
		counts := slices.Concat(want.averaged...)
		compare(t, name+": participants", got.values[0][dpfl.Participants], counts, 0)
		compare(t, name+": tau*", got.values[0][dpfl.TauChosen], want.chosen, 0)
		for k, w := range want.played {
			if norm(minus(w, got.models[k])) > 1e-9 {
				t.Fatalf("%s: model %d is %v, want %v", name, k+1, got.models[k], w)
			}
		}
		for _, n := range counts {
			if n == 0 {
				empty++
			}
		}
		choices += len(want.chosen)
	}
	if empty < 5 || choices < 20 {
		t.Errorf("%d rounds in which nobody came and %d choices of tau: these runs have little to tell", empty, choices)
	}
}

// runIn runs in a network and returns what the meter was told.
func runIn(t algorithmtest.Fataler, o dpfl.Options, net algorithm.Network) *diary {
	t.Helper()
	d := &absent{newDiary()}
	run := newRun(o, d)
	run.Network = net
	if err := algorithmtest.Lockstep(run); err != nil {
		t.Fatalf("run: %v", err)
	}
	return d.diary
}

// absent is a diary of a server that may be down in a round.
type absent struct{ *diary }

func (d *absent) Played(_ messages.NodeID, _ int, x []float64) {
	d.models = append(d.models, slices.Clone(x))
}

// Transcripts of tiny runs in which client 1 misses a round, and client 2 is late.
func TestEffectsTranscripts(t *testing.T) {
	ali := func(o *dpfl.Options) {
		o.Tau, o.Rounds = 0, 5
		o.Adaptive = &dpfl.Adaptive{Statistics: dpfl.AsPrinted}
	}
	effects := func(o *dpfl.Options) { o.Effects, o.Late = true, algorithm.LateUse }
	for name, o := range map[string]dpfl.Options{"effects-fixed": tiny(effects), "effects-adaptive": tiny(ali, effects)} {
		algorithmtest.CheckTranscript(t, name, transcriptOf(t, o, func(r *algorithm.Run) {
			r.Network = must(network.New(network.Options{
				Nodes: 3, Patience: 1,
				Outages:     []network.Outage{{Nodes: []messages.NodeID{1}, Interval: network.Interval{First: 1, End: 4}}},
				Stragglings: []network.Straggling{{Nodes: []messages.NodeID{2}, Interval: network.Interval{First: 2, End: 4}, Turns: 2}},
			}))
		}))
	}
}

// Where all are there and in time, rounds by the schedule leave the same models, to
// the last bit, as rounds in which everybody waits.
func TestEffectsOfNone(t *testing.T) {
	for name, o := range withEffects() {
		got := runLockstep(t, o)
		o.Effects = false
		want := runLockstep(t, o)
		for k, w := range want.models {
			if !slices.Equal(w, got.models[k]) {
				t.Fatalf("%s: round %d gave %v, want %v", name, k+1, got.models[k], w)
			}
		}
		compare(t, name+": tau*", got.values[0][dpfl.TauChosen], want.values[0][dpfl.TauChosen], 0)
	}
}

// kept is a network whose nodes keep what they know.
type kept struct{ algorithm.Network }

func (kept) Restarts(messages.NodeID, int) bool { return false }
func (kept) Forgets(messages.NodeID) bool       { return false }

// Whatever becomes of messages and clients, no client spends more than its budget,
// both runtimes leave the same bits on any shards, and so does a run that is
// resumed anywhere.
func TestRandomEffects(t *testing.T) {
	host, runs := algorithmtest.NewHost(t), sampleRuns()
	names := []string{"fixed", "fixed with budget", "as printed, some", "private, some", "public"}
	rapid.Check(t, func(t *rapid.T) {
		o := runs[rapid.SampledFrom(names).Draw(t, "options")]
		o.Effects, o.Late = true, rapid.SampledFrom([]algorithm.Late{algorithm.LateDrop, algorithm.LateUse}).Draw(t, "late")
		net := kept{runtimetest.DrawNetwork(t, 4, 4*o.Rounds)}
		d := runIn(t, o, net)
		plan := must(dpfl.NewPlan(&o))
		for i := range o.Clients {
			total := d.total(messages.NodeID(1 + i))
			if b := o.Budget; b != nil && o.Adaptive == nil || b != nil && o.Adaptive.Statistics != dpfl.AsPrinted {
				if epsilon := must(total.Epsilon(b.Delta, b.Method)); epsilon > b.Epsilon*(1+1e-9) {
					t.Fatalf("client %d spent %v of %v", i+1, epsilon, b.Epsilon)
				}
			}
			steps := 0
			for _, loss := range d.spent[messages.NodeID(1+i)] {
				if loss == o.StepLoss(i) {
					steps++
				}
			}
			if steps > plan.Steps {
				t.Fatalf("client %d took %d local steps of %d", i+1, steps, plan.Steps)
			}
		}
		change := func(r *algorithm.Run) { r.Network = net }
		want, pauses := fresh(o, nil, change).FinishWithPauses(t, 1, algorithmtest.Lockstep)
		shards := rapid.IntRange(1, 4).Draw(t, "shards")
		got := fresh(o, nil, change).Finish(t, algorithmtest.Actors(host, shards))
		if diff := runtimetest.Diff(want, got); diff != "" {
			t.Fatalf("-lockstep +actors:\n%s", diff)
		}
		if len(pauses) == 0 {
			return
		}
		from := rapid.SampledFrom(pauses).Draw(t, "pause")
		got = fresh(o, nil, change).FinishFrom(t, from, algorithmtest.Actors(host, shards))
		if diff := runtimetest.Diff(want, got); diff != "" {
			t.Fatalf("-straight +resumed:\n%s", diff)
		}
	})
}
