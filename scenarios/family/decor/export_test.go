package decor

import (
	"starling/actors/algorithm"
	"starling/scenarios/gossip"
	"starling/scenarios/kind"
)

// Named is decor under another name, and so with the streams of that.
func Named(name string) kind.Kind {
	a := described()
	a.Name = name
	return a.Kind()
}

// Selfish is decor of nodes that add noise of their own alone, and say nothing of it: their
// ledger is that of decor.
func Selfish() kind.Kind {
	a := described()
	a.Name = "selfish"
	a.Machine = func(o *options, at *gossip.Setting) algorithm.Machine {
		lonely := *at
		lonely.Release = func(step int) algorithm.Release {
			r := at.Release(step)
			r.Shared = nil
			return r
		}
		return gossip.NewDescender(&o.Rate, &lonely)
	}
	return a.Kind()
}
