package accountant

import (
	"errors"
	"fmt"
	"sync"
	"testing"
)

// What is known is not converted again, whichever converter asks and from whichever
// goroutine; errors, and what comes when all places are taken, are not kept.
func TestShared(t *testing.T) {
	total := Loss{Sampled: SampledGaussian{Rate: 0.1, Noise: 1.5, Steps: 20}}.Total()
	want, err := new(Converter).Epsilon(&total, 1e-5, PLD)
	if err != nil {
		t.Fatal(err)
	}
	shared := new(Shared)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			by := Converter{Shared: shared}
			if got, err := by.Epsilon(&total, 1e-5, PLD); err != nil || got != want {
				t.Errorf("%v, %v; alone %v", got, err, want)
			}
			if _, err := by.Epsilon(&total, 1e-5, RDP); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if len(shared.known) != 1 {
		t.Errorf("%d epsilons are shared, want that by privacy loss distributions alone", len(shared.known))
	}

	counted := 0
	get := func(name string, err error) (float64, error) {
		return shared.get(conversion{total: name}, func() (float64, error) { counted++; return 7, err })
	}
	failed := errors.New("failed")
	if _, err := get("a", failed); !errors.Is(err, failed) {
		t.Errorf("%v, want the error", err)
	}
	for range 2 {
		if got, err := get("a", nil); got != 7 || err != nil {
			t.Errorf("%v, %v", got, err)
		}
	}
	if counted != 2 {
		t.Errorf("converted %d times, want once for the error and once for the number", counted)
	}
	for i := len(shared.known); i < mostShared; i++ {
		shared.known[conversion{total: fmt.Sprint(i)}] = 0
	}
	if got, err := get("b", nil); got != 7 || err != nil || len(shared.known) != mostShared {
		t.Errorf("%v, %v with %d places taken", got, err, len(shared.known))
	}
}
