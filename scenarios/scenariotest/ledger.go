package scenariotest

import (
	"context"
	"fmt"
	"math"
	"testing"

	"starling/actors/algorithm"
	"starling/actors/lockstep"
	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/accounts"
	"starling/scenarios/jobs"
	"starling/scenarios/study"
)

// Sending is a payload that a node sent in a step and hop.
type Sending struct {
	Step, Hop int
	Exposure  messages.Exposure
	First     float64 // entry of the vector
}

// SentBy runs a job of the first arm once for each of the nodes. It returns the payloads that
// each sent over wires, and the job of the last run. With a pause > 0 the job is saved after
// so many steps, and another goes on from there.
func SentBy(t *testing.T, s *study.Scenario, pause int, nodes ...messages.NodeID) (sent map[messages.NodeID][]Sending, j *study.Job) {
	t.Helper()
	sent = map[messages.NodeID][]Sending{}
	for _, node := range nodes {
		j = JobOf(t, s)
		var state []byte
		end := math.MaxInt // step at which the first job is saved
		if pause > 0 {
			end = j.Run.FirstStep + pause
			j.Run.Pauses = algorithm.Pauses{Every: pause, Save: func(now *algorithm.State) error {
				if state == nil {
					state = messages.Write(nil, jobs.SaveAt(j, now))
				}
				return nil
			}}
		}
		watchSent(t, &j.Run, node, func(m Sending) {
			if m.Step < end {
				sent[node] = append(sent[node], m)
			}
		})
		if pause > 0 {
			j = JobOf(t, s)
			if err := jobs.Resume(j, state); err != nil {
				t.Fatal(err)
			}
			watchSent(t, &j.Run, node, func(m Sending) { sent[node] = append(sent[node], m) })
		}
	}
	return sent, j
}

// watchSent runs a run and adds the payloads that a node sends.
func watchSent(t *testing.T, run *algorithm.Run, node messages.NodeID, add func(Sending)) {
	t.Helper()
	visit := func(w *lockstep.Watched) error {
		for _, p := range payloads(w, node) {
			add(Sending{w.Step, w.Hop, p.Kind().Exposure(), p.(*messages.Vector).Values[0]})
		}
		return nil
	}
	if err := lockstep.Watch(context.Background(), run, &lockstep.Watcher{Node: node, Visit: visit}); err != nil {
		t.Fatal(err)
	}
}

// payloads returns the payloads that a node sends in a turn: a broadcast once.
func payloads(w *lockstep.Watched, node messages.NodeID) (list []messages.Payload) {
	out := w.Graph.View(node).Out()
	if w.Outbox.Broadcast != nil && len(out) > 0 {
		list = append(list, w.Outbox.Broadcast)
	}
	for _, to := range out {
		for _, single := range w.Outbox.Singles(to) {
			list = append(list, single.Payload)
		}
	}
	return list
}

// FinalRows returns the rows of a job that has run, by observer and unit.
func FinalRows(t *testing.T, arm *study.Arm, j *study.Job) map[accountant.Observer]map[int32]float64 {
	t.Helper()
	rows, err := accounts.PrivacyRows(arm, j.Run.Seed, j.Meter)
	if err != nil {
		t.Fatal(err)
	}
	found := map[accountant.Observer]map[int32]float64{}
	for _, row := range rows {
		if !row.Final {
			continue
		}
		of := accountant.Observer(row.Observer)
		if found[of] == nil {
			found[of] = map[int32]float64{}
		}
		for unit := row.Unit; unit < row.Unit+row.Units; unit++ {
			found[of][unit] = row.Epsilon
		}
	}
	return found
}

// Released returns the payloads of a list that carry releases.
func Released(list []Sending) (kept []Sending) {
	for _, m := range list {
		if m.Exposure == messages.Released {
			kept = append(kept, m)
		}
	}
	return kept
}

// Charged is a scenario with a ledger to compare with its messages.
type Charged struct {
	Scenario *study.Scenario
	// Nodes are watched. The messages of each cost Sum, by all observers. Peers and the public
	// see the share Downward of it: 1, unless a server sends less.
	Nodes    []messages.NodeID
	Sum      func(sent []Sending) float64
	Least    int // number of releases of the node with the fewest
	Downward float64
}

// Holds checks that the ledger's totals are the sums over the messages that were sent, of
// every watched node and to every observer, in a straight run and in one that is saved and
// resumed.
func (c *Charged) Holds(t *testing.T) {
	for _, pause := range []int{0, 3} {
		t.Run(fmt.Sprintf("pause %d", pause), func(t *testing.T) {
			arm := c.Scenario.Arms[0]
			sent, j := SentBy(t, c.Scenario, pause, c.Nodes...)
			rows, fewest := FinalRows(t, arm, j), math.MaxInt
			for _, node := range c.Nodes {
				made := len(Released(sent[node]))
				fewest = min(fewest, made)
				unit := int32(node) + int32(arm.Extent.FirstLabel)
				for observer, units := range rows {
					want := c.Sum(sent[node])
					if observer == accountant.Peer || observer == accountant.Public {
						want *= c.Downward
					}
					if e := units[unit]; !(math.Abs(e-want) <= 1e-12*want) {
						t.Errorf("%s learns %v of unit %d, want %v by %d releases", observer, e, unit, want, made)
					}
				}
			}
			if fewest != c.Least || len(rows) < 3 {
				t.Errorf("the node that released least made %d releases, want %d; %d observers", fewest, c.Least, len(rows))
			}
		})
	}
}
