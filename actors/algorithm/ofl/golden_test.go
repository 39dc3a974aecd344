package ofl_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"starling/actors/algorithm"
	"starling/actors/algorithm/ofl"
	"starling/actors/algorithmtest"
	"starling/actors/lockstep"
	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/messages"
)

// tinyOptions are small enough to follow by hand: n = R = tau = d = 2. The
// gradients x - (learner, step)/2 are longer than B_g = 1 in some steps: clipped.
func tinyOptions(changes ...func(*ofl.Options)) ofl.Options {
	return logisticOptions(append([]func(*ofl.Options){func(o *ofl.Options) {
		o.Learners, o.Rounds, o.Tau, o.LocalStep, o.GlobalStep = 2, 2, 2, 0.25, 2
		o.Start, o.GradientBound = []float64{0, 0.5}, 1
		o.Model = model{2, func(dst, x, datum []float64) { copy(dst, minus(x, datum)) }}
		o.Data = data{2, func(dst []float64, learner, step int) {
			dst[0], dst[1] = float64(learner+1)/2, float64(step)/2
		}}
	}}, changes...)...)
}

// Transcripts of tiny runs are kept word for word: a change of any bit shows,
// and shows where. Run the test with -update to rewrite them.
func TestTranscripts(t *testing.T) {
	version1 := func(o *ofl.Options) { o.Version = ofl.PerRound }
	for name, changes := range map[string][]func(*ofl.Options){
		"no-noise":          nil,
		"version1-toeplitz": {version1, withNoise(factorization.Toeplitz)},
		"version2-tree":     {withNoise(factorization.Tree)},
	} {
		t.Run(name, func(t *testing.T) {
			algorithmtest.CheckTranscript(t, name, transcript(t, tinyOptions(changes...)))
		})
	}
}

// book is a meter that writes down what it is told of one node.
type book struct {
	*diary
	node  messages.NodeID
	lines []string
}

func (b *book) note(node messages.NodeID, format string, args ...any) {
	if node == b.node {
		b.lines = append(b.lines, fmt.Sprintf(format, args...))
	}
}

func (b *book) Played(node messages.NodeID, _ int, x []float64) {
	b.note(node, "played   %s", algorithmtest.Vector(x))
}

func (b *book) Spent(node messages.NodeID, _ int, loss accountant.Loss) error {
	if loss == (accountant.Loss{Rho: loss.Rho}) {
		b.note(node, "spent    rho %s", algorithmtest.Number(loss.Rho))
	} else {
		b.note(node, "spent    %+v", loss)
	}
	return nil
}

func (b *book) Recorded(node messages.NodeID, _ int, quantity string, value float64) {
	b.note(node, "recorded %s %s", quantity, algorithmtest.Number(value))
}

// transcript is what every node does in every turn: what it receives, what the
// meter is told, what it sends, and its state after that.
func transcript(t *testing.T, o ofl.Options, changes ...func(*algorithm.Run)) string {
	turns := make([][]string, 2*o.Steps()+o.Rounds)
	for node := range messages.NodeID(o.Participants()) {
		meter := &book{diary: newDiary(), node: node}
		run := newRun(o, meter)
		for _, change := range changes {
			change(run)
		}
		watch(t, run, node, func(w *lockstep.Watched) {
			lines := []string{fmt.Sprintf("step %d, hop %d, %s", w.Step, w.Hop, role(o, node))}
			for i := range w.Inbox {
				e := &w.Inbox[i]
				v := e.Payload.(*messages.Vector)
				lines = append(lines, fmt.Sprintf("received %s %s from %s", v.Kind(), algorithmtest.Vector(v.Values), role(o, e.From)))
			}
			lines = append(append(lines, meter.lines...), sent(o, w)...)
			meter.lines = nil
			for _, name := range []string{"x", "z", "b xi"} {
				if values := algorithmtest.Quantity(w.Machine, name); values != nil {
					lines = append(lines, fmt.Sprintf("holds    %s = %s", name, algorithmtest.Vector(values)))
				}
			}
			turns[w.Turn] = append(turns[w.Turn], strings.Join(lines, "\n  "))
		})
	}
	return strings.Join(slices.Concat(turns...), "\n") + "\n"
}

func role(o ofl.Options, node messages.NodeID) string {
	switch n := messages.NodeID(o.Learners); {
	case node == 0:
		return "server"
	case node <= n:
		return fmt.Sprintf("learner %d", node)
	default:
		return fmt.Sprintf("client of learner %d", node-n)
	}
}

// sent lists the messages of a turn, by receiver.
func sent(o ofl.Options, w *lockstep.Watched) (lines []string) {
	note := func(p messages.Payload, to string) {
		v := p.(*messages.Vector)
		lines = append(lines, fmt.Sprintf("sent     %s %s to %s", v.Kind(), algorithmtest.Vector(v.Values), to))
	}
	if p := w.Outbox.Broadcast; p != nil {
		note(p, "all learners")
	}
	for to := range messages.NodeID(o.Participants()) {
		for _, single := range w.Outbox.Singles(to) {
			note(single.Payload, role(o, to))
		}
	}
	return lines
}
