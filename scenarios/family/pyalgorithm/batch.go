package pyalgorithm

import (
	"fmt"
	"slices"

	"starling/messages"
	"starling/scenarios/problem/pyproblem"
)

// batch holds the participants that have begun their turns in one call.
type batch struct {
	object *pyproblem.Object
	asked  int // number of participants with answers that it awaits
}

// membership is the part of a question that tells with which others it was asked. Those that have begun together ask
// together again, unless one has failed.
type membership struct {
	batch *batch // nil at the beginning
	node  messages.NodeID
	place int  // in the batch, at its beginning
	over  bool // the batch has broken up: another in it has failed
}

func (m *membership) member() *membership { return m }

// together returns questions by their batches, and those that begin as one. Nodes of several runs may come in
// another order than before.
func together[Q interface{ member() *membership }](nodes []messages.NodeID, questions []any) (lists [][]Q) {
	var batches []*batch
	members := map[*batch][]Q{}
	for i, each := range questions {
		q := each.(Q)
		m := q.member()
		m.node = nodes[i]
		if _, known := members[m.batch]; !known {
			batches = append(batches, m.batch)
		}
		members[m.batch] = append(members[m.batch], q)
	}
	for _, b := range batches {
		list := members[b]
		if b != nil {
			slices.SortFunc(list, func(p, q Q) int { return p.member().place - q.member().place })
		}
		for i, q := range list {
			if b == nil {
				q.member().place = i
			}
		}
		lists = append(lists, list)
	}
	return lists
}

// exchange has the members of a batch begin, or go on, by a call. read hands out its arrays, and returns the number of
// members that ask for more; after the last the object is free. A batch from which one is missing breaks up.
func exchange[Q interface{ member() *membership }](pool *pyproblem.Pool, list []Q, what string, call func(begins bool) *pyproblem.Call, read func(arrays []pyproblem.Array) (asked int, err error)) error {
	b := list[0].member().batch
	if b != nil && len(list) < b.asked {
		for _, q := range list {
			q.member().over = true
		}
		pool.Give(b.object)
		return nil
	}
	c := call(b == nil)
	if c.What = what; b == nil {
		b = &batch{object: pool.Take()}
	}
	arrays, err := b.object.Call(c)
	if err == nil {
		if b.asked, err = read(arrays); err != nil {
			err = fmt.Errorf("%s: %w", what, err)
		}
	}
	if err != nil || b.asked == 0 {
		pool.Give(b.object)
	}
	for _, q := range list {
		q.member().batch = b
	}
	return err
}
