package topology

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"starling/actors/option"
	"starling/messages"
)

// TestGeometricIsItsDefinition compares the graph, made by cells, with all pairs
// of the places of the nodes.
func TestGeometricIsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		options := Geometric{
			Nodes:  rapid.IntRange(1, 60).Draw(t, "nodes"),
			Radius: rapid.SampledFrom([]float64{0.01, 0.1, 0.2, 0.34, 0.5, 0.9, 2}).Draw(t, "radius"),
			Spread: rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(t, "spread"),
			Seed:   rapid.Uint64().Draw(t, "seed"),
		}
		options.SpeedMin, options.SpeedMax = 0.1, 0.5
		c := options.chain()
		trips := c.start()
		for epoch := range 3 {
			var d draft
			c.draft(trips, epoch, &d)
			g := d.pattern()
			for i := range options.Nodes {
				for j := range options.Nodes {
					p, q := c.position(i, trips[i], epoch), c.position(j, trips[j], epoch)
					reach := options.Radius
					if options.Spread > 0 {
						reach *= 1 + options.Spread*(2*c.key.Uniform(j, 0, waypointRange)-1)
					}
					distance := math.Hypot(p.x-q.x, p.y-q.y)
					if math.Abs(distance-reach) < 1e-12 {
						continue // rounding decides
					}
					if want := i != j && distance < reach; g.HasEdge(messages.NodeID(j), messages.NodeID(i)) != want {
						t.Fatalf("distance %v and range %v of node %d: node %d hears it: %v", distance, reach, j, i, !want)
					}
				}
			}
			c.advance(trips, epoch)
		}
	})
}

// TestWaypoints follows nodes for a long time: they stay in the box, never go
// faster than they may, go at no less than the least speed between leaving and
// arriving, and pause as long as they should.
func TestWaypoints(t *testing.T) {
	const n, steps, slowest, fastest, pause = 20, 3000, 0.02, 0.15, 4
	c := Geometric{Nodes: n, Radius: 0.1, SpeedMin: slowest, SpeedMax: fastest, Pause: pause, Seed: 1}.chain()
	trips := c.start()
	last := make([]point, n)
	legs := 0
	for epoch := range steps {
		for v, trip := range trips {
			p := c.position(v, trip, epoch)
			if !(p.x >= 0 && p.x <= 1 && p.y >= 0 && p.y <= 1) {
				t.Fatalf("step %d: node %d is at %v", epoch, v, p)
			}
			moved := math.Hypot(p.x-last[v].x, p.y-last[v].y)
			if epoch > 0 && moved > fastest+1e-12 {
				t.Fatalf("step %d: node %d moved by %v", epoch, v, moved)
			}
			now := float64(epoch)
			if now < trip.departs-1e-9 || now > trip.arrives+pause+1e-9 {
				t.Fatalf("step %d: node %d is on a trip from %v to %v", epoch, v, trip.departs, trip.arrives)
			}
			resting := now-1 >= trip.arrives
			travelling := now < trip.arrives && now-1 >= trip.departs
			if epoch > 0 && (resting && moved != 0 || travelling && moved < slowest-1e-12) {
				t.Fatalf("step %d: node %d moved by %v on a trip from %v to %v", epoch, v, moved, trip.departs, trip.arrives)
			}
			last[v] = p
		}
		before := append([]trip(nil), trips...)
		c.advance(trips, epoch)
		for v := range trips {
			if d := int(trips[v].leg - before[v].leg); d == 1 {
				legs++
				if trips[v].departs != before[v].arrives+pause {
					t.Fatalf("node %d pauses for %v", v, trips[v].departs-before[v].arrives)
				}
			} else if d != 0 && d != 1 {
				t.Fatalf("node %d is %d legs on after a step and a pause of %d", v, d, pause)
			}
		}
	}
	// A leg of mean length 0.5214 at speeds of at least 0.02 takes 26 steps and a
	// pause of 4 at most in the mean: fewer legs than a half of that is no chance.
	if legs < n*steps/60 {
		t.Errorf("%d legs in %d steps of %d nodes", legs, steps, n)
	}
}

// TestPlacesAreThoseOfTheGraphs draws the graphs anew from the places: every step
// of the sequence joins just those that are near each other in that step's places.
func TestPlacesAreThoseOfTheGraphs(t *testing.T) {
	const n, steps = 25, 60
	for name, g := range map[string]Geometric{
		"moving": {Nodes: n, Radius: 0.3, SpeedMin: 0.01, SpeedMax: 0.2, Pause: 1.5, Seed: 3},
		"still":  {Nodes: n, Radius: 0.3, Seed: 3},
	} {
		places, err := g.Places(steps)
		if err != nil {
			t.Fatal(err)
		}
		seq, err := g.Sequence()
		if err != nil {
			t.Fatal(err)
		}
		stride := len(places) / n / 2
		if want := map[string]int{"moving": steps, "still": 1}[name]; stride != want {
			t.Fatalf("%s: places of %d steps, want %d", name, stride, want)
		}
		for step := range steps {
			at := func(v int) (x, y float64) {
				k := 2 * (min(step, stride-1)*n + v)
				return places[k], places[k+1]
			}
			graph := seq.At(step)
			for v := range n {
				for w := range v {
					vx, vy := at(v)
					wx, wy := at(w)
					d := math.Hypot(vx-wx, vy-wy)
					if math.Abs(d-g.Radius) > 1e-12 && graph.HasEdge(messages.NodeID(v), messages.NodeID(w)) != (d < g.Radius) {
						t.Fatalf("%s, step %d: nodes %d and %d are %v apart, edge: %v", name, step, v, w, d, d >= g.Radius)
					}
				}
			}
		}
	}
	if _, err := (Geometric{Nodes: 3, Radius: 0.3}).Places(0); err == nil || option.Message(err) != "steps is 0, want at least 1" {
		t.Errorf("no steps: %v", err)
	}
	if _, err := (Geometric{Nodes: 3}).Places(1); err == nil {
		t.Error("places of a generator that is not valid")
	}
}

// TestMeanDegreeOfGeometric compares the edges of many draws with their expected
// number: two uniform points of the square are within r <= 1 of each other with
// probability pi r^2 - 8/3 r^3 + r^4/2. A draw's share of pairs is a number in
// [0, 1], and draws are independent, so Hoeffding's bound holds.
func TestMeanDegreeOfGeometric(t *testing.T) {
	const n, draws, r = 30, 4000, 0.3
	var share float64
	for seed := range uint64(draws) {
		seq, err := Geometric{Nodes: n, Radius: r, Seed: seed}.Sequence()
		if err != nil {
			t.Fatal(err)
		}
		share += float64(seq.At(0).Edges()) / (n * (n - 1)) / draws
	}
	want := math.Pi*r*r - 8./3*r*r*r + r*r*r*r/2
	if tolerance := math.Sqrt(math.Log(2/1e-9) / (2 * draws)); math.Abs(share-want) > tolerance {
		t.Errorf("a share of %v of the pairs is in range, want %v within %v", share, want, tolerance)
	}
}
