package pyproblem_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"starling/scenarios/problem/pyproblem"
)

// wave is an array of so many rows of three numbers that differ.
func wave(rows int, phase float64) pyproblem.Array {
	x := pyproblem.Array{Name: "x", Shape: []int{rows, 3}, Values: make([]float64, 3*rows)}
	for i := range x.Values {
		x.Values[i] = math.Sin(phase + float64(i))
	}
	return x
}

// Whether numbers go through pipes or through memory that both processes have, and whether that
// is there, grows for the request or is too short for the answer, a call has the same answer.
func TestMemory(t *testing.T) {
	var answers [2]string
	for i, pipes := range []bool{true, false} {
		o := box(t, program(t, func(o *pyproblem.Options) { o.Pipes = pipes }), nil)
		first := wave(2000, 0)
		call(t, o, pyproblem.Call{Method: "same", Arrays: []pyproblem.Array{first}})
		for _, rows := range []int{1, 0, 1400, 100, 60_000, 43_690, 43_691, 200_000, 7} {
			x := wave(rows, float64(rows))
			nodes := pyproblem.Array{Name: "nodes", Shape: []int{rows}, Values: make([]float64, rows)}
			for k := range nodes.Values {
				nodes.Values[k] = float64(rows - k)
			}
			for _, c := range []pyproblem.Call{
				{Method: "itself", Arrays: []pyproblem.Array{x}, Shape: []int{rows, 3}, Into: make([]float64, 3*rows)},
				{Method: "view", Arrays: []pyproblem.Array{x}},
				{Method: "parts", Arrays: []pyproblem.Array{x, nodes}, Integers: []string{"nodes"}},
				{Method: "shifted", Arrays: []pyproblem.Array{x, nodes}, Integers: []string{"nodes"}},
				{Method: "wide", Arrays: []pyproblem.Array{x}},
			} {
				answers[i] += fmt.Sprintf("%s of %d: %x\n", c.Method, rows, sums(call(t, o, c)))
			}
		}
		// What the code keeps of a call is its own.
		if kept := call(t, o, pyproblem.Call{Method: "same", Arrays: []pyproblem.Array{wave(2000, 1)}}); fmt.Sprint(kept[0].Values) != fmt.Sprint(first.Values) {
			t.Errorf("pipes=%v: an argument that was kept has changed", pipes)
		}
		for step, want := range map[float64]float64{0: 0, 5: 5} { // grouped: rows of an argument by value
			at := pyproblem.Array{Name: "nodes", Shape: []int{2000}, Values: make([]float64, 2000)}
			by := pyproblem.Array{Name: "k", Shape: []int{2000}, Values: make([]float64, 2000)}
			for k := range at.Values {
				at.Values[k], by.Values[k] = float64(k), float64(k%3)+step
			}
			got := call(t, o, pyproblem.Call{Method: "times", Arrays: []pyproblem.Array{first, at, by}, Integers: []string{"nodes", "k"}, At: "nodes", By: "k", Shape: []int{2000, 3}})
			for k, v := range got[0].Values {
				if v != first.Values[k]*(float64(k/3%3)+want) {
					t.Fatalf("pipes=%v: entry %d is %v", pipes, k, v)
				}
			}
		}
	}
	if answers[0] != answers[1] {
		t.Errorf("through pipes\n%sthrough memory\n%s", answers[0], answers[1])
	}
}

// sums are a few numbers of each array, with its shape.
func sums(arrays []pyproblem.Array) (list []any) {
	for _, a := range arrays {
		var sum, weighed float64
		for i, v := range a.Values {
			sum, weighed = sum+v, weighed+float64(float64(i%101)*v)
		}
		list = append(list, a.Name, fmt.Sprint(a.Shape), math.Float64bits(sum), math.Float64bits(weighed))
	}
	return list
}

// A child that ends, is killed or takes too long while it has memory in use is what the call
// says, and nothing else is harmed.
func TestMemoryOfLostChildren(t *testing.T) {
	for method, want := range map[string]string{"dies": "exit status 3", "sleeps": "it took more than 1s", "cuts": "Operation not permitted"} {
		mark := filepath.Join(t.TempDir(), "mark")
		p := program(t, func(o *pyproblem.Options) {
			o.Source = append(o.Source, fmt.Appendf(nil, `
class Late(Box):
    def dies(self, x): os._exit(3)
    def sleeps(self, x):
        open(%q, "w").close()
        time.sleep(60)
    def cuts(self, x): os.ftruncate(3, 0)
`, mark)...)
			o.Timeout = time.Second
		})
		o := p.Object("Late", nil)
		x := wave(50_000, 0)
		if _, err := o.Call(&pyproblem.Call{Method: "itself", What: "before", Arrays: []pyproblem.Array{x}}); err != nil {
			t.Skip("this machine is too slow for a limit of a second: ", err)
		}
		_, err := o.Call(&pyproblem.Call{Method: method, What: "the loss", Arrays: []pyproblem.Array{x}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", method, err)
		}
		if _, there := os.Stat(mark); method == "sleeps" && there != nil {
			t.Error(there)
		}
		o.Release()
		other := p.Object("Late", nil)
		if got, err := other.Call(&pyproblem.Call{Method: "itself", What: "after", Arrays: []pyproblem.Array{x}}); err != nil || len(got[0].Values) != len(x.Values) {
			t.Errorf("%s: %v", method, err)
		}
		other.Release()
	}
}
