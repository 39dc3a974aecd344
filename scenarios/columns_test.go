package scenarios_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"starling/mechanisms/accountant"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
)

// sharedRows writes rows of five parties, whose names are not in the order of the file, with an
// epsilon of each. change edits the text.
func sharedRows(t *testing.T, change func(text string) string) (problem string) {
	t.Helper()
	var text strings.Builder
	text.WriteString("who,eps,a,b,y\n")
	epsilons := map[int]string{10: "3", 2: "0.5", 7: "1", 30: "0.5", 4: "2e0"}
	for row := range 20 {
		for k, party := range []int{10, 2, 7, 30, 4} {
			fmt.Fprintf(&text, "%d,%s,%d,%d,%d\n", party, epsilons[party], row%3, k, (row+k)%2)
		}
	}
	file := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(file, []byte(change(text.String())), 0o600); err != nil {
		t.Fatal(err)
	}
	return "problem={kind: table, file: " + file + ", party: who, label: y, parameters: [eps], feature_bound: 1, model: {kind: logistic}, set: {kind: l2-ball, radius: 2}}"
}

// asWritten changes nothing.
func asWritten(text string) string { return text }

// Each node loses what it loses in an arm with a list of the epsilons of the parties, in their order
// by number: of equals, and of clients. The column is no feature, and its values make groups.
func TestEpsilonsOfAColumn(t *testing.T) {
	problem := sharedRows(t, asWritten)
	for name, arm := range map[string]struct {
		text      string
		overrides []string
	}{
		"equals":  {personal, []string{"nodes=5", "algorithm={kind: dsgd, learning_rate: 0.1}", "horizon=10"}},
		"clients": {noisyStar, []string{"algorithm.samples=null"}},
	} {
		for _, mechanism := range []string{"kind: laplace, epsilon: 1", "kind: gaussian, epsilon: 1, delta: 1e-5"} {
			losses := func(groups string) map[accountant.Observer]map[int32]float64 {
				s := loadText(t, arm.text, append([]string{problem, "mechanism={" + mechanism + ", groups: " + groups + "}", "measure={by: group}"}, arm.overrides...)...)
				if strings.Contains(groups, "column") {
					if got, want := fmt.Sprint(s.Arms[0].Owners.Groups), "[1 3 2 4 1]"; got != want {
						t.Errorf("%s: groups %s, want %s", name, got, want)
					}
				}
				_, j := scenariotest.SentBy(t, s, 0, 0)
				notes, _ := study.RemarksOf(s.Arms[0], j)
				for _, n := range notes {
					if n.Key == "features" && n.Value != `2: "a" "b"; and an intercept` {
						t.Errorf("%s: features %s", name, n.Value)
					}
				}
				return scenariotest.FinalRows(t, s.Arms[0], j)
			}
			got := losses("{column: eps}")
			want := losses("[{nodes: [1, 5], epsilon: 0.5}, {nodes: [3], epsilon: 1}, {nodes: [2], epsilon: 2}, {nodes: [4], epsilon: 3}]")
			for observer, units := range want {
				for unit, loss := range units {
					if own := got[observer][unit]; own != loss && !(math.Abs(own-loss) <= 1e-12*loss) {
						t.Errorf("%s, %s: node %d loses %v to %s, and %v by a list", name, mechanism, unit, own, observer, loss)
					}
				}
			}
		}
	}
	// Runs under several seeds read the column once, on all runtimes.
	digests := map[string]bool{}
	several := loadText(t, noisyStar, problem, "algorithm.samples=null", "mechanism={kind: laplace, epsilon: 1, groups: {column: eps}}", "seeds.count=3")
	for _, o := range scenariotest.SomeEngines(several) {
		digests[metricsOf(t, several, o).Digest] = true
	}
	if len(digests) != 1 {
		t.Errorf("digests %v", digests)
	}
	// Budgets are in a column, too.
	s := loadText(t, personal, "nodes=5", "algorithm={kind: dsgd, learning_rate: 0.1}", "horizon=10", problem, "mechanism={kind: laplace, epsilon: 0.5}", "budget={epsilon: 8, on: stop, groups: {column: eps}}")
	_, j := scenariotest.SentBy(t, s, 0, 0)
	for node, want := range map[int32]float64{1: 0.5, 2: 2, 3: 1, 4: 3, 5: 0.5} {
		if got := scenariotest.FinalRows(t, s.Arms[0], j)[accountant.Wire][node]; got != want {
			t.Errorf("a budget of %v: node %d loses %v", want, node, got)
		}
	}
}

func TestColumnsOfEpsilonsAreRefused(t *testing.T) {
	const groups = "mechanism={kind: laplace, epsilon: 1, groups: {column: eps}}"
	for _, test := range []struct {
		problem   string
		overrides []string
		want      string
	}{
		{sharedRows(t, func(text string) string { return strings.Replace(text, "2,0.5,1", "2,0.7,1", 1) }), nil,
			`rows.csv: line 8: column "eps": got "0.7", and party "2" has "0.5" in line 3: a parameter is one for all rows of a party`},
		{sharedRows(t, func(text string) string { return strings.ReplaceAll(text, "7,1,", "7,0,") }), nil,
			`mechanism.groups.column: rows.csv: line 4: column "eps": epsilon is "0", want a finite number > 0, or none`},
		{sharedRows(t, func(text string) string { return strings.Replace(text, "10,3,2", "10,,2", 1) }), nil, `rows.csv: line 12: column "eps": the cell is empty`},
		{sharedRows(t, asWritten), []string{"mechanism.groups.column=epsilon"}, `mechanism.groups.column: problem.parameters does not list the column "epsilon"`},
		{sharedRows(t, asWritten), []string{"problem.parameters=[budget]"}, `parameters: there is no column "budget"`},
		{sharedRows(t, asWritten), []string{"problem.parameters=[y]"}, `parameters: the column "y" is something else already`},
		{sharedRows(t, asWritten), []string{"problem.features=[a, eps]"}, `features: the column "eps" is something else already`},
		{sharedRows(t, asWritten), []string{"problem.party=null", "problem.partition={kind: iid}"}, "problem.parameters: parameters are of parties; give party"},
		{"problem={kind: logistic, set: {kind: l2-ball, dimension: 2, radius: 3}}", nil, "a column of epsilons"},
	} {
		_, err := loadError(t, personal, append([]string{"nodes=5", "algorithm={kind: dsgd, learning_rate: 0.1}", "horizon=10", test.problem, groups}, test.overrides...)...)
		if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), filepath.Dir(rowsFile(test.problem))+"/", ""), test.want) {
			t.Errorf("%v: %v, want %q", test.overrides, err, test.want)
		}
	}
}

// rowsFile returns the path of the file that a problem names.
func rowsFile(problem string) string {
	_, rest, _ := strings.Cut(problem, "file: ")
	path, _, _ := strings.Cut(rest, ",")
	return path
}
