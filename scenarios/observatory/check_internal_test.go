package observatory

import (
	"context"
	"errors"
	"testing"

	"starling/scenarios/study"
)

// TestCheckIsCancelled: a check ends with its context at once, also while what it waits for
// goes on, and the next one does not wait for that. Texts that are given up are bounded in
// number. A gate holds the texts that are checked.
func TestCheckIsCancelled(t *testing.T) {
	began, gate := make(chan string), map[string]chan struct{}{"first": make(chan struct{}), "second": make(chan struct{})}
	wrong := errors.New("wrong")
	b := &Bench{loads: make(chan struct{}, mostLoads)}
	b.judge = func(_ context.Context, text string, _ code) (*study.Scenario, error) {
		began <- text
		if held := gate[text]; held != nil {
			<-held // whatever becomes of the context: this is a place where nobody looks
		}
		return nil, wrong
	}
	check := func(text string) (cancel func(), answer chan error) {
		ctx, cancel := context.WithCancel(t.Context())
		answer = make(chan error, 1)
		go func() {
			c, err := b.check(ctx, text)
			if err == nil && (len(c.Issues) != 1 || c.Issues[0].Message != "wrong") {
				err = errors.New("other issues")
			}
			answer <- err
		}()
		return cancel, answer
	}
	for _, text := range []string{"first", "second"} {
		cancel, answer := check(text)
		if got := <-began; got != text {
			t.Fatalf("%s has begun, want %s", got, text)
		}
		cancel()
		if err := <-answer; !errors.Is(err, context.Canceled) {
			t.Fatalf("the %s check: %v", text, err)
		}
	}
	// Two that nobody waits for go on: a third waits for one of them, and can be given up, too.
	cancel, answer := check("third")
	cancel()
	if err := <-answer; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	cancel, answer = check("fourth")
	defer cancel()
	select {
	case text := <-began:
		t.Fatalf("%s has begun beside two others", text)
	case err := <-answer:
		t.Fatal(err)
	default:
	}
	close(gate["first"])
	if got := <-began; got != "fourth" {
		t.Fatalf("%s has begun", got)
	}
	if err := <-answer; err != nil {
		t.Error(err)
	}
	close(gate["second"])
}
