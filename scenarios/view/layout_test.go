package view_test

import (
	"slices"
	"strings"
	"testing"

	"starling/actors/topology"
	"starling/scenarios/scenariotest"
	"starling/scenarios/view"
)

// TestArrivingClientsAreNoServers: clients of a learner only send, and the one server hears the learners.
func TestArrivingClientsAreNoServers(t *testing.T) {
	s := scenariotest.Load(t, "ofl-logistic")
	n, err := view.DescribeNetwork(s, s.Arms[0].Name, 1)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(n.Central, []int{0}) {
		t.Errorf("servers %v", n.Central)
	}
}

// TestPlacesOfTiers has edge servers among the servers, nearer to the cloud in the middle than their clients are, and
// finds the step in which the cloud hears them.
func TestPlacesOfTiers(t *testing.T) {
	n, err := view.DescribeNetwork(scenariotest.Load(t, "tiers"), "edges, cloud seldom", 1)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(n.Central, []int{0, 21, 22, 23, 24}) || n.FirstAtServer() != 10 {
		t.Errorf("servers %v, of which the first hears in step %d", n.Central, n.FirstAtServer())
	}
	places, err := n.Places(topology.Measures{})
	if err != nil {
		t.Fatal(err)
	}
	all := places.At(0)
	from := func(i int) float64 {
		x, y := all[2*i]-all[0], all[2*i+1]-all[1]
		return x*x + y*y
	}
	for client := 1; client <= 20; client++ {
		if edge := 21 + (client-1)/5; from(edge) >= from(client) {
			t.Errorf("edge server %d is farther from the cloud than its client %d", edge, client)
		}
	}
}

// TestClustersHaveServers draws the servers of clusters, on the ground of each cluster, and nodes that churn takes down.
func TestClustersHaveServers(t *testing.T) {
	for name, test := range map[string]struct {
		arm  string
		want []string
	}{
		"clusters":           {"clusters", []string{">E4<", ">C<", ">cluster 4<", ">all together<", "node server absent"}},
		"network-churn":      {"join-late,leave-early", []string{"Node 6 joins at step 250.", "node absent"}},
		"network-dropout":    {"", []string{">arm 0.5; 0.5, no noise: steps in which a node takes part<", ">the graph of all steps<"}},
		"contact-network":    {"met", []string{">steps 1 to 400 together<", ">step 3<"}},
		"network-mobile":     {"fast", []string{">step 4<", "places to which they have moved"}},
		"network-topologies": {"stochastic-block", nil},
	} {
		n, err := view.DescribeNetwork(scenariotest.Load(t, name), test.arm, 1)
		if err != nil {
			t.Fatal(err)
		}
		sheet, err := n.Overview(t.Context())
		if err == nil && sheet == nil {
			sheet, err = n.Picture(t.Context(), n.FirstStep, 1)
			test.want = []string{">block 4<", `class="ground"`}
		}
		if err != nil {
			t.Fatal(err)
		}
		svg := strings.Join(strings.Split(sheet.SVG(), "\n"), " ")
		for _, want := range test.want {
			if !strings.Contains(svg, want) {
				t.Errorf("%s: no %q in %s", name, want, svg)
			}
		}
	}
}
