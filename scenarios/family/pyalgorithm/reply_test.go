package pyalgorithm

import (
	"math"
	"testing"

	"starling/messages"
	"starling/scenarios/problem/pyproblem"
)

// What a process returns is taken apart without a panic, whatever it is, and what is taken
// is a state that can be written and read.
func FuzzRead(f *testing.F) {
	f.Add([]byte{0, 0, 1, 2}, []byte{5, 6})
	f.Add([]byte{4, 1, 2, 3, 2, 0, 1, 1, 1, 2, 3, 4}, []byte{5, 5})
	f.Add([]byte{4, 5, 1, 2, 3, 2, 1, 0, 2, 1, 2}, []byte{5, 5})
	f.Fuzz(func(t *testing.T, layout, kinds []byte) {
		next := func() int {
			if len(layout) == 0 {
				return 0
			}
			b := layout[0]
			layout = layout[1:]
			return int(b)
		}
		number := func() float64 {
			switch b := next(); b {
			case 255:
				return math.NaN()
			case 254:
				return 1e300
			default:
				return float64(b) - 1
			}
		}
		array := func(name string, shape ...int) pyproblem.Array {
			size := 1
			for _, length := range shape {
				size *= length
			}
			a := pyproblem.Array{Name: name, Shape: shape, Values: make([]float64, size)}
			for i := range a.Values {
				a.Values[i] = number()
			}
			return a
		}
		list := make([]*question, len(kinds)%5)
		arrays := []pyproblem.Array{array("values", next()%16)}
		said := pyproblem.Array{Name: "kind", Shape: []int{len(list)}}
		for i := range list {
			list[i] = &question{start: make([]float64, 2), state: &state{}}
			said.Values = append(said.Values, float64(int8(kinds[i])))
		}
		if next()%2 == 1 { // vectors by neighbour
			arrays = append(arrays, array("count", len(list)), array("to", next()%8))
		}
		arrays = append(arrays, said, array("state.x", next()%16), array("kind.x"), array("shape.x", next()%5, next()%3))
		asked, err := read(arrays, list, []string{"m"})
		if err != nil {
			return
		}
		for _, q := range list {
			if want := len(q.to) * 2; q.single && q.action != nothing && len(q.values) != want {
				t.Errorf("%d numbers for %d neighbours", len(q.values), len(q.to))
			}
			if q.action < release {
				asked--
				continue
			}
			var again state
			if err := messages.Read(messages.Write(nil, q.state), &again); err != nil {
				t.Errorf("%v: %v", q.state, err)
			}
		}
		if asked != 0 {
			t.Errorf("%d too many asked", asked)
		}
	})
}
