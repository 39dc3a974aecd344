package view_test

import (
	"slices"
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
