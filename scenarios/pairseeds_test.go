package scenarios_test

import (
	"slices"
	"strings"
	"testing"

	"starling/messages"
	"starling/scenarios/accounts"
	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/study"
	"starling/scenarios/view"
)

// pairSeeds has arms with one graph and with a graph of each seed, in 3 steps.
const pairSeeds = `version: 1
name: s
horizon: 3
nodes: 32
algorithm: {kind: muffliato, rounds: 30, learning_rate: 0.3, decay: 0.5}
problem: {kind: logistic, set: {kind: l2-ball, dimension: 2, radius: 2}}
topology: {kind: ring}
mechanism: {kind: gaussian, epsilon: 10, delta: 1e-5}
seeds: {base: 4, count: 3}
sweep: {list: [{name: fixed, set: {}}, {name: drawn, set: {topology: {kind: random-regular, degree: 3}}}]}
measure: {every: 3, pairs: true, metrics: [epsilon.total]}
plots: []
`

// In 3 steps nothing goes farther than 3 edges. Where each seed has a graph of its own, pairs that
// are farther apart lose nothing in boxes and maps. The distances are found again by a plain search.
func TestPairsHaveTheDistancesOfTheirSeeds(t *testing.T) {
	s := loadText(t, pairSeeds)
	run, err := results.Open(runIn(t, s, runner.RunOptions{}).Dir)
	if err != nil {
		t.Fatal(err)
	}
	list, err := accounts.PairsOf(run)
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	near, err := view.Near(s)
	if err != nil {
		t.Fatal(err)
	}
	losses, first := map[int][]float64{}, map[[2]int32]float64{}
	hops := map[uint64][][]int{}
	for seed := uint64(4); seed < 7; seed++ {
		hops[seed] = plainHops(t, s.Arms[1], seed)
	}
	err = run.Privacy(func(row results.PrivacyRow) error {
		observer := accounts.Single(row.Observer)
		for unit := row.Unit; unit < row.Unit+row.Units && row.Arm == "drawn" && observer >= 0; unit++ {
			apart := hops[row.Seed][unit-1][observer-1]
			if losses[apart] = append(losses[apart], row.Epsilon); row.Seed == 4 {
				first[[2]int32{unit, observer}] = row.Epsilon
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	far := 0
	for _, spread := range list[1].ByHops(near) {
		all := losses[spread.Hops]
		slices.Sort(all)
		if n := len(all); spread.Pairs != n || spread.Quartiles != [5]float64{all[0], all[(n-1)/4], all[2*(n-1)/4], all[3*(n-1)/4], all[n-1]} {
			t.Errorf("%+v of %d losses", spread, n)
		}
		if spread.Hops > 3 {
			if far += spread.Pairs; spread.Quartiles[4] != 0 {
				t.Errorf("%d edges apart: %v", spread.Hops, spread.Quartiles)
			}
		}
	}
	if far == 0 {
		t.Error("no pair is far apart")
	}
	heat := accounts.PairsFigure(run, list, near, nil)
	for _, want := range []string{"Largest loss over 3 seeds (fixed).", "Seed 4; boxes over 3 seeds (drawn)."} {
		if !strings.Contains(heat.Note, want) {
			t.Errorf("%q, want %q", heat.Note, want)
		}
	}
	if titled := accounts.PairsFigure(run, list, near, map[string]string{}); titled.BoxNote != "Boxes have the losses of all seeds." || !strings.Contains(titled.Maps[0].Name, "largest of 3 seeds") {
		t.Errorf("%q below %q: the titles have the seeds", titled.BoxNote, titled.Maps[0].Name)
	}
	drawn := heat.Maps[1]
	for i, unit := range drawn.Rows {
		for k, observer := range drawn.Columns {
			if want, ok := first[[2]int32{unit, observer}]; ok && drawn.Values[i][k] != want {
				t.Fatalf("%d by %d: %v, want %v", unit, observer, drawn.Values[i][k], want)
			}
		}
	}
	if note := accounts.PairsFigure(run, list, nil, nil).Note; !strings.Contains(note, "Seed 4.") {
		t.Errorf("networks that are not known: %q", note)
	}
}

// plainHops returns the edges between any two nodes of an arm's first graph under a seed, by Floyd
// and Warshall.
func plainHops(t *testing.T, arm *study.Arm, seed uint64) [][]int {
	t.Helper()
	graphs, err := arm.Topology.Sequence(seed)
	if err != nil {
		t.Fatal(err)
	}
	n := arm.File.Nodes
	hops := make([][]int, n)
	for i := range n {
		hops[i] = make([]int, n)
		for j := range n {
			switch g := graphs.At(0); {
			case i == j:
			case g.HasEdge(messages.NodeID(i), messages.NodeID(j)) || g.HasEdge(messages.NodeID(j), messages.NodeID(i)):
				hops[i][j] = 1
			default:
				hops[i][j] = n
			}
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				hops[i][j] = min(hops[i][j], hops[i][k]+hops[k][j])
			}
		}
	}
	return hops
}
