package loading_test

import (
	"context"
	"testing"

	"starling/scenarios"
	"starling/scenarios/study"
)

// ending is a context that is done after it was asked some times.
type ending struct {
	context.Context
	asked, most int
}

func (c *ending) Err() error {
	if c.asked++; c.asked > c.most {
		return context.Canceled
	}
	return nil
}

// TestEndedLoad has the context of a load end at each of the last times that it is asked: there is a
// scenario or an error, also where the check was done by then.
func TestEndedLoad(t *testing.T) {
	text, err := scenarios.Load("dpdonc-localization")
	if err != nil {
		t.Fatal(err)
	}
	load := func(ctx context.Context) (*study.Scenario, error) {
		l := scenarios.NewLoader("")
		l.Context = ctx
		return l.LoadText("s.yaml", text.Document.Bytes())
	}
	all := &ending{Context: t.Context(), most: 1 << 30}
	if s, err := load(all); s == nil || err != nil || all.asked == 0 {
		t.Fatalf("a load that does not end: %v, %v, asked %d times", s, err, all.asked)
	}
	for most := max(0, all.asked-5); most < all.asked; most++ {
		if s, err := load(&ending{Context: t.Context(), most: most}); s == nil && err == nil {
			t.Errorf("a load that ends when asked %d of %d times has neither scenario nor error", most+1, all.asked)
		}
	}
}
