package topology_test

import (
	"testing"

	"starling/actors/topology"
	"starling/messages"
)

// Loose clusters have the sums, the windows and the heard nodes of clusters with the weights of means, for
// any union with the graphs of steps without servers.
func TestLooseClusters(t *testing.T) {
	every := func(n int) *topology.Times { return (&topology.Schedule{Every: n}).Times(0, 1) }
	const horizon = 14
	for name, test := range map[string]struct {
		edge, cloud *topology.Times
		sizes       []int
		bare        bool // nothing is heard inside
	}{
		"both":   {every(2), every(5), []int{4, 2}, false},
		"cloud":  {nil, every(3), []int{1, 3, 2}, false},
		"bare":   {every(2), every(5), []int{3, 3}, true},
		"one":    {every(3), every(4), []int{5}, true},
		"seldom": {every(2), every(13), []int{2, 2, 2}, true},
	} {
		t.Run(name, func(t *testing.T) {
			var parts []topology.Sequence
			for _, size := range test.sizes {
				var part topology.Sequence = topology.Static(topology.Alone(size))
				if !test.bare {
					var err error
					if part, err = (topology.Complete{Nodes: size, SelfLoops: true}).Sequence(); err != nil {
						t.Fatal(err)
					}
				}
				parts = append(parts, part)
			}
			tight, err := topology.NewClusters(test.edge, test.cloud, parts...)
			if err != nil {
				t.Fatal(err)
			}
			loose, err := topology.NewLooseClusters(test.edge, test.cloud, parts...)
			if err != nil {
				t.Fatal(err)
			}
			if err := topology.CheckSequence(loose, horizon, 1e-12); err != nil {
				t.Error(err)
			}
			want, err := topology.SmallestWindow(tight, horizon)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := topology.SmallestWindow(loose, horizon); err != nil || got != want {
				t.Errorf("connected over %d steps, error %v; want %d", got, err, want)
			}
			for step := range horizon {
				a, b := tight.At(step), loose.At(step)
				for i := range messages.NodeID(a.Nodes()) {
					if a.View(i).Others() > 0 != (b.View(i).Others() > 0) {
						t.Errorf("step %d: node %d is heard in one of the graphs alone", step, i)
					}
				}
			}
		})
	}
}
