package limits

import (
	"testing"
	"time"
)

// TestBoard shows the work that was begun last, once it has taken a while, and no work that
// has ended.
func TestBoard(t *testing.T) {
	b := &Board{}
	first, second := b.Begin("first"), b.Begin("second")
	if text := b.Text(); text != "" {
		t.Errorf("work that has just begun is shown: %q", text)
	}
	first.began = first.began.Add(-6 * time.Second)
	if text := b.Text(); text != "first, for 6s" {
		t.Errorf("text %q; the second has just begun", text)
	}
	second.began = second.began.Add(-5 * time.Second)
	second.Tell("trial 3")
	if text := b.Text(); text != "second: trial 3, for 5s" {
		t.Errorf("text %q", text)
	}
	second.End()
	if text := b.Text(); text != "first, for 6s" {
		t.Errorf("text %q", text)
	}
	first.End()
	if text := b.Text(); text != "" {
		t.Errorf("work that has ended is shown: %q", text)
	}
	var none *Board
	n := none.Begin("unseen")
	n.Tell("trial 1")
	n.End()
	if text := none.Text(); text != "" {
		t.Errorf("text %q of no board", text)
	}
}
