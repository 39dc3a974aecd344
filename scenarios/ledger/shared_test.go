package ledger

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"starling/mechanisms/accountant"
)

// What is known is not converted again, whoever asks and from whichever goroutine; errors,
// and what comes when all places are taken, are not kept.
func TestSharedEpsilons(t *testing.T) {
	total := accountant.Loss{Sampled: accountant.SampledGaussian{Rate: 0.1, Noise: 1.5, Steps: 20}}.Total()
	pure := accountant.Loss{Epsilon: 0.5}.Total()
	account := Account{Delta: 1e-5, By: accountant.PLD}
	want, err := total.Epsilon(1e-5, accountant.PLD)
	if err != nil {
		t.Fatal(err)
	}
	l := Ledger{shared: new(Epsilons)}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			by := l.Epsilons()
			if got, err := by.Stated(&account, &total); err != nil || got != want {
				t.Errorf("%v, %v; alone %v", got, err, want)
			}
			if got, err := by.Stated(&account, &pure); err != nil || got != 0.5 {
				t.Errorf("%v, %v; want 0.5", got, err)
			}
		})
	}
	group.Wait()
	if len(l.shared.known) != 1 {
		t.Errorf("%d epsilons are shared, want that of sampled steps alone", len(l.shared.known))
	}
	converted := account
	converted.Converted = true
	by := l.Epsilons()
	if got, err := by.Stated(&converted, &total); err != nil || !(got > want) {
		t.Errorf("%v, %v where a record is replaced; where one is added %v", got, err, want)
	}

	counted := 0
	get := func(name string, err error) (float64, error) {
		return l.shared.get(conversion{total: name}, func() (float64, error) { counted++; return 7, err })
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
	for i := len(l.shared.known); i < mostShared; i++ {
		l.shared.known[conversion{total: fmt.Sprint(i)}] = 0
	}
	if got, err := get("b", nil); got != 7 || err != nil || len(l.shared.known) != mostShared {
		t.Errorf("%v, %v with %d places taken", got, err, len(l.shared.known))
	}
}
