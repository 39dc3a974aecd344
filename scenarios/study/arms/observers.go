package arms

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/ledger"
	"starling/scenarios/limits"
	"starling/scenarios/study"
)

// numbersOf returns the numbers of an observer's nodes, ascending. The error describes their fault in
// an arm with nodes first .. last, which may have names.
func numbersOf(o *study.NamedObserver, names []string, first, last int) ([]int, error) {
	list, err := o.Numbers(names, first)
	if err != nil {
		return nil, err
	}
	slices.Sort(list)
	for i, n := range list {
		if n < first || n > last {
			return nil, fmt.Errorf("there is no node %d; want %d to %d", n, first, last)
		}
		if i > 0 && list[i-1] == n {
			return nil, fmt.Errorf("node %d is given twice", n)
		}
	}
	return list, nil
}

// The limits of accounts. mostPaired is the largest number of nodes with an account for each
// pair. mostPairs limits the number of units times named observers, if the plan states the
// loss of each unit.
const (
	mostPaired = 500
	mostPairs  = mostPaired * mostPaired
)

// namedObservers returns the accounts of the nodes and coalitions that the scenario names; nil
// with a fault. Their losses are by the payments of units, as for peers, or as for the server
// if it is among them; or they are the losses that the plan states.
func namedObservers(arm *study.Arm, a *study.ArmFile) (list []ledger.Account, err error) {
	m, extent := &a.Measure, &arm.Extent
	if m.Observers == nil && !m.Pairs {
		return nil, nil
	}
	first := extent.FirstLabel
	last := extent.FirstLabel + a.Nodes - 1
	if extent.Server {
		last++
	}
	for i := range m.Observers {
		numbers, err := numbersOf(&m.Observers[i], arm.NodeNames(), first, last)
		if err == nil {
			list, err = withNamed(list, arm, numbers, false)
		}
		if err != nil {
			return nil, document.At(fmt.Sprintf("measure.observers[%d]", i), "%s", err)
		}
	}
	if m.Pairs && a.Nodes > mostPaired {
		return nil, document.At("measure.pairs", "the losses between %d nodes are too many; want at most %d nodes, or some of them by measure.observers", a.Nodes, mostPaired)
	}
	if m.Pairs {
		for n := first; n <= last; n++ {
			if list, err = withNamed(list, arm, []int{n}, true); err != nil && !errors.Is(err, errNamedTwice) {
				return nil, document.At("measure.pairs", "%s", err)
			}
		}
	}
	if named := len(m.Observers); arm.Privacy.Learns() && limits.Product(named, a.Nodes) > mostPairs {
		return nil, document.At("measure.observers", "%d observers of %d nodes are too many; want at most %d pairs", named, a.Nodes, mostPairs)
	}
	return list, nil
}

var errNamedTwice = errors.New("it is named before")

// withNamed returns a list of named accounts with one more, of a coalition by the numbers of
// its nodes. After an error it returns the list itself.
func withNamed(list []ledger.Account, arm *study.Arm, numbers []int, final bool) ([]ledger.Account, error) {
	of, p := accountant.Peer, &arm.Privacy
	if arm.Extent.Server && numbers[0] == arm.Extent.FirstLabel {
		of = accountant.Server
	}
	like, err := study.AccountOf(p, of)
	if err != nil {
		return list, err
	}
	named := *like
	named.Observer, named.Final, named.Members = accountant.Coalition(numbers...), final, make([]messages.NodeID, len(numbers))
	if slices.ContainsFunc(list, func(a ledger.Account) bool { return a.Observer == named.Observer }) {
		return list, errNamedTwice
	}
	for i, n := range numbers {
		named.Members[i] = messages.NodeID(n - arm.Extent.FirstLabel)
	}
	if worth := p.Coalitions.Worth; worth != nil {
		if named.Worth, err = worth(named.Members); err != nil {
			return list, err
		}
	}
	if why := p.Coalitions.Why; why != "" {
		named.Why = strings.TrimPrefix(named.Why+"; "+why, "; ")
	}
	return append(list, named), nil
}
