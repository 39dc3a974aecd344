package scenarios_test

import (
	"context"
	"testing"

	"starling/actors/lockstep"
	"starling/messages"
	"starling/scenarios/gauge"
	"starling/scenarios/runner"
	"starling/scenarios/study"
)

// A run in which nobody takes part, or nothing arrives, says so once for each seed,
// which is one line of warnings; one in which most do says nothing.
func TestNobodyTakesPart(t *testing.T) {
	const (
		gone = "{kind: effects, churn: {fail: 1, recover: 0}}"
		lost = "{kind: effects, loss: {probability: 1}}"
		late = "{kind: effects, delay: {turns: 1}}"
		some = "{kind: effects, churn: {fail: 0.1, recover: 0.5}, loss: {probability: 0.1}}"
		none = " the server averaged nothing: what was sent was lost or came too late, or nobody was there to send it"
	)
	texts := federatedTexts()
	texts["dpdonc"] = base
	for _, test := range []struct {
		name, network, want string
		overrides           []string
	}{
		{"dpdonc", gone, "in 11 of 12 steps nobody took part, for the network kept everybody down", nil},
		{"dpdonc", lost, "none of the 36 messages sent arrived", []string{"topology.weights=unchecked"}},
		{"dpdonc", "{kind: effects, delay: {turns: 1000}}", "none of the 36 messages sent arrived", nil},
		{"dpdonc", "{kind: effects, events: [{at: 6, crash: [1, 2, 3]}]}", "in 7 of 12 steps nobody took part, for the network kept everybody down", nil},
		{"dpdonc", "{kind: effects, events: [{at: 8, crash: [1, 2, 3]}]}", "", nil},
		{"dpdonc", some, "", nil},
		{"dpdonc", some, "", []string{"budget={epsilon: 1.5, on: stop}"}},
		{"ofl", gone, "in 4 of 4 rounds" + none, nil},
		{"ofl", lost, "in 4 of 4 rounds" + none, nil},
		{"ofl", late, "in 4 of 4 rounds" + none, nil},
		{"ofl", late, "", []string{"algorithm.late=use"}},
		{"ofl", some, "", nil},
		{"dpfl", gone, "in 11 of 12 rounds" + none, nil},
		{"dpfl", late, "in 12 of 12 rounds" + none, nil},
		{"dpfl", late, "", []string{"algorithm.late=use"}},
		{"ali-dpfl", late, "in 12 of 12 rounds" + none, nil},
		{"ali-dpfl", "{kind: effects}", "", nil},
	} {
		s := loadText(t, texts[test.name], append(test.overrides, "network="+test.network)...)
		var got []string
		for _, w := range runIn(t, s, runner.RunOptions{}).Manifest.Warnings {
			if w.Code == "nobody" {
				got = append(got, w.Message)
			}
		}
		want := []string{"seed 1: " + test.want, "seed 2: " + test.want}
		if test.want == "" {
			want = nil
		}
		if len(got) != len(want) || len(got) > 0 && (got[0] != want[0] || got[1] != want[1]) {
			t.Errorf("%s, %s %q: %q, want %q", test.name, test.network, test.overrides, got, want)
		}
	}
}

// What was counted is part of a saved state.
func TestTurnoutIsSaved(t *testing.T) {
	s := loadText(t, learning, "network={kind: effects, delay: {turns: 1}}")
	j, restored := jobOf(t, s), jobOf(t, s)
	if err := lockstep.Run(context.Background(), &j.Run); err != nil {
		t.Fatal(err)
	}
	saved := messages.Write(nil, j.Meter)
	if err := messages.Read(saved, restored.Meter); err != nil {
		t.Fatal(err)
	}
	absence := func(j *study.Job) string {
		turnout, _ := study.GaugeOf[*gauge.Participation](j)
		return turnout.Absence(j.Meter.Stops())
	}
	if want := absence(j); absence(restored) != want || want == "" {
		t.Errorf("restored %q, want %q", absence(restored), want)
	}
	if err := messages.Read(saved[:len(saved)/2], jobOf(t, s).Meter); err == nil {
		t.Error("half a state is accepted")
	}
}
