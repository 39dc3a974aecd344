package auditing

import (
	"fmt"
	"slices"
	"starling/actors/algorithm"
	"starling/actors/lockstep"
	"starling/actors/network"
	"starling/actors/topology"
	"starling/messages"
)

// shadow is a second machine of the node, without noise. After each turn it goes on from the
// releases of the machine, as that does: it takes the turn once more, with these releases in
// the place of its own. The rest of its state is its own.
type shadow struct {
	// A shadow has a run of its own, of which only this node is stepped.
	node    messages.NodeID
	run     *algorithm.Run
	stepper *algorithm.Stepper
	again   *algorithm.Stepper // of the turn that is taken once more
	clock   algorithm.Clock
	state   []byte      // before the turn
	taught  [][]float64 // releases to go on from, in the turn that is taken once more
	// begins means that the shadow has sent nothing yet, or nothing since it restarted.
	begins bool
	outbox messages.Outbox
	sent   [][]float64
	turns  []int // of the vectors in sent
	// kept is the last vector that the shadow kept to itself, in a turn in which its node made
	// no release.
	kept  []float64
	audit *Run
}

// shadowLifetime is the number of turns for which a vector of the shadow must last.
const shadowLifetime = 2

// newShadow returns the machine of a node in a run without noise, ready for the node's first
// turn.
func (a *Run) newShadow(run *algorithm.Run, node messages.NodeID) *shadow {
	run.Meter = &Ledger{Node: node, pays: a.Stops.pay}
	stepper := func() *algorithm.Stepper { return algorithm.NewStepper(run, messages.Range(node, 1), shadowLifetime) }
	return &shadow{node: node, run: run, stepper: stepper(), again: stepper(), clock: run.Clock(), begins: true, audit: a}
}

// step gives the shadow the turn that the machine has had, with an inbox. The shadow first
// passes the turns in which it was not stepped: it restarts when the machine does. released
// are the machine's releases.
func (s *shadow) step(w *lockstep.Watched, view topology.View, inbox []messages.Envelope, released [][]float64) error {
	machine := s.run.Machines[s.node]
	inbox = s.own(inbox)
	for {
		s.stepper.Begin(&s.clock)
		if failure := s.stepper.Restart(machine, s.node); failure != nil {
			return failure
		}
		s.begins = s.begins || s.run.Network != nil && s.run.Network.Restarts(s.node, s.clock.Turn)
		if s.clock.Turn == w.Turn {
			break
		}
		s.clock.Next()
	}
	if len(released) > 0 {
		s.state = messages.Write(s.state[:0], machine)
	}
	if failure := s.turn(s.stepper, w, view, inbox); failure != nil {
		return failure
	}
	s.kept = s.kept[:0]
	if v, ok := s.outbox.Broadcast.(*messages.Vector); ok && s.audit.stays(view) {
		s.kept = append(s.kept, v.Values...)
	}
	visitSent(view, &s.outbox, s.audit, func(values []float64, _ float64) {
		s.sent, s.turns = append(s.sent, slices.Clone(values)), append(s.turns, s.clock.Turn)
	})
	if len(released) > 0 {
		if err := messages.Read(s.state, machine); err != nil {
			return err
		}
		s.again.Begin(&s.clock)
		s.taught = released
		if failure := s.turn(s.again, w, view, inbox); failure != nil {
			return failure
		}
		s.taught = nil
	}
	s.clock.Next()
	return nil
}

// own returns an inbox with the vector that the shadow has kept to itself in the place of the
// machine's.
func (s *shadow) own(inbox []messages.Envelope) []messages.Envelope {
	for i := range inbox {
		if v, ok := inbox[i].Payload.(*messages.Vector); ok && inbox[i].From == s.node && len(v.Values) == len(s.kept) {
			inbox = slices.Clone(inbox)
			inbox[i].Payload = &messages.Vector{Values: slices.Clone(s.kept)}
			break
		}
	}
	return inbox
}

// sentIn returns the shadow's vector in a turn in which its node sent a vector. A shadow sends
// when its node does: if it did not, that is a fault of the audit.
func (s *shadow) sentIn(turn int) []float64 {
	k, ok := slices.BinarySearch(s.turns, turn)
	if !ok {
		panic(fmt.Sprintf("audit: node %d sent a vector in turn %d, and without noise it sends none", s.run.Label(s.node), turn))
	}
	return s.sent[k]
}

// teach puts a release of the machine in the place of a release of the shadow.
func (s *shadow) teach(_ messages.NodeID, entries []float64) {
	if len(s.taught) > 0 {
		copy(entries, s.taught[0])
		s.taught = s.taught[1:]
	}
}

// turn gives the shadow its turn, by one of its steppers, and leaves its messages in its
// outbox. A folder gets its messages folded, as in a run.
func (s *shadow) turn(stepper *algorithm.Stepper, w *lockstep.Watched, view topology.View, inbox []messages.Envelope) (failure *algorithm.Failure) {
	machine := s.run.Machines[s.node]
	stepper.Follows(w.Before)
	s.run.Released = s.teach
	s.outbox.Reset()
	folder, folds := machine.(algorithm.Folder)
	if !folds {
		_, failure = stepper.Step(machine, view, slices.Clone(inbox), &s.outbox) // a copy, which lies change
		return failure
	}
	_, failure = stepper.StepFolder(folder, view, func() *messages.Blocks {
		if s.clock.Turn == 0 {
			return nil
		}
		blocks := messages.NewBlocks(len(s.run.Machines), folder.FoldLength())
		network.Fill(blocks, inbox, folder.Fold)
		return blocks
	}, &s.outbox)
	return failure
}
