package workload

import (
	"context"
	"slices"
	"testing"

	"github.com/rs/zerolog"

	"starling/actors/algorithm"
	"starling/actors/engine"
	"starling/actors/lockstep"
	"starling/actors/topology"
)

// Averagers that move together on the engine come to the bits of those that lockstep steps one
// by one.
func TestAveragersMoveTogether(t *testing.T) {
	host, err := engine.NewHost(engine.HostOptions{Logger: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	for _, n := range []int{7, 300} {
		sequence, err := topology.Permutations{Nodes: n, Degree: degree, Seed: 1}.Sequence()
		if err != nil {
			t.Fatal(err)
		}
		graph := sequence.At(0)
		values := func(r *algorithm.Run) (x []float64) {
			for _, m := range r.Machines {
				x = append(x, m.(*averager).x...)
			}
			return x
		}
		one := gossipRun(graph, 3, 5)
		if err := lockstep.Run(context.Background(), one); err != nil {
			t.Fatal(err)
		}
		for _, shards := range []int{1, 2} {
			together := gossipRun(graph, 3, 5)
			if err := host.Run(context.Background(), together, engine.Options{Shards: shards}); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(values(one), values(together)) {
				t.Errorf("%d nodes on %d shards come to other values", n, shards)
			}
		}
	}
}
