package dpfl_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"starling/actors/algorithm"
	"starling/actors/algorithm/dpfl"
	"starling/actors/algorithmtest"
	"starling/actors/lockstep"
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/messages"
)

// tiny are two clients of 4 and 6 samples, and two parameters.
func tiny(changes ...func(*dpfl.Options)) dpfl.Options {
	return fixed(append([]func(*dpfl.Options){func(o *dpfl.Options) {
		o.Clients = []dpfl.Data{quadratic(1, 4, 2, 1), quadratic(2, 6, 2, 0.5)}
		o.Rounds, o.Tau, o.Batch, o.Clip, o.Start = 3, 2, 3, 0.5, []float64{0, 0.5}
		o.Noise = noise.OnSamples(1.1, o.Clip)
	}}, changes...)...)
}

// Transcripts of tiny runs are kept word for word: a change of any bit shows,
// and shows where. Run the test with -update to rewrite them.
func TestTranscripts(t *testing.T) {
	ali := func(o *dpfl.Options) {
		o.Tau, o.Rounds = 0, 4
		o.Adaptive = &dpfl.Adaptive{Statistics: dpfl.AsPrinted}
	}
	for name, o := range map[string]dpfl.Options{
		"fixed":            tiny(),
		"fixed-budget":     tiny(budget(8.5)),
		"adaptive":         tiny(ali),
		"adaptive-private": tiny(ali, private, func(o *dpfl.Options) { o.Adaptive.Samples = 3 }),
		"adaptive-budget":  tiny(ali, budget(14), func(o *dpfl.Options) { o.Rounds = 5 }),
	} {
		t.Run(name, func(t *testing.T) {
			algorithmtest.CheckTranscript(t, name, transcriptOf(t, o))
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
	b.note(node, "spent    %s", loss)
	return nil
}

func (b *book) Recorded(node messages.NodeID, _ int, quantity string, value float64) {
	b.note(node, "recorded %s %s", quantity, algorithmtest.Number(value))
}

func (b *book) Stopped(node messages.NodeID, _ int, reason string) {
	b.note(node, "stopped  %s", reason)
}

// transcriptOf is what every node does in every turn: what it receives, what the
// meter is told, what it sends, and its state after that.
func transcriptOf(t *testing.T, o dpfl.Options, changes ...func(*algorithm.Run)) string {
	turns := make([][]string, 4*o.Rounds)
	for node := range messages.NodeID(len(o.Clients) + 1) {
		meter := &book{diary: newDiary(), node: node}
		w := &lockstep.Watcher{Node: node, Visit: func(w *lockstep.Watched) error {
			lines := []string{fmt.Sprintf("round %d, hop %d, %s", w.Step, w.Hop, role(node))}
			for i := range w.Inbox {
				e := &w.Inbox[i]
				v := e.Payload.(*messages.Vector)
				lines = append(lines, fmt.Sprintf("received %s %s from %s", v.Kind(), algorithmtest.Vector(v.Values), role(e.From)))
			}
			lines = append(append(lines, meter.lines...), sent(w)...)
			meter.lines = nil
			for _, name := range []string{"w", "w_i", "k", "tau", "t"} {
				if values := algorithmtest.Quantity(w.Machine, name); values != nil {
					lines = append(lines, fmt.Sprintf("holds    %s = %s", name, algorithmtest.Vector(values)))
				}
			}
			turns[w.Turn] = append(turns[w.Turn], strings.Join(lines, "\n  "))
			return nil
		}}
		run := newRun(o, meter)
		for _, change := range changes {
			change(run)
		}
		if err := lockstep.Watch(t.Context(), run, w); err != nil {
			t.Fatal(err)
		}
	}
	return strings.Join(slices.Concat(turns...), "\n") + "\n"
}

func role(node messages.NodeID) string {
	if node == 0 {
		return "server"
	}
	return fmt.Sprintf("client %d", node)
}

// sent lists the messages of a turn.
func sent(w *lockstep.Watched) (lines []string) {
	note := func(p messages.Payload, to string) {
		v := p.(*messages.Vector)
		lines = append(lines, fmt.Sprintf("sent     %s %s to %s", v.Kind(), algorithmtest.Vector(v.Values), to))
	}
	if p := w.Outbox.Broadcast; p != nil {
		note(p, "all clients")
	}
	for _, single := range w.Outbox.Singles(0) {
		note(single.Payload, "server")
	}
	return lines
}
