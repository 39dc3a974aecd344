package runner_test

import (
	"testing"

	"starling/actors/algorithm"
	"starling/actors/lockstep"
	"starling/scenarios/ledger"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
)

// fates are what a run tells its meter of the messages of each step.
type fates struct {
	*ledger.Ledger
	steps map[int]*algorithm.Fates
	sent  map[int]int64
	bytes map[int]int64
}

func (f *fates) Fates(step int, of algorithm.Fates) {
	if f.steps[step] == nil {
		f.steps[step] = &algorithm.Fates{}
	}
	f.steps[step].Add(of)
	f.Ledger.Fates(step, of)
}

func (f *fates) Sent(step int, messages, bytes int64) {
	f.sent[step] += messages
	f.bytes[step] += bytes
	f.Ledger.Sent(step, messages, bytes)
}

// TestPassage holds what becomes of the messages of a step, link by link, to what the runtime
// counts in the whole step, in networks with all kinds of effects.
func TestPassage(t *testing.T) {
	var all algorithm.Fates
	for _, name := range []string{"dpdonc-localization", "network-bandwidth", "network-delay", "network-churn", "network-loss", "network-dropout", "ofl-ridge"} {
		s := scenariotest.Small(t, name)
		for _, arm := range s.Arms {
			j, err := arm.Algorithm.Job(s.Seeds.Base)
			if err != nil {
				t.Fatal(err)
			}
			counted := &fates{j.Meter, map[int]*algorithm.Fates{}, map[int]int64{}, map[int]int64{}}
			j.Run.Meter = counted
			if err := lockstep.Run(t.Context(), &j.Run); err != nil {
				t.Fatal(err)
			}
			last := arm.Extent.FirstStep + arm.File.Horizon - 1
			for _, step := range []int{arm.Extent.FirstStep, (arm.Extent.FirstStep + last) / 2, last - 3, last} {
				list, err := runner.Passage(t.Context(), arm, s.Seeds.Base, step)
				if err != nil {
					t.Fatal(err)
				}
				var got algorithm.Fates
				sent, bytes := int64(0), int64(0)
				for _, p := range list {
					got.Add(algorithm.Fates{Late: int64(p.Late), Lost: int64(p.Lost), Dropped: int64(p.Dropped), Underway: int64(p.Underway)})
					sent, bytes = sent+int64(p.Sent), bytes+p.Bytes
				}
				want := algorithm.Fates{}
				if f := counted.steps[step]; f != nil {
					want = *f
				}
				want.Queued = 0
				if got.Underway > 0 { // at the end the two cannot be told apart
					want.Dropped, want.Underway = 0, want.Dropped+want.Underway
					got.Dropped, got.Underway = 0, got.Dropped+got.Underway
				}
				if j.Run.Network == nil {
					got.Underway = 0 // nobody counts them
				}
				if got != want || sent != counted.sent[step] || bytes != counted.bytes[step] {
					t.Errorf("%s, arm %s, step %d of %d: %+v, %d messages of %d bytes; want %+v, %d of %d", name, arm.Name, step, last, got, sent, bytes, want, counted.sent[step], counted.bytes[step])
				}
				all.Add(got)
			}
		}
	}
	if all.Late == 0 || all.Lost == 0 || all.Dropped == 0 || all.Underway == 0 {
		t.Errorf("not all fates occur: %+v", all)
	}
}
