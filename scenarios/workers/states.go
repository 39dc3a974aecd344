package workers

import (
	"context"
	"fmt"
	"io"
	"time"

	"starling/actors/remote"
	"starling/scenarios/forecast"
)

// mostPiece is the size limit in bytes of the piece of a state in one message.
const mostPiece = 256 << 10

// stateWriter sends the bytes that are written to it as the state of a job, in pieces.
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
	piece := &State{Index: int64(w.index), Bytes: w.piece, Last: last}
	err := send(w.ctx, w.link, &ToCoordinator{Kind: &ToCoordinator_State{State: piece}})
	w.piece = w.piece[:0] // send has copied it
	return err
}

// saving is a state that is arriving. It is written to the store of states as it arrives, so
// that it takes no memory.
type saving struct {
	pipe *io.PipeWriter
	done chan error // gets the result of the save
	size int64      // number of bytes that have arrived
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
		from.CloseWithError(err) // the writer of the state waits no more
		s.done <- err
	}()
	return s
}

// abandon drops a state that has not arrived whole; s may be nil.
func (s *saving) abandon(why error) {
	if s != nil {
		s.pipe.CloseWithError(why)
		<-s.done
	}
}

// mostState is the size limit in bytes of the state of a job that a worker sends.
const mostState = 1 << 40

// save takes a piece of the state of a job from its worker. A state that cannot be saved ends
// the run, as for the coordinator's own jobs. The error is a refusal of a worker that sends
// too long a state.
func (p *Pool) save(m *member, piece *State) error {
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
