package topology

import (
	"fmt"
	"sort"

	"starling/actors/option"
	"starling/mechanisms/portable"
	"starling/messages"
)

// Poisson clocks of nodes tick at independent exponential times. The next tick of all clocks is of a node with a
// probability in proportion to its rate, whenever the tick before was, so that ticks in their order need no times.
// The time from a tick to the next is exponential, with the sum of all rates, on any clock.

// TickTimes returns the seconds from the tick of the step before, or the start, to the tick of a step, from 0, of
// clocks under a seed. rates are in ticks a second, one a group of consecutive nodes of nearly equal size.
func TickTimes(rates []float64, nodes int, seed uint64) func(step int) float64 {
	c, key := newClocks(rates, nodes), topologyKey(seed, "ticks")
	all := c.ticks[len(c.ticks)-1]
	return func(step int) float64 { return -portable.Log1p(-key.Uniform(0, step, 0)) / all }
}

// mostTicks is the largest rate of a clock.
const mostTicks = 1_000_000_000

// checkClocks checks rates of clocks, one a group of consecutive nodes of nearly equal size.
func checkClocks(rates []float64, nodes int) error {
	if len(rates) > nodes {
		return option.Errorf("clocks", "%d rates for %d nodes", len(rates), nodes)
	}
	for k, rate := range rates {
		if !(rate > 0 && rate <= mostTicks) {
			return option.Errorf(fmt.Sprintf("clocks[%d]", k), "a rate of %v, want above 0 and at most %d", rate, mostTicks)
		}
	}
	return nil
}

// clocks are the clocks of nodes.
type clocks struct {
	nodes int
	rates []float64 // by group
	ticks []float64 // by group: ticks of its nodes and of the groups before, a unit of time
}

// newClocks returns clocks with rates by group.
func newClocks(rates []float64, nodes int) *clocks {
	c, sum := &clocks{nodes: nodes, rates: rates}, 0.0
	for k, rate := range rates {
		sum += float64(rate * float64(c.group(k+1)-c.group(k)))
		c.ticks = append(c.ticks, sum)
	}
	return c
}

// group returns the first node of a group.
func (c *clocks) group(k int) int { return (k*c.nodes + len(c.rates) - 1) / len(c.rates) }

// node returns the node whose clock ticks, by a uniform number, 0 <= u < 1.
func (c *clocks) node(u float64) messages.NodeID {
	last := len(c.ticks) - 1
	at := float64(u * c.ticks[last])
	k := sort.Search(last, func(k int) bool { return at < c.ticks[k] })
	if k > 0 {
		at -= c.ticks[k-1]
	}
	return messages.NodeID(min(c.group(k)+int(at/c.rates[k]), c.group(k+1)-1))
}
