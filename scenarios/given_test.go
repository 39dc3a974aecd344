package scenarios_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"starling/mechanisms/accountant"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
)

// givenText is a contact network with weights of its own. Its rows do not sum to 1.
const givenText = `version: 1
name: given
horizon: 4
nodes: 3
algorithm: {kind: dsgd, learning_rate: 0.2, theta: 1, gradient_bound: clip}
problem: {kind: logistic, set: {kind: l2-ball, dimension: 2, radius: 2}}
topology: {kind: edge-list, file: FILE, weighting: {scheme: given}, weights: unchecked}
mechanism: {kind: laplace, epsilon: 1}
seeds: {base: 1, count: 1}
plots: []
`

// By hand: node 1 is heard in step 1 and node 2 in step 3, and nobody hears node 3. Where node 1 gives
// itself 1.5 its moves may grow on the way, and each step is charged.
func TestGivenWeightsAreCountedByMessagesHeard(t *testing.T) {
	for name, test := range map[string]struct {
		rows string
		want []float64
	}{
		"at most 1": {"1,1,2,0.5\n1,2,2,0.5\n3,2,1,1\n", []float64{1, 1, 0}},
		"above 1":   {"1,1,2,0.5\n1,2,2,0.5\n3,2,1,1\n4,1,1,1.5\n", []float64{4, 4, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			list := filepath.Join(t.TempDir(), "given.csv")
			if err := os.WriteFile(list, []byte("step,from,to,weight\n"+test.rows), 0o644); err != nil {
				t.Fatal(err)
			}
			text := strings.Replace(givenText, "FILE", list, 1)
			for _, overrides := range [][]string{nil, {"algorithm={kind: dpdonc, divergence: {kind: euclidean, scale: 0.5}}"}} {
				s := loadText(t, text, overrides...)
				digests := map[string]string{}
				for _, o := range scenariotest.SomeEngines(s) {
					digests[metricsOf(t, s, o).Digest] = fmt.Sprintf("%+v", o)
				}
				if len(digests) != 1 {
					t.Errorf("%v: digests %v", overrides, digests)
				}
			}
			s := loadText(t, text)
			_, j := scenariotest.SentBy(t, s, 0, 1)
			rows := scenariotest.FinalRows(t, s.Arms[0], j)
			for _, observer := range []accountant.Observer{accountant.Wire, accountant.Peer, accountant.Public} {
				for node, want := range test.want {
					if got := rows[observer][int32(node+1)]; got != want {
						t.Errorf("%s learns %v of node %d, want %v", observer, got, node+1, want)
					}
				}
			}
			notes, _ := s.Arms[0].Algorithm.Notes(j)
			noted := slices.ContainsFunc(notes, func(n study.Note) bool { return n.Key == "unheard" })
			if noted != (test.want[2] > 0) {
				t.Errorf("notes %v", notes)
			}
			for _, a := range scenariotest.AuditIn(t, s, scenariotest.AuditOptions(256)) {
				if a.Refuted() || !a.NoiseAsStated() {
					t.Errorf("%s, %s: accounted %v, audited %v", a.Mechanism, a.Inputs, a.Accounted, a.Audited)
				}
			}
		})
	}
}
