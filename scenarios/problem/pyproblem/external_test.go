package pyproblem_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"starling/scenarios/problem/pyproblem"
	"starling/scenarios/testneeds"
)

// text is a file of a user who does everything that users do.
const text = `
import os, sys, time, random
import numpy as np

print("loaded")
start = os.getpid()

class Box:
    bounds = 2.5
    names = ["a", "b"]
    hidden = object()

    def __init__(self, scale=1.0, fail=False):
        if fail:
            raise ValueError("no box today")
        self.scale = scale
        self.calls = 0

    def times(self, x, k):
        return self.scale * x * k

    def parts(self, x, nodes):
        return {"sum": x.sum(axis=1), "nodes": nodes, "type": float(nodes.dtype == np.int64)}

    def shifted(self, x, nodes):
        assert x.shape[0] == nodes.shape[0]
        return x + 1 / (nodes[:, None] + 3)
    def powers(self, x, nodes): return (x**2).sum(axis=1)[:, None] * x
    def nothing(self): return None
    def single(self, x): return x.astype(np.float32)
    def itself(self, x): return x
    def view(self, x): return x[::-1]
    def wide(self, x): return np.tile(x, (1, 5))
    def change(self, x):
        x += 1
        return x
    def same(self, x):
        self.kept = getattr(self, "kept", x)
        return self.kept
    def complex(self, x): return x + 1j
    def text(self, x): return "three"
    def ragged(self, x): return [[1.0], [1.0, 2.0]]
    def raises(self, x): return x[17]
    def leaves(self): sys.exit(3)
    def dies(self):
        print("my last words", file=sys.stderr, flush=True)
        os._exit(3)
    def sleeps(self): time.sleep(60)
    def writes(self):
        print("to standard output")
        os.write(1, b"and to its descriptor\n")
        return 1.0
    def reads(self): return float(len(sys.stdin.read()))
    def forks(self):
        os.fork()
        return 1.0
    def leaves_a_child(self):
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        return 1.0
    def chance(self): return random.random()
    def counts(self):
        self.calls += 1
        return float(self.calls)
    def pid(self): return float(start)
    def seeded(self): return float(hash("word") % 1000)
    def threads(self): return float(os.environ["OMP_NUM_THREADS"])
    def large(self): return np.zeros(1 << 28)
`

// program is one of the text, ended with the test.
func program(t testing.TB, change func(*pyproblem.Options)) *pyproblem.Program {
	t.Helper()
	testneeds.Python(t)
	o := pyproblem.Options{Path: filepath.Join(t.TempDir(), "box.py"), Source: []byte(text), Timeout: 20 * time.Second, Log: io.Discard}
	if change != nil {
		change(&o)
	}
	p := pyproblem.New(o)
	t.Cleanup(p.Close)
	return p
}

func box(t testing.TB, p *pyproblem.Program, arguments map[string]any) *pyproblem.Object {
	o := p.Object("Box", arguments)
	t.Cleanup(o.Release)
	return o
}

func call(t testing.TB, o *pyproblem.Object, c pyproblem.Call) []pyproblem.Array {
	t.Helper()
	arrays, err := o.Call(&c)
	if err != nil {
		t.Fatal(err)
	}
	return arrays
}

// numbers are an array argument named x.
func numbers(values ...float64) []pyproblem.Array {
	return []pyproblem.Array{{Name: "x", Shape: []int{len(values)}, Values: values}}
}

func TestCall(t *testing.T) {
	o := box(t, program(t, nil), map[string]any{"scale": 2})
	odd := []float64{1, math.Copysign(0, -1), math.MaxFloat64 / 2, 5e-324, math.Inf(1)}
	got := call(t, o, pyproblem.Call{Method: "times", Arrays: append(numbers(odd...), pyproblem.Array{Name: "k", Values: []float64{0.5}})})
	if diff := cmp.Diff([]pyproblem.Array{{Name: "result", Shape: []int{5}, Values: odd}}, got); diff != "" || !math.Signbit(got[0].Values[1]) {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got = call(t, o, pyproblem.Call{Method: "parts", Integers: []string{"nodes"}, Arrays: []pyproblem.Array{
		{Name: "x", Shape: []int{2, 2}, Values: []float64{1, 2, 3, 4}}, {Name: "nodes", Shape: []int{2}, Values: []float64{7, -9}},
	}})
	want := []pyproblem.Array{{Name: "sum", Shape: []int{2}, Values: []float64{3, 7}}, {Name: "nodes", Shape: []int{2}, Values: []float64{7, -9}}, {Name: "type", Shape: []int{}, Values: []float64{1}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := call(t, o, pyproblem.Call{Method: "nothing"}); len(got) != 0 {
		t.Errorf("None is %v", got)
	}
	if got := call(t, o, pyproblem.Call{Method: "times", Arrays: []pyproblem.Array{{Name: "x", Shape: []int{0, 3}}, {Name: "k", Values: []float64{2}}}}); got[0].Shape[1] != 3 || len(got[0].Values) != 0 {
		t.Errorf("an empty array is %v", got)
	}
}

// A call over an argument sums to the bits of a loop, also of rows of one entry.
func TestOver(t *testing.T) {
	o := box(t, program(t, nil), nil)
	const count = 1000
	nodes := make([]float64, count)
	for i := range nodes {
		nodes[i] = float64(i)
	}
	for _, d := range []int{1, 2, 7} {
		for _, rows := range []int{1, 3} {
			x := make([]float64, rows*d)
			want := make([]float64, len(x))
			for i := range x {
				x[i] = -0.1 * float64(i)
				for _, node := range nodes {
					want[i] += x[i] + 1/(node+3)
				}
			}
			got := call(t, o, pyproblem.Call{Method: "shifted", Integers: []string{"nodes"}, Over: "nodes", Shape: []int{rows * count, d}, Arrays: []pyproblem.Array{
				{Name: "x", Shape: []int{rows, d}, Values: x}, {Name: "nodes", Shape: []int{count}, Values: nodes},
			}})
			if !cmp.Equal(want, got[0].Values) {
				t.Errorf("%d rows of %d: %v, want %v", rows, d, got[0].Values, want)
			}
		}
	}
}

// A row has the same bits whichever rows a call is made with, also where the code makes
// arrays in the order of those it gets.
func TestOverRows(t *testing.T) {
	o := box(t, program(t, nil), nil)
	const count, d = 5, 40
	x := make([]float64, 3*d)
	for i := range x {
		x[i] = 1 / float64(i+3)
	}
	asked := func(rows int) []float64 {
		return call(t, o, pyproblem.Call{Method: "powers", Integers: []string{"nodes"}, Over: "nodes", Arrays: []pyproblem.Array{
			{Name: "x", Shape: []int{rows, d}, Values: x[:rows*d]}, {Name: "nodes", Shape: []int{count}, Values: make([]float64, count)},
		}})[0].Values
	}
	if one, three := asked(1), asked(3)[:d]; !cmp.Equal(one, three) {
		t.Errorf("alone %v\nwith others %v", one, three)
	}
}

func TestShape(t *testing.T) {
	o := box(t, program(t, nil), nil)
	for method, want := range map[string]string{
		"single":  "it returned an array of shape (2,); want (3,)",
		"pid":     "it returned an array of shape (); want (3,)",
		"nothing": "it returned no array",
		"parts":   "it returned a dictionary; want one array",
	} {
		c := pyproblem.Call{Method: method, Shape: []int{3}}
		switch method {
		case "single":
			c.Arrays = numbers(1, 2)
		case "parts":
			c.Arrays = []pyproblem.Array{{Name: "x", Shape: []int{1, 1}, Values: []float64{1}}, {Name: "nodes", Shape: []int{1}, Values: []float64{1}}}
		}
		if _, err := o.Call(&c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", method, err)
		}
	}
	if got := call(t, o, pyproblem.Call{Method: "single", Arrays: numbers(1, 2), Shape: []int{-1}}); len(got[0].Values) != 2 {
		t.Errorf("any length: %v", got)
	}
}

func TestDescribe(t *testing.T) {
	o := box(t, program(t, nil), nil)
	d, err := o.Describe()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"bounds": 2.5, "names": []any{"a", "b"}, "scale": 1.0, "calls": 0.0}, d.Attributes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(d.Methods) < 10 || d.Methods[0] != "chance" {
		t.Errorf("methods %v", d.Methods)
	}
}

// What users do that is no fault, or none that anybody has to see.
func TestHarmless(t *testing.T) {
	var said bytes.Buffer
	p := program(t, func(o *pyproblem.Options) { o.Log = &said; o.Threads = 2 })
	o := box(t, p, nil)
	for method, want := range map[string][]float64{
		"single": {1.5, 2}, "view": {2, 1.5}, "same": {1.5, 2},
	} {
		if got := call(t, o, pyproblem.Call{Method: method, Arrays: numbers(1.5, 2)})[0].Values; !cmp.Equal(want, got) {
			t.Errorf("%s: %v, want %v", method, got, want)
		}
	}
	// What it keeps of its arguments stays as it was.
	if got := call(t, o, pyproblem.Call{Method: "same", Arrays: numbers(8, 9)})[0].Values; !cmp.Equal([]float64{1.5, 2}, got) {
		t.Errorf("an argument that was kept is %v", got)
	}
	for method, want := range map[string]float64{"writes": 1, "reads": 0, "forks": 1, "leaves_a_child": 1, "threads": 2} {
		for range 3 {
			if got := call(t, o, pyproblem.Call{Method: method})[0].Values[0]; got != want {
				t.Errorf("%s: %v, want %v", method, got, want)
			}
		}
	}
	o.Release()
	p.Close() // which waits for the last words
	for _, line := range []string{"python: loaded\n", "python: to standard output\n", "python: and to its descriptor\n"} {
		if !strings.Contains(said.String(), line) {
			t.Errorf("%q is not in what was passed on:\n%s", line, said.String())
		}
	}
}

// Hashes of texts are the same in every process.
func TestHashes(t *testing.T) {
	var got []float64
	for range 2 {
		p := program(t, nil)
		got = append(got, call(t, box(t, p, nil), pyproblem.Call{Method: "seeded"})[0].Values[0])
	}
	if got[0] != got[1] {
		t.Errorf("hashes %v", got)
	}
}

func TestRefused(t *testing.T) {
	p := program(t, nil)
	o := box(t, p, nil)
	for method, want := range map[string][]string{
		"complex": {"what it returned has dtype complex128; want numbers that float64 holds"},
		"text":    {"what it returned has dtype <U5"},
		"change":  {"ValueError: output array is read-only", "box.py\", line", "x += 1"},
		"ragged":  {"ValueError"},
		"raises":  {"IndexError: index 17 is out of bounds", "box.py\", line", "return x[17]"},
		"absent":  {"the class has no method absent"},
	} {
		_, err := o.Call(&pyproblem.Call{Method: method, What: "the " + method + " of nodes 1 and 2 at step 3", Arrays: numbers(1, 2)})
		for _, part := range append(want, "the "+method+" of nodes 1 and 2 at step 3: ") {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v\nwant %q in it", method, err, part)
			}
		}
		if err != nil && strings.Contains(err.Error(), "<starling>") {
			t.Errorf("%s: the traceback shows Starling's own program: %v", method, err)
		}
	}
	// What ends a program in Python is an exception like others.
	if _, err := o.Call(&pyproblem.Call{Method: "leaves", What: "leaves"}); err == nil || !strings.Contains(err.Error(), "SystemExit: 3") {
		t.Error(err)
	}
	if got := call(t, o, pyproblem.Call{Method: "counts"})[0].Values[0]; got != 1 {
		t.Errorf("after exceptions there is another object, which counts %v", got)
	}
}

func TestMake(t *testing.T) {
	p := program(t, nil)
	for class, want := range map[string]string{
		"Bax": "making a Bax of %: the file has no class Bax; it has Box",
		"Box": "making a Box of %: ValueError: no box today\nTraceback",
	} {
		o := p.Object(class, map[string]any{"fail": true})
		_, err := o.Describe()
		if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), err.Error()[strings.Index(err.Error(), "of ")+3:strings.Index(err.Error(), ".py: ")+3], "%"), want) {
			t.Errorf("%s: %v", class, err)
		}
		if _, again := o.Call(&pyproblem.Call{Method: "counts"}); again != err {
			t.Errorf("%s again: %v", class, again)
		}
	}
	for source, want := range map[string]string{
		"def f(:\n":                "SyntaxError",
		"import nowhere_to_be":     "ModuleNotFoundError: No module named 'nowhere_to_be'",
		"# \xff":                   "is not UTF-8",
		"import os\nos._exit(4)\n": "the process ended: exit status 4",
	} {
		o := program(t, func(o *pyproblem.Options) { o.Source = []byte(source) }).Object("Box", nil)
		if _, err := o.Describe(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", source, err)
		}
	}
}

// A child that is gone fails its object for good, and others get another child.
func TestLost(t *testing.T) {
	for method, want := range map[string][]string{
		"dies":   {"the loss: the process ended: exit status 3", "its last words:", "my last words"},
		"sleeps": {"the loss: it took more than 1s, and was ended"},
		"large":  {"the loss: the answer has "},
	} {
		p := program(t, func(o *pyproblem.Options) { o.Timeout = time.Second })
		o := box(t, p, nil)
		if _, err := o.Describe(); err != nil && strings.Contains(err.Error(), "took more than") {
			t.Skip("this machine is too slow for a limit of a second")
		}
		_, err := o.Call(&pyproblem.Call{Method: method, What: "the loss"})
		for _, part := range want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v\nwant %q in it", method, err, part)
			}
		}
		if method == "large" {
			continue // and lives on
		}
		if _, again := o.Call(&pyproblem.Call{Method: "counts"}); again != err {
			t.Errorf("%s: the next call returns %v", method, again)
		}
		if got := call(t, box(t, p, nil), pyproblem.Call{Method: "counts"})[0].Values[0]; got != 1 {
			t.Errorf("%s: the next object counts %v", method, got)
		}
	}
}

// A kill from outside is what the call says, and what a child has forked ends with it.
func TestKilled(t *testing.T) {
	p := program(t, nil)
	o := box(t, p, nil)
	call(t, o, pyproblem.Call{Method: "leaves_a_child"})
	pid := int(call(t, o, pyproblem.Call{Method: "pid"})[0].Values[0])
	child, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	child.Kill()
	begin := time.Now()
	if _, err := o.Call(&pyproblem.Call{Method: "counts", What: "the loss"}); err == nil || !strings.Contains(err.Error(), "the process ended: signal: killed") {
		t.Error(err)
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("the end of the child was noticed after %v", took)
	}
}

func TestTwice(t *testing.T) {
	p := program(t, func(o *pyproblem.Options) { o.Twice = true })
	o := box(t, p, nil)
	call(t, o, pyproblem.Call{Method: "single", Arrays: numbers(1, 2)})
	for _, method := range []string{"chance", "counts"} {
		if _, err := o.Call(&pyproblem.Call{Method: method, What: "the loss"}); err == nil || !strings.Contains(err.Error(), "the loss: two equal calls gave different results: entry 0 of result is ") {
			t.Errorf("%s: %v", method, err)
		}
	}
}

// Objects in use have children of their own, and one that is given back serves the next.
func TestChildren(t *testing.T) {
	p := program(t, nil)
	pid := func(o *pyproblem.Object) float64 { return call(t, o, pyproblem.Call{Method: "pid"})[0].Values[0] }
	a, b := box(t, p, nil), box(t, p, nil)
	first, second := pid(a), pid(b)
	if first == second {
		t.Error("two objects in use share a child")
	}
	a.Release()
	if got := pid(box(t, p, nil)); got != first {
		t.Error("a child that was given back is not used again")
	}
	if _, err := a.Call(&pyproblem.Call{Method: "pid"}); err == nil {
		t.Error("an object is used after its release")
	}
	// Calls of many goroutines come one after the other.
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			got, err := b.Call(&pyproblem.Call{Method: "single", Arrays: numbers(float64(i))})
			if err != nil || got[0].Values[0] != float64(i) {
				t.Errorf("call %d: %v, %v", i, got, err)
			}
		})
	}
	all.Wait()
}

func TestInterpreter(t *testing.T) {
	for name, want := range map[string]string{
		"/there/is/no/python": "there is no Python: ", "true": "does not answer: the process ended: exit status 0",
	} {
		if _, err := exec.LookPath("true"); err != nil {
			t.Skip(err)
		}
		t.Setenv(pyproblem.Variable, name)
		if _, err := pyproblem.Installed(); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), pyproblem.Variable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A Python without numpy says how to install it.
func TestNoNumpy(t *testing.T) {
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip(err)
	}
	script := filepath.Join(t.TempDir(), "python")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nexec "+path+" -S -E \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv(pyproblem.Variable, script)
	var failed *exec.Error
	if _, err := pyproblem.Installed(); errors.As(err, &failed) || err == nil || !strings.Contains(err.Error(), "has no numpy: No module named 'numpy'; ") || !strings.Contains(err.Error(), "-m pip install numpy") {
		t.Error(err)
	}
}

// Numbers come where the caller has room for them, with the bits that they have elsewhere,
// also where calls are made twice; an answer of another length fails the call alone.
func TestCallInto(t *testing.T) {
	x := pyproblem.Array{Name: "x", Shape: []int{2, 3}, Values: []float64{1, -2, 3, math.Copysign(0, -1), 5e-324, 6}}
	for _, twice := range []bool{false, true} {
		o := box(t, program(t, func(o *pyproblem.Options) { o.Twice = twice }), nil)
		dst := []float64{9, 9, 9, 9, 9, 9}
		got, err := o.Call(&pyproblem.Call{Method: "itself", What: "itself", Shape: []int{2, 3}, Into: dst, Arrays: []pyproblem.Array{x}})
		if err != nil || &got[0].Values[0] != &dst[0] {
			t.Fatalf("%v, %v", got, err)
		}
		for i, v := range x.Values {
			if math.Float64bits(v) != math.Float64bits(dst[i]) {
				t.Errorf("entry %d is %v, want %v", i, dst[i], v)
			}
		}
		for _, method := range []string{"itself", "nothing"} {
			c := &pyproblem.Call{Method: method, What: "this call", Into: dst[:5]}
			if method == "itself" {
				c.Arrays = []pyproblem.Array{x}
			}
			if _, err := o.Call(c); err == nil || !strings.Contains(err.Error(), "this call: the answer has another length than its shape") {
				t.Errorf("%s: %v", method, err)
			}
		}
		call(t, o, pyproblem.Call{Method: "itself", Arrays: []pyproblem.Array{x}})
	}
}

// A request that cannot be written is an error of that call: the object is asked again.
func TestCallUnsent(t *testing.T) {
	o := box(t, program(t, nil), nil)
	x := numbers(1, 2)[0]
	call(t, o, pyproblem.Call{Method: "itself", Arrays: []pyproblem.Array{x}})
	if _, err := o.Call(&pyproblem.Call{Method: "itself", Arrays: []pyproblem.Array{x, x}}); err == nil || !strings.Contains(err.Error(), "the name is taken") {
		t.Error(err)
	}
	if o.Lost() {
		t.Error("the child is given up")
	}
	call(t, o, pyproblem.Call{Method: "itself", Arrays: []pyproblem.Array{x}})
}

// Where nobody waits any more, a call that does not end is ended with its child, and there are
// no calls after it. What waits for the call goes on when the child is in the call.
func TestCallUnwanted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	mark := filepath.Join(t.TempDir(), "mark")
	p := program(t, func(o *pyproblem.Options) {
		o.Context, o.Timeout = ctx, time.Hour
		o.Source = append(o.Source, []byte(`
class Gate:
    def __init__(self, mark): self.mark = mark
    def wait(self):
        open(self.mark, "w").close()
        time.sleep(3600)
`)...)
	})
	o, other := p.Object("Gate", map[string]any{"mark": mark}), box(t, p, nil)
	defer o.Release()
	call(t, other, pyproblem.Call{Method: "itself", Arrays: numbers(1)})
	go func() {
		for _, err := os.Stat(mark); err != nil; _, err = os.Stat(mark) {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	_, err := o.Call(&pyproblem.Call{Method: "wait", What: "waiting"})
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "waiting: nobody waited for it any more, and it was ended after 2s") {
		t.Errorf("a call in progress: %v", err)
	}
	if _, err := other.Call(&pyproblem.Call{Method: "itself", What: "another", Arrays: numbers(1)}); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "another: nobody waits for it") {
		t.Errorf("a call after it: %v", err)
	}
}
