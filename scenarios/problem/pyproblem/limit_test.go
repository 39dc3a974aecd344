package pyproblem_test

import (
	"strings"
	"testing"

	"starling/scenarios/problem/pyproblem"
)

// hungry is a class that takes memory.
const hungry = `
import numpy as np
import time

class Box:
    def takes(self, x):
        self.kept = np.ones(int(x[0]) << 17) # so many MiB
        return x
    def grows(self, x):
        self.kept = []
        for k in range(int(x[0])):
            self.kept.append(np.ones(1 << 17))
            time.sleep(0.002)
        time.sleep(20)
        return x
`

// TestMemoryOfChildren has children take more than the limit: one by itself is refused it, and of
// several the largest is ended, with the cause. There was no limit for them.
func TestMemoryOfChildren(t *testing.T) {
	p := program(t, func(o *pyproblem.Options) { o.Source = []byte(hungry) })
	pyproblem.LimitMemory(400 << 20)
	t.Cleanup(func() { pyproblem.LimitMemory(0) })
	take := func(o *pyproblem.Object, method string, size float64) error {
		_, err := o.Call(&pyproblem.Call{Method: method, What: "the loss", Arrays: numbers(size)})
		return err
	}
	check := func(err error, wants ...string) {
		t.Helper()
		for _, want := range wants {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		}
	}
	first, second := box(t, p, nil), box(t, p, nil)
	if err := take(first, "takes", 50); err != nil {
		t.Fatal(err)
	}
	check(take(second, "grows", 300), "the loss: all processes together took ", "and may take 400 MiB (--memory); it took the most, ", "and was ended")
	if err := take(first, "takes", 40); err != nil {
		t.Errorf("the smaller child: %v", err)
	}
	check(take(box(t, p, nil), "takes", 500), "the loss: ", "MemoryError", "may take 400 MiB of memory (--memory)")
}
