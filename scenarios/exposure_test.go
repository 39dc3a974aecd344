package scenarios_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"starling/actors/lockstep"
	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/accounts"
	"starling/scenarios/ledger"
	"starling/scenarios/results"
	"starling/scenarios/results/tabular"
	"starling/scenarios/runner"
	"starling/scenarios/study"
)

// What each family sends, and who learns from it what nothing bounds: the ledger
// has it from the payloads, and the accounts agree with them on both runtimes.
func TestRawPayloadsInTheLedger(t *testing.T) {
	const all = "wire server peer public"
	for name, test := range map[string]struct {
		text      string
		overrides []string
		exposed   string // observers
	}{
		"dpdonc":                {base, nil, ""},
		"dpdonc without noise":  {base, []string{"mechanism.epsilon=none"}, "wire peer public"},
		"ofl":                   {learning, nil, ""},
		"ofl without noise":     {learning, []string{"mechanism.kind=none"}, all},
		"opestoch":              {stochastic, nil, ""},
		"opestoch central":      {stochastic, []string{"algorithm.variant=central"}, "wire server"},
		"opestoch, no noise":    {stochastic, []string{"mechanism.epsilon=none"}, all},
		"fedsvt":                {realizable, nil, "wire server"},
		"fedsvt, no exchange":   {realizable, []string{"algorithm.interval=30"}, ""},
		"fedsvt without noise":  {realizable, []string{"mechanism.epsilon=none"}, all},
		"dpfl":                  {trained, []string{"algorithm={kind: dpfl, tau: 2, learning_rate: 0.5, batch: 8, clip: 0.1}"}, ""},
		"ali-dpfl as printed":   {trained, []string{"algorithm={kind: ali-dpfl, learning_rate: 0.5, batch: 8, clip: 0.1}"}, all},
		"ali-dpfl, public data": {trained, []string{"problem.public=30", "problem.partition={kind: iid}", "algorithm={kind: ali-dpfl, learning_rate: 0.5, batch: 8, clip: 0.1, statistics: public}"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := loadText(t, test.text, append(test.overrides, "seeds.count=1")...)
			arm, j := s.Arms[0], jobOf(t, s)
			if err := lockstep.Run(context.Background(), &j.Run); err != nil {
				t.Fatal(err)
			}
			rows, err := accounts.PrivacyRows(arm, 1, j.Meter)
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range rows {
				if want := strings.Contains(test.exposed, row.Observer); row.Final && math.IsInf(row.Epsilon, 1) != want {
					t.Errorf("%s learns %v of units %s", row.Observer, row.Epsilon, accounts.UnitsText(row))
				}
			}
			for _, group := range j.Meter.Groups(len(j.Meter.Points)-1, true) {
				for i, observer := range accountant.Observers() {
					if _, err := study.AccountOf(&arm.Privacy, observer); err == nil && group.Shown[i] != strings.Contains(test.exposed, string(observer)) {
						t.Errorf("%s saw raw payloads of %d: %v", observer, group.First, group.Shown[i])
					}
				}
			}
			if list := contradictions(t, arm, j); len(list) > 0 {
				t.Errorf("%q", list)
			}
			if got := privacyText(t, s, runner.RunOptions{Engine: runner.Actors, Shards: 2}); got != privacyText(t, s, runner.RunOptions{}) {
				t.Errorf("the runtimes disagree; with actors:\n%s", got)
			}
		})
	}
}

// privacyText is a run's ledger, every row of it.
func privacyText(t *testing.T, s *study.Scenario, options runner.RunOptions) string {
	t.Helper()
	run, err := results.Open(runIn(t, s, options).Dir)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := run.PrivacyCurves(func(row results.PrivacyRow) error {
		_, err := text.WriteString(strings.Join([]string{row.Observer, accounts.UnitsText(row), tabular.FormatValue(row.Epsilon), row.Definition}, " ") + "\n")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// contradictions are those of a job that has run.
func contradictions(t *testing.T, arm *study.Arm, j *study.Job) []string {
	t.Helper()
	list, err := accounts.Contradictions(arm, j.Meter)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// An account that says less than what was sent is found out, and the ledger goes
// by what was sent.
func TestContradictions(t *testing.T) {
	s := loadText(t, realizable)
	arm, j := s.Arms[0], jobOf(t, s)
	if err := lockstep.Run(context.Background(), &j.Run); err != nil {
		t.Fatal(err)
	}
	server, err := study.AccountOf(&arm.Privacy, accountant.Server)
	if err != nil {
		t.Fatal(err)
	}
	server.Bound = func(int) accountant.Loss { return accountant.Loss{Epsilon: 1} }
	public, err := study.AccountOf(&arm.Privacy, accountant.Public)
	if err != nil {
		t.Fatal(err)
	}
	public.Bound = func(int) accountant.Loss { return accountant.NotPrivate() }
	want := []string{
		"the account of server has a bounded loss, but raw payloads of 3 units from 1 on were sent where it sees",
		"the account of public bounds nothing, but no raw payloads of 3 units from 1 on were sent where it sees",
	}
	if got := contradictions(t, arm, j); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q, want %q", got, want)
	}
	if e := finalRows(t, arm, j)[accountant.Server][1]; !math.IsInf(e, 1) {
		t.Errorf("server learns %v", e)
	}
}

// The curves of a ledger: losses by step never fall, end at the totals, and a unit
// that pays once has one point.
func TestLedgerCurves(t *testing.T) {
	for name, test := range map[string]struct {
		text   string
		points int
	}{"dpdonc": {base, 12}, "ofl": {learning, 1}, "fedsvt": {realizable, 3}} {
		t.Run(name, func(t *testing.T) {
			s := loadText(t, test.text, "seeds={base: 2, count: 1}", "measure.every=1")
			run, err := results.Open(runIn(t, s, runner.RunOptions{}).Dir)
			if err != nil {
				t.Fatal(err)
			}
			curves, err := accounts.PrivacyCurves(run, accounts.CurveOptions{Observer: "public", Unit: 2, OfUnit: true})
			if err != nil || len(curves) != 1 {
				t.Fatalf("%d curves, %v", len(curves), err)
			}
			c := curves[0]
			end := finalRows(t, s.Arms[0], runOf(t, s))[accountant.Public][2]
			if len(c.Points) < min(test.points, 3) || test.points != 3 && len(c.Points) != test.points || c.Points[len(c.Points)-1].Epsilon != end {
				t.Errorf("%d points, the last %+v; want %d and %v", len(c.Points), c.Points[len(c.Points)-1], test.points, end)
			}
			for i := range c.Points[1:] {
				if a, b := c.Points[i], c.Points[i+1]; a.Step >= b.Step || a.Epsilon > b.Epsilon {
					t.Errorf("%+v before %+v", a, b)
				}
			}
		})
	}
}

func runOf(t *testing.T, s *study.Scenario) *study.Job {
	t.Helper()
	j := jobOf(t, s)
	if err := lockstep.Run(context.Background(), &j.Run); err != nil {
		t.Fatal(err)
	}
	return j
}

// unpaidMeter is a job's meter that is told of no payment: what an algorithm
// looks like that adds noise and does not say what it costs.
type unpaidMeter struct{ *ledger.Ledger }

func (unpaidMeter) Spent(messages.NodeID, int, accountant.Loss) error { return nil }

// What is sent as released although nobody has paid for anything is found out in
// every family, and counts as raw.
func TestUnpaidReleases(t *testing.T) {
	for name, test := range map[string]struct {
		text      string
		overrides []string
		units     string
		observers string // who see it; of a trusted server those that raw sums are kept from
	}{
		"dpdonc":           {base, nil, "3 units from 1 on", "wire peer public"},
		"ofl":              {learning, nil, "3 units from 1 on", "wire server peer public"},
		"opestoch":         {stochastic, nil, "3 units from 1 on", "wire server peer public"},
		"opestoch central": {stochastic, []string{"algorithm.variant=central"}, "3 units from 1 on", "wire peer public"},
		"fedsvt":           {realizable, nil, "3 units from 1 on", "wire peer public"},
		"dpfl":             {trained, []string{"problem.partition={kind: iid}", "algorithm={kind: dpfl, tau: 2, learning_rate: 0.5, batch: 8, clip: 0.1}"}, "", "wire server peer public"},
	} {
		t.Run(name, func(t *testing.T) {
			s := loadText(t, test.text, append(test.overrides, "seeds.count=1")...)
			arm, j := s.Arms[0], jobOf(t, s)
			j.Run.Meter = unpaidMeter{j.Meter}
			if err := lockstep.Run(context.Background(), &j.Run); err != nil {
				t.Fatal(err)
			}
			list := strings.Join(contradictions(t, arm, j), "\n")
			rows := finalRows(t, arm, j)
			for _, observer := range strings.Fields(test.observers) {
				if want := test.units + " "; !strings.Contains(list, want) || !strings.Contains(list, "sent as released where "+observer+" sees") {
					t.Errorf("%s is not said to have seen what nobody paid for: %q", observer, list)
				}
				if e := rows[accountant.Observer(observer)][1]; !math.IsInf(e, 1) {
					t.Errorf("%s learns %v", observer, e)
				}
			}
		})
	}
}
