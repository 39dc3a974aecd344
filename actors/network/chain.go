package network

import (
	"fmt"
	"math"

	"starling/mechanisms/rng"
)

// chain is a Markov chain of two states, off and on, for each of many edges or
// nodes: off turns on with probability enter a turn, on turns off with
// probability leave, and in turn 0 it is on with probability first. With first =
// enter/(enter+leave) it is stationary.
//
// The state of a turn is a pure function of key and turn, without any memory: one uniform
// number u a turn decides the next state for both states, on after off if u < enter, on after
// on if u < 1-leave. Where u is below both or above both the past does not matter, so it is
// enough to look back to the last such turn, 1/(1-|1-enter-leave|) turns in the mean, or to
// turn 0. Between it and now the state has stayed in each turn, or changed in each turn. The
// law is exactly the chain's.
type chain struct {
	// key separates chains of different uses; enter and leave are probabilities a turn, first
	// is the probability of being on in turn 0.
	key                 rng.Key
	enter, leave, first float64
}

// on returns the state of the chain (a, b) in a turn.
func (c *chain) on(a, b, turn int) bool {
	// low and high are the borders of u: below low the chain is on next in either state, from
	// high on it is off, and in between the state decides.
	stay := 1 - c.leave
	low, high := min(c.enter, stay), max(c.enter, stay)
	since := turn
	var state bool
	for {
		u := c.key.Uniform(a, since, b)
		if since == 0 {
			state = u < c.first
			break
		}
		if u < low || u >= high {
			state = u < low
			break
		}
		since--
	}
	alternates := c.enter > stay
	// Between the two borders the chain keeps its state if stay is the larger border, and
	// flips it in each turn if enter is.
	return state != (alternates && (turn-since)%2 == 1)
}

// longestLookBack limits how many turns method on looks back in the mean.
const longestLookBack = 10_000

// checkChain refuses numbers that are no probabilities, and chains that hardly ever forget or
// that change all the time.
func checkChain(enterName string, enter float64, leaveName string, leave float64) error {
	if err := checkProbability(enterName, enter); err != nil {
		return err
	}
	if err := checkProbability(leaveName, leave); err != nil {
		return err
	}
	if forgets := 1 - math.Abs(1-enter-leave); forgets < 1.0/longestLookBack {
		return fmt.Errorf("%s + %s = %v, want it at least %v away from 0 and from 2", enterName, leaveName, enter+leave, 1.0/longestLookBack)
	}
	return nil
}

func checkProbability(name string, p float64) error {
	if p >= 0 && p <= 1 {
		return nil
	}
	return fmt.Errorf("%s is %v, want a probability", name, p)
}

// MostTurns is the longest delay or patience. A longer one than the run costs no more than the
// length of the run.
const MostTurns = 1 << 20

func checkTurns(name string, turns int) error {
	if turns >= 0 && turns <= MostTurns {
		return nil
	}
	return fmt.Errorf("%s is %d turns, want 0 .. %d", name, turns, MostTurns)
}
