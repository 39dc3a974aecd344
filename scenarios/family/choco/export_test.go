package choco

import (
	"starling/actors/algorithm"
	"starling/scenarios/gossip"
	"starling/scenarios/kind"
)

// cheater is a node that goes on from its own x_{t+1/2}, without noise, as a node without
// privacy does: its state holds more than it has released.
type cheater struct{ *node }

// Step implements algorithm.Machine.
func (c cheater) Step(t *algorithm.Turn) error {
	if err := c.node.Step(t); err != nil {
		return err
	}
	eta := c.options.rate(t.Step)
	for k, v := range c.x {
		c.half[k] = v - float64(eta*c.g[k])
	}
	return nil
}

// Cheating is choco of cheaters, with the ledger of choco.
func Cheating() kind.Kind {
	a := described()
	a.Resolve = nil
	a.Name = "cheating"
	a.Machine = func(o *options, at *gossip.Setting) algorithm.Machine { return cheater{newNode(o, at)} }
	return a.Kind()
}
