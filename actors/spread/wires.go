package spread

import (
	"errors"
	"fmt"
)

// Wires connect a process of a spread run with the others. Processes 0 .. n-1 have shards, and
// process n the coordinator. Each item arrives once and in order, or the run ends: the maker
// of the wires cancels it.
type Wires interface {
	// Listen has take called with the items of others, in order for each of them, and with
	// items that came before Listen was called too. It is called once.
	Listen(take func(from int, item *Item))
	// Send sends a process an item, which is not changed until it has arrived. It does not
	// wait for that.
	Send(to int, item *Item)
}

// Place is the part of a run that a process has, where other processes have the rest. All have
// the same run, made anew by each, with the same number of shards.
type Place struct {
	// Process is the number of this process: 0 .. Processes-1 have shards, and Processes has
	// the coordinator, the meter that counts, and no shard. Its machines are set to the states
	// of the others' at pauses and at the end.
	Process, Processes int
	// Wires reach the other processes. Their maker cancels the run when they fail.
	Wires Wires
	// Heard, if not nil, is called at the coordinator with the number of turns that a shard of
	// a process has finished. It must be quick.
	Heard func(process, shard, turns int)
}

// Validate refuses settings that make no sense.
func (s *Place) Validate() error {
	if s == nil {
		return nil
	}
	if s.Processes < 1 || s.Process < 0 || s.Process > s.Processes {
		return fmt.Errorf("spread: process %d of %d", s.Process, s.Processes)
	}
	if s.Wires == nil {
		return errors.New("spread: there are no wires")
	}
	return nil
}
