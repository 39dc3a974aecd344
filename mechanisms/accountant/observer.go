package accountant

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Observer is a position from which a run is seen. The same run costs different observers
// different losses: a server that everybody trusts sees raw gradients, and the public
// sees only released models. A privacy claim without an observer therefore says nothing.
type Observer string

// The observers.
const (
	// Wire sees every message between different parties.
	// An eavesdropper on all links at once is the strongest observer that is modelled.
	Wire Observer = "wire"
	// Server sees the messages that the server receives. In a decentralized algorithm there is
	// no server, and this observer sees nothing.
	Server Observer = "server"
	// Peer sees the messages that one other client or node receives. Claims about peers are
	// for the peer that learns the most.
	Peer Observer = "peer"
	// Public sees the models or decisions that are released.
	Public Observer = "public"
)

// Observers lists the observers that every run has a name for, the one that sees the most
// first. Named nodes are observers besides: see Coalition.
func Observers() []Observer { return []Observer{Wire, Server, Peer, Public} }

// Coalition is the observer of some nodes that share the messages that they receive. It is
// named by their numbers for people, at least 0, in any order: "nodes 1, 4", or of one "node
// 3". It sees the messages that these nodes receive. It learns about the data of others.
func Coalition(numbers ...int) Observer {
	numbers = slices.Clone(numbers)
	slices.Sort(numbers)
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = strconv.Itoa(n)
	}
	name := "nodes "
	if len(numbers) == 1 {
		name = "node "
	}
	return Observer(name + strings.Join(words, ", "))
}

// The beginnings of the names of observers of a level of servers.
const (
	levelPrefix = "level "
	belowPrefix = "wire below "
)

// OfLevel is the observer of the servers of a named level, such as edge: it sees the messages that the
// server of that level above a unit receives.
func OfLevel(name string) Observer { return Observer(levelPrefix + name) }

// WireBelow is the observer of all links between a named level and the level below it, each way.
func WireBelow(name string) Observer { return Observer(belowPrefix + name) }

// isLevel reports whether an observer is one of a level.
func (o Observer) isLevel() bool {
	level, server := strings.CutPrefix(string(o), levelPrefix)
	below, wire := strings.CutPrefix(string(o), belowPrefix)
	return server && level != "" || wire && below != ""
}

// Members are the numbers of the nodes of a coalition, ascending, a new slice; ok is false
// of an observer that is none.
func (o Observer) Members() (numbers []int, ok bool) {
	list, named := strings.CutPrefix(string(o), "nodes ")
	if !named {
		if list, named = strings.CutPrefix(string(o), "node "); !named {
			return nil, false
		}
	}
	for _, word := range strings.Split(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 0 || slices.Contains(numbers, n) {
			return nil, false
		}
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	return numbers, true
}

// ParseObserver reads an observer: one of Observers, of a level of servers, or a coalition in any order, such as
// "nodes 4,1", which is returned as Coalition names it. The error lists the observers.
func ParseObserver(text string) (Observer, error) {
	o := Observer(text)
	if slices.Contains(Observers(), o) || o.isLevel() {
		return o, nil
	}
	if numbers, ok := o.Members(); ok {
		return Coalition(numbers...), nil
	}
	return "", fmt.Errorf("unknown observer %q; want wire, server, peer, public, a node such as \"node 3\", or a coalition such as \"nodes 1, 4\"", text)
}

// Definition names the kind of privacy that a loss states. Epsilons of different
// definitions must not be compared: a zCDP of 1 and a pure 1 are far apart.
type Definition string

// The definitions.
const (
	// PureDP is epsilon-differential privacy, with delta = 0.
	PureDP Definition = "pure"
	// Approximate is (epsilon, delta)-differential privacy, of mixed parts or by privacy
	// loss distributions.
	Approximate Definition = "(eps, delta)"
	// ZCDP is rho-zero-concentrated differential privacy, of Gaussian noise converted by
	// Rényi methods.
	ZCDP Definition = "zCDP"
	// GDP is mu-Gaussian differential privacy, of Gaussian noise converted exactly.
	GDP Definition = "GDP"
	// SampledRDP is Rényi differential privacy of sampled Gaussian steps.
	SampledRDP Definition = "RDP"
	// NoPrivacy says that no finite epsilon with a delta below 1 holds.
	NoPrivacy Definition = "not private"
)
