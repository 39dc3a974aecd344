package option_test

import (
	"errors"
	"fmt"
	"testing"

	"starling/actors/option"
)

func TestError(t *testing.T) {
	for want, err := range map[string]error{
		"tau: 0 steps":     option.Errorf("tau", "%d steps", 0),
		"no model":         option.Errorf("", "no model"),
		"model: unfit for": option.At("model", errors.New("unfit for")),
	} {
		if err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
	}
	if err := option.At("model", nil); err != nil || option.Message(err) != "" {
		t.Errorf("nothing wrong, and %v", err)
	}
	if got := option.Message(fmt.Errorf("sizes: %w", option.Errorf("tau", "0 steps"))); got != "0 steps" {
		t.Errorf("the message is %q", got)
	}
	if got := option.Message(errors.New("no data")); got != "no data" {
		t.Errorf("the message is %q", got)
	}
}

func TestFaults(t *testing.T) {
	var found option.Faults
	found.Check(true, "tau", "fine")
	if err := found.Err(); err != nil {
		t.Errorf("nothing was noted, and %v", err)
	}
	found.Check(false, "tau", "%d steps", 0)
	found.Check(false, "eta", "no step size")
	if got, want := fmt.Sprint(found.Err()), "tau: 0 steps\neta: no step size"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestUnder(t *testing.T) {
	plain := errors.New("no data")
	joined := errors.Join(option.Errorf("kind", "none"), fmt.Errorf("shards: %w", option.Errorf("shards", "is 0")), plain)
	err := option.Under("partition", joined)
	if got, want := fmt.Sprint(err), "partition.kind: none\npartition.shards: is 0\nno data"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if !errors.Is(err, plain) {
		t.Error("an error that names no option is another one")
	}
	if err := option.Under("partition", nil); err != nil {
		t.Errorf("nothing wrong, and %v", err)
	}
}
