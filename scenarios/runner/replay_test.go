package runner_test

import (
	"slices"
	"testing"

	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
)

// replayable is a small run of a library scenario, in a folder.
func replayable(t *testing.T, name string, overrides ...string) (*study.Scenario, *results.Run) {
	t.Helper()
	s := scenariotest.Undrawn(scenariotest.Small(t, name, overrides...))
	o := runner.RunOptions{Out: t.TempDir(), Engine: runner.Lockstep, Build: "test"}
	if _, err := runner.Run(s, t.Context(), o); err != nil {
		t.Fatal(err)
	}
	run, err := results.Open(runner.Dir(s, o))
	if err != nil {
		t.Fatal(err)
	}
	return s, run
}

// turnsOf are all turns of a node of the first seed of an arm.
func turnsOf(t *testing.T, s *study.Scenario, run *results.Run, arm *study.Arm, node int) (list []runner.ReplayTurn) {
	t.Helper()
	first := arm.Extent.FirstStep
	o := runner.ReplayOptions{Arm: arm.Name, Seed: s.Seeds.Base, Node: node, From: first, To: first + arm.File.Horizon - 1, Build: "test", Loader: scenariotest.Loader(t)}
	v, err := runner.Replay(t.Context(), run, o, func(r *runner.ReplayTurn) error {
		list = append(list, *r)
		return nil
	})
	if err != nil || v.Differ > 0 {
		t.Fatalf("%+v, %v", v, err)
	}
	return list
}

// TestReplayedLetters holds every letter that reaches a node to one that its sender sends at
// the step and in the exchange that the letter names.
func TestReplayedLetters(t *testing.T) {
	late := 0
	for _, name := range []string{"network-delay", "dpdonc-localization", "ofl-ridge"} {
		s, run := replayable(t, name)
		arm := s.Arms[len(s.Arms)-1]
		label := arm.Extent.FirstLabel
		sent := map[int][]runner.ReplayTurn{}
		for node := label; node < label+arm.Extent.Participants; node++ {
			sent[node] = turnsOf(t, s, run, arm, node)
		}
		letters := 0
		for _, turn := range sent[label] {
			for _, in := range turn.In {
				letters++
				if in.Step < turn.Step-1 {
					late++
				}
				if !slices.ContainsFunc(sent[in.From], func(r runner.ReplayTurn) bool {
					return r.Step == in.Step && r.Hop == in.Hop && slices.ContainsFunc(r.Out, func(out runner.Letter) bool {
						return out.To == label && out.Kind == in.Kind && slices.Equal(out.Values, in.Values)
					})
				}) {
					t.Errorf("%s: node %d gets at step %d what node %d is said to have sent at step %d, hop %d, which it did not", name, label, turn.Step, in.From, in.Step, in.Hop)
				}
			}
		}
		if letters == 0 {
			t.Errorf("%s: nothing reaches node %d", name, label)
		}
	}
	if late == 0 {
		t.Error("no letter is late")
	}
}

// TestReplayedLies has the messages of Byzantine nodes as an honest node received them and as they were sent. A
// Byzantine node receives all messages unchanged.
func TestReplayedLies(t *testing.T) {
	s, run := replayable(t, "adversaries-mesh")
	arm := s.Arms[slices.IndexFunc(s.Arms, func(arm *study.Arm) bool { return arm.Name == "sign-flip,mean" })]
	liars := map[int]bool{1: true, 3: true, 19: true}
	for _, node := range []int{2, 3} {
		lies := 0
		for _, turn := range turnsOf(t, s, run, arm, node) {
			for _, in := range turn.In {
				if !liars[in.From] || liars[node] {
					if in.Received != nil {
						t.Errorf("node %d receives a lie of node %d", node, in.From)
					}
					continue
				}
				lies++
				for k, v := range in.Received {
					if v != -in.Values[k] {
						t.Errorf("node %d receives %v for %v", node, v, in.Values[k])
					}
				}
			}
		}
		if (lies > 0) == liars[node] {
			t.Errorf("node %d receives %d lies", node, lies)
		}
	}
}
