package pyalgorithm

import (
	"errors"
	"math"
	"strings"

	"starling/messages"
	"starling/scenarios/problem/pyproblem"
)

// reply is the result of a call, by name.
type reply map[string]pyproblem.Array

// read hands out the results of a call, and returns the number of nodes that ask for more. The
// reply is from participants.py, which has checked the user's part: an error is an error of
// this program.
func read(arrays []pyproblem.Array, list []*question, metrics []string) (asked int, err error) {
	r := reply{}
	for _, a := range arrays {
		r[a.Name] = a
	}
	kinds, values := r["kind"].Values, r["values"].Values
	counts, to := r["count"].Values, r["to"].Values // of classes that read their inbox
	if len(kinds) != len(list) || counts != nil && len(counts) != len(list) {
		return 0, errShape
	}
	over := make([]*question, 0, len(list))
	for i, q := range list {
		if !(kinds[i] >= 0 && kinds[i] < float64(actions)) {
			return 0, errShape
		}
		q.action = action(kinds[i])
		length := len(q.start)
		if q.action == nothing {
			length = 0
		}
		if q.single = counts != nil && counts[i] >= 0; q.single {
			if to, err = q.address(counts[i], to); err != nil {
				return 0, err
			}
			length *= len(q.to)
		}
		if length > len(values) {
			return 0, errShape
		}
		q.values, values = values[:length], values[length:]
		if q.action < release {
			asked++
		} else {
			over = append(over, q)
		}
	}
	if len(values) > 0 || len(to) > 0 {
		return 0, errShape
	}
	if len(over) > 0 {
		err = errors.Join(r.records(over, metrics), r.states(arrays, over))
	}
	return asked, err
}

// address takes count of the receivers, and returns the rest.
func (q *question) address(count float64, to []float64) (rest []float64, err error) {
	if !(count <= float64(len(to))) || count != math.Trunc(count) {
		return nil, errShape
	}
	q.to = q.to[:0]
	for _, node := range to[:int(count)] {
		if !(node >= 0 && node <= math.MaxInt32) {
			return nil, errShape
		}
		q.to = append(q.to, messages.NodeID(node))
	}
	return to[int(count):], nil
}

// records hands out the records of the nodes that have ended their turns.
func (r reply) records(over []*question, metrics []string) error {
	for _, q := range over {
		q.records = q.records[:0]
	}
	for _, name := range metrics {
		values := r["record."+name].Values
		if len(values) != len(over) {
			return errShape
		}
		for i, q := range over {
			q.records = append(q.records, values[i])
		}
	}
	return nil
}

// states hands out the states of the nodes that have ended their turns.
func (r reply) states(arrays []pyproblem.Array, over []*question) error {
	for _, q := range over {
		q.state.entries = q.state.entries[:0]
	}
	for _, a := range arrays { // in the order of the names
		name, ok := strings.CutPrefix(a.Name, "state.")
		if !ok {
			continue
		}
		shapes, kind := r["shape."+name], r["kind."+name]
		if len(shapes.Shape) != 2 || shapes.Shape[0] != len(over) || len(kind.Values) != 1 {
			return errShape
		}
		values, dimensions := a.Values, shapes.Shape[1]
		for i, q := range over {
			e := entry{name: name, kind: int(kind.Values[0]), shape: make([]int, dimensions)}
			size := 1.0
			for j, length := range shapes.Values[i*dimensions : (i+1)*dimensions] {
				e.shape[j] = int(length)
				size *= length
			}
			if !(size >= 0 && size <= float64(len(values))) || size != math.Trunc(size) {
				return errShape
			}
			e.values, values = values[:int(size)], values[int(size):]
			q.state.entries = append(q.state.entries, e)
		}
		if len(values) > 0 {
			return errShape
		}
	}
	return nil
}
