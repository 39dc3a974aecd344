package limits

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// Board shows the progress of work that makes no steps of a run, such as a search before the
// first step. Its methods, and its notices' methods, may be called from any goroutine, and on
// nil, which shows nothing.
type Board struct {
	mu      sync.Mutex
	notices []*Notice // in the order of their beginning
}

// Notice is one piece of work.
type Notice struct {
	board     *Board
	what, how string
	began     time.Time
}

// Begin shows work of a name, until End.
func (b *Board) Begin(what string) *Notice {
	if b == nil {
		return nil
	}
	n := &Notice{board: b, what: what, began: time.Now()}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.notices = append(b.notices, n)
	return n
}

// Tell sets the text on the progress of the work.
func (n *Notice) Tell(how string) {
	if n == nil {
		return
	}
	n.board.mu.Lock()
	defer n.board.mu.Unlock()
	n.how = how
}

// End takes the notice down.
func (n *Notice) End() {
	if n == nil {
		return
	}
	n.board.mu.Lock()
	defer n.board.mu.Unlock()
	n.board.notices = slices.DeleteFunc(n.board.notices, func(other *Notice) bool { return other == n })
}

// brief is the duration below which work is not shown.
const brief = time.Second

// Text describes the work that was begun last among work that takes long, which is the
// innermost, with its progress and its duration; empty where none takes long.
func (b *Board) Text() string {
	if b == nil {
		return ""
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, n := range slices.Backward(b.notices) {
		took := time.Since(n.began)
		if took < brief {
			continue
		}
		text := n.what
		if n.how != "" {
			text += ": " + n.how
		}
		return fmt.Sprintf("%s, for %s", text, took.Round(time.Second))
	}
	return ""
}
