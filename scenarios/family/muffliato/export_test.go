package muffliato

import (
	"starling/actors/algorithm"
	"starling/scenarios/gossip"
	"starling/scenarios/kind"
)

// leaky is a node that divides what it has added up by K, however many gradients these are.
type leaky struct{ *node }

// Step implements algorithm.Machine.
func (l leaky) Step(t *algorithm.Turn) error {
	if l.options.noisy(t.Step) && t.Step > 1 {
		l.count = int32(l.options.Rounds) - 1 // one more is to come
	}
	return l.node.Step(t)
}

// Leaky is muffliato of leaky nodes, with the ledger of muffliato.
func Leaky() kind.Kind {
	a := muffliato
	a.Name = "leaky"
	a.Machine = func(o *options, at *gossip.Setting) algorithm.Machine { return leaky{newNode(o, at)} }
	return a.Kind()
}

// talking is a node that says in steps without noise where its next noisy step would take it.
type talking struct{ *node }

// Step implements algorithm.Machine.
func (s talking) Step(t *algorithm.Turn) error {
	if s.options.noisy(t.Step) {
		return s.node.Step(t)
	}
	if err := t.Receive(&s.Inbox, s.z); err != nil {
		return err
	}
	set := s.at.Set
	set.Project(s.x, s.z, t.Scratch(set.WorkSize()))
	if err := t.PlayAndDifferentiate(s.g, s.x, s.at.Bound); err != nil {
		return err
	}
	y := s.Vector(t, s.z)
	for k, g := range s.g {
		s.sum[k] += g
		y.Values[k] -= g
	}
	s.count++
	return t.Forward(follows, y, &s.Inbox)
}

// Talking is muffliato of talking nodes, with the ledger of muffliato.
func Talking() kind.Kind {
	a := muffliato
	a.Name = "talking"
	a.Machine = func(o *options, at *gossip.Setting) algorithm.Machine { return talking{newNode(o, at)} }
	return a.Kind()
}
