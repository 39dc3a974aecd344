package scenarios_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"starling/scenarios/accounts"
	"starling/scenarios/results"
	"starling/scenarios/results/tabular"
	"starling/scenarios/runner"
	"starling/scenarios/view"
)

// Tables have the statistics of each arm, and the means of groups: over the seeds, at the last
// step. The losses of units are those of the ledger, a unit a row.
func TestOwnerTables(t *testing.T) {
	const mechanism = "mechanism={kind: laplace, epsilon: 1, groups: [{first: 2, last: 3, epsilon: 3}]}"
	s := loadText(t, base, mechanism, "measure={every: 6, by: group}", "seeds.count=2", "plots=[]")
	run, err := results.Open(runIn(t, s, runner.RunOptions{}).Dir)
	if err != nil {
		t.Fatal(err)
	}
	read, err := view.Read(run, s.Kinds.AllMetrics())
	if err != nil {
		t.Fatal(err)
	}
	values, err := read.Values(nil, view.ValuesOptions{PerTable: 4})
	if err != nil {
		t.Fatal(err)
	}
	if len(values.Owners) != 2 {
		t.Fatalf("%d tables of participants", len(values.Owners))
	}
	for _, table := range values.Last {
		if slices.ContainsFunc(table.Rows, func(row []string) bool { return row[0] == "loss.worst" }) {
			t.Error("the table of last values has metrics of participants")
		}
	}
	// The mean over both seeds of the rows of the last step.
	of := func(metric string, node int32) string {
		var sum float64
		for _, row := range rowsOf(t, run.Dir) {
			if row.Metric == metric && row.Step == 12 && (row.Node == nil || *row.Node == node) {
				sum += row.Value / 2
			}
		}
		return tabular.FormatValue(sum)
	}
	distribution, groups := values.Owners[0], values.Owners[1]
	arm := s.Arms[0].Name
	for i, quantity := range []string{"loss", "epsilon", "messages"} {
		want := []string{quantity, arm}
		for _, statistic := range []string{"worst", "quantile.10", "median", "quantile.90", "best", "gini", "spread"} {
			want = append(want, of(quantity+"."+statistic, 0))
		}
		if got := distribution.Rows[i]; !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	if want := []string{"arm", "group", "loss", "epsilon", "messages"}; !slices.Equal(groups.Header, want) {
		t.Errorf("groups have %v", groups.Header)
	}
	for group := range int32(2) {
		want := []string{arm, strconv.Itoa(int(group)), of("loss.group", group), of("epsilon.group", group), of("messages.group", group)}
		if got := groups.Rows[group]; !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	if got := noteOf(run.Manifest.Notes, "groups"); got != "0: 1; 1: 2 to 3" {
		t.Errorf("groups are %q", got)
	}
	if got := noteOf(run.Manifest.Notes, "participants"); got != "loss, epsilon, messages; not accuracy, regret" {
		t.Errorf("participants have %q", got)
	}
	units, err := accounts.UnitRows(run, s)
	if err != nil {
		t.Fatal(err)
	}
	if len(units) != 9 {
		t.Fatalf("%d losses of 3 units to 3 observers", len(units))
	}
	for i, row := range units[:3] {
		factor := []float64{1, 3, 3}[i]
		if row.Observer != "wire" || row.Unit != int32(i+1) || row.Units != 1 || !(math.Abs(row.Epsilon-factor*units[0].Epsilon) <= 1e-12*row.Epsilon) {
			t.Errorf("unit %d: %+v, want %v times the epsilon of unit 1", i+1, row, factor)
		}
	}
}

// Units with equal losses are one group wherever they are, in the table of an observer and a seed.
func TestLossGroups(t *testing.T) {
	const mechanism = "mechanism={kind: laplace, epsilon: 1, groups: [{nodes: [1, 4, 7, 10], epsilon: 1}, {nodes: [2, 5, 8], epsilon: 2}, {nodes: [3, 6, 9], epsilon: 3}]}"
	s := loadText(t, base, "nodes=10", "topology={kind: ring}", mechanism, "seeds.count=2", "plots=[]")
	run, err := results.Open(runIn(t, s, runner.RunOptions{}).Dir)
	if err != nil {
		t.Fatal(err)
	}
	groups, err := accounts.LossGroups(run)
	if err != nil {
		t.Fatal(err)
	}
	if len(groups) != 2*3*3 {
		t.Fatalf("%d groups of 3 epsilons, for 3 observers under 2 seeds", len(groups))
	}
	for i, want := range []string{"1, 4, 7 ... (4)", "2, 5, 8", "3, 6, 9"} {
		if got := groups[i].Text(); got != want || groups[i].Row.Observer != "wire" || !(math.Abs(groups[i].Row.Epsilon-float64(i+1)*groups[0].Row.Epsilon) < 1e-9) {
			t.Errorf("%q of %+v, want %q", got, groups[i], want)
		}
	}
	several := accounts.LossGroup{Ranges: [][2]int32{{1, 8}, {10, 10}}, Count: 9}
	if got := several.Text(); got != "1 to 8, 10" {
		t.Errorf("ranges are %q", got)
	}
}

// Units that paid nothing count as much in the losses of single units as in metrics of participants.
func TestUnpaidUnits(t *testing.T) {
	s := loadText(t, base, "measure={every: 6, by: node}", "seeds.count=1", "plots=[]", "network={kind: effects, events: [{at: 1, crash: 3}]}")
	run, err := results.Open(runIn(t, s, runner.RunOptions{}).Dir)
	if err != nil {
		t.Fatal(err)
	}
	units, err := accounts.UnitRows(run, s)
	if err != nil {
		t.Fatal(err)
	}
	if len(units) != 9 || units[2].Unit != 3 || units[2].Epsilon != 0 || !(units[0].Epsilon > 0) {
		t.Errorf("%d losses of 3 units to 3 observers; of the one that is down: %+v", len(units), units[2])
	}
	for _, row := range rowsOf(t, run.Dir) {
		if row.Metric == "epsilon.best" && row.Step == 12 && row.Value != units[2].Epsilon {
			t.Errorf("the smallest loss is %v in metrics of participants", row.Value)
		}
	}
}

// A node that misses steps has no regret, and takes none from the others: statistics and groups leave
// it out, and a warning names it.
func TestRegretsWithoutANode(t *testing.T) {
	last := func(by string, more ...string) (values map[string]float64, warnings []results.Warning) {
		overrides := append([]string{"algorithm={kind: dsgd, learning_rate: 0.3}", "problem={kind: logistic, set: {kind: l2-ball, dimension: 2, radius: 2}}", "measure={every: 6, by: " + by + "}", "seeds.count=1", "plots=[]"}, more...)
		o := runIn(t, loadText(t, base, overrides...), runner.RunOptions{})
		values = map[string]float64{}
		for _, row := range rowsOf(t, o.Dir) {
			if name := row.Metric; row.Step == 12 && strings.HasPrefix(name, "regret.") {
				if row.Node != nil {
					name += "/" + strconv.Itoa(int(*row.Node))
				}
				values[name] = row.Value
			}
		}
		return values, o.Manifest.Warnings
	}
	down := "network={kind: effects, events: [{at: 5, crash: 3}, {at: 7, recover: 3}]}"
	values, warnings := last("node", down)
	one, two := values["regret.participant/1"], values["regret.participant/2"]
	if one == two || math.IsNaN(one) || math.IsNaN(two) {
		t.Fatalf("regrets are %v and %v", one, two)
	}
	for name, want := range map[string]float64{"regret.participant/3": math.NaN(), "regret.worst": max(one, two), "regret.best": min(one, two), "regret.median": (one + two) / 2, "regret.spread": math.Abs(one - two)} {
		if got, there := values[name]; !(math.Abs(got-want) < 1e-12) && !(math.IsNaN(want) && (math.IsNaN(got) || !there)) {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	want := "seed 1: no regret of 1 participant that did not decide in every step: 3"
	if k := slices.IndexFunc(warnings, func(w results.Warning) bool { return w.Code == "without-regret" }); k < 0 || warnings[k].Message != want {
		t.Errorf("warnings %v, want %q", warnings, want)
	}
	if _, warnings := last("node"); len(warnings) > 0 && slices.ContainsFunc(warnings, func(w results.Warning) bool { return w.Code == "without-regret" }) {
		t.Error("a run of nodes that are always there has the warning, too")
	}
}

// Scores of participants stand in the table of statistics, with the number of those without one, in
// figures of quantiles and dots, and in the columns of a table.
func TestOwnerTablesOfScores(t *testing.T) {
	text := scoredFamilies(unevenParties(t, ", model: {kind: logistic}"), ", set: {kind: l2-ball, radius: 20}")["dsgd"]
	s := loadText(t, text, "mechanism={kind: laplace, epsilon: 5}", "measure={every: 3, by: node, metrics: [auc.roc, epsilon.*]}", "plots=[{name: dots, y: auc.roc.participant, x: epsilon.participant}]")
	o := drawnIn(t, s, runner.RunOptions{})
	for _, name := range []string{"dots.svg", "quantiles-auc-roc.svg"} {
		if _, err := os.Stat(filepath.Join(o.Dir, "plots", name)); err != nil {
			t.Error(err)
		}
	}
	run, err := results.Open(o.Dir)
	if err != nil {
		t.Fatal(err)
	}
	read, err := view.Read(run, s.Kinds.AllMetrics())
	if err != nil {
		t.Fatal(err)
	}
	values, err := read.Values(nil, view.ValuesOptions{PerTable: 4})
	if err != nil {
		t.Fatal(err)
	}
	table := values.Owners[0]
	at := slices.IndexFunc(table.Rows, func(row []string) bool { return row[0] == "auc.roc" })
	if at < 0 || !slices.Equal(table.Header[len(table.Header)-1:], []string{"undefined"}) || table.Rows[at][len(table.Header)-1] != "2" {
		t.Errorf("statistics %v of %v", table.Rows, table.Header)
	}
	rows := rowsOf(t, o.Dir)
	for _, name := range []string{"auc.roc", "auc.roc.worst", "auc.roc.undefined"} {
		if math.IsNaN(lastRun(rows, name)) {
			t.Errorf("the file of rows has no %s", name)
		}
	}
	if got := lastOwn(rows, "auc.roc.participant"); len(got) != 5 {
		t.Errorf("the file of rows has %v", got)
	}
}
