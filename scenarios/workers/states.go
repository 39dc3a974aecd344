package workers

import (
	"context"
	"fmt"
	"io"
	"time"

	"starling/actors/remote"
	"starling/scenarios/forecast"
	"starling/scenarios/workers/wire"
)

// mostPiece is how many bytes of a state go in one message.
const mostPiece = 256 << 10

// stateWriter sends what is written as the state of a job, in pieces.
type stateWriter struct {
	ctx   context.Context
	link  *remote.Link
	index int
	piece []byte // at most mostPiece
}

// Write implements io.Writer.
func (w *stateWriter) Write(b []byte) (n int, err error) {
	for n < len(b) {
		if len(w.piece) == mostPiece {
			if err := w.send(false); err != nil {
				return n, err
			}
		}
		size := min(len(b)-n, mostPiece-len(w.piece))
		w.piece = append(w.piece, b[n:n+size]...)
		n += size
	}
	return n, nil
}

// send sends a piece.
func (w *stateWriter) send(last bool) error {
	piece := &wire.State{Index: int64(w.index), Bytes: w.piece, Last: last}
	err := send(w.ctx, w.link, &wire.ToCoordinator{Kind: &wire.ToCoordinator_State{State: piece}})
	w.piece = w.piece[:0] // send has copied it
	return err
}

// saving is a state that is coming in, and written to where states are kept as it comes: so
// that it takes no memory.
type saving struct {
	pipe *io.PipeWriter
	done chan error // gets what became of it
	size int64      // of what has come
}

// begin begins to save a state.
func begin(save func(state func(io.Writer) error) error) *saving {
	from, to := io.Pipe()
	s := &saving{pipe: to, done: make(chan error, 1)}
	go func() {
		err := save(func(w io.Writer) error {
			_, err := io.Copy(w, from)
			return err
		})
		from.CloseWithError(err) // who writes to it waits no more
		s.done <- err
	}()
	return s
}

// abandon drops a state that has not come whole; nil is none.
func (s *saving) abandon(why error) {
	if s != nil {
		s.pipe.CloseWithError(why)
		<-s.done
	}
}

// mostState is how many bytes the state of a job may have that a worker sends.
const mostState = 1 << 40

// save takes a piece of the state of a job from the worker that has it. A state that cannot be
// kept ends the run, as one of the coordinator's own would. The error is of a worker whose state
// has no end.
func (p *Pool) save(m *member, piece *wire.State) error {
	p.mu.Lock()
	r := m.job(int(piece.Index))
	p.mu.Unlock()
	if r == nil {
		return nil
	}
	if r.saving == nil {
		r.saving = begin(r.states.Save)
	}
	if r.saving.size += int64(len(piece.Bytes)); r.saving.size > p.options.State {
		return &refusal{fmt.Sprintf("the state of %s that it sends has more than %s", p.describe(r), forecast.FormatBytes(p.options.State))}
	}
	_, err := r.saving.pipe.Write(piece.Bytes)
	if err == nil && piece.Last {
		r.saving.pipe.Close()
		err = <-r.saving.done
		r.saving = nil
		p.mu.Lock()
		r.lost, r.moved = nil, time.Now()
		p.mu.Unlock()
	}
	if err != nil {
		p.fail(err)
	}
	return nil
}
