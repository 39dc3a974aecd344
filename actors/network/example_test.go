package network_test

import (
	"errors"
	"fmt"

	"starling/actors/network"
	"starling/messages"
)

// Effects say of every message what becomes of it, and of every node whether it is up,
// as pure functions: whoever asks, and in whatever order, gets the same answer.
func ExampleEffects() {
	effects, err := network.New(network.Options{
		Nodes: 3, Seed: 1,
		Delay:   network.Uniform{Least: 0, Longest: 2},
		Loss:    network.Independent{Probability: 0.3},
		Outages: []network.Outage{{Nodes: []messages.NodeID{2}, Interval: network.Interval{First: 2, End: 4}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for turn := range 5 {
		delay, lost := effects.Fate(0, 1, turn)
		if lost {
			fmt.Print("turn ", turn, ": lost")
		} else {
			fmt.Print("turn ", turn, ": arrives in turn ", turn+1+delay)
		}
		fmt.Println("; node 2 is up:", effects.Up(2, turn))
	}
	// Output:
	// turn 0: arrives in turn 1; node 2 is up: true
	// turn 1: arrives in turn 3; node 2 is up: true
	// turn 2: arrives in turn 5; node 2 is up: false
	// turn 3: arrives in turn 5; node 2 is up: false
	// turn 4: lost; node 2 is up: true
}

// Losses in bursts: an edge is bad for 1/Leave turns in the mean, and good for 1/Enter.
func ExampleBursty() {
	effects, err := network.New(network.Options{
		Nodes: 2, Seed: 6,
		Loss: network.Bursty{Enter: 0.1, Leave: 0.3, LossBad: 1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for turn := range 40 {
		if _, lost := effects.Fate(0, 1, turn); lost {
			fmt.Print("x")
		} else {
			fmt.Print(".")
		}
	}
	fmt.Println()
	// Output:
	// xxx.................xxxxx...xxxx........
}

// All that is wrong with options is said at once.
func ExampleOptions_Validate() {
	options := network.Options{Nodes: 3, Loss: network.Independent{Probability: 1.5}, Patience: -1}
	var joined interface{ Unwrap() []error }
	if err := options.Validate(); errors.As(err, &joined) {
		for _, err := range joined.Unwrap() {
			fmt.Println(err)
		}
	}
	// Output:
	// patience: patience is -1 turns, want 0 .. 1048576
	// loss: probability is 1.5, want a probability
}
