package personal

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"starling/mechanisms/portable"
	"starling/mechanisms/rng"
	"starling/scenarios/document"
)

// Law draws the epsilon of every node from a law. A privacy parameter is public and a part of
// the condition, not of the data: node i has the same under every seed and in every arm.
type Law struct {
	Law    string             `yaml:"law,required" oneof:"uniform log-uniform choice" doc:"law of the epsilons of nodes, each drawn apart from the others: uniform between from and to; log-uniform, whose logarithm is uniform between theirs; or choice of values"`
	From   float64            `yaml:"from" over:"0" says:"from = %v" unit:"nats" doc:"least epsilon, of uniform and log-uniform; absent, for choice"`
	To     float64            `yaml:"to" over:"0" says:"to = %v" unit:"nats" doc:"greatest epsilon, of uniform and log-uniform; absent, for choice"`
	Values []document.Epsilon `yaml:"values" min:"1" says:"%v values" unit:"nats" range:"above 0, or none" doc:"epsilons of choice, which are its groups; absent, for other laws"`
	Deltas []float64          `yaml:"deltas" min:"1" says:"%v deltas" unit:"probability" range:"above 0, below 1" doc:"deltas of the values of choice, to which they belong and at which losses are stated; absent, all nodes have that of the section"`
	Shares []float64          `yaml:"shares" unit:"share" range:"0 to 1" doc:"chances of values, which sum to 1; absent, all are alike"`
	Draw   int                `yaml:"draw" min:"1" says:"draw = %v" unit:"number" doc:"number of the draw: another number gives nodes other epsilons of the law; no seed does"`

	purpose rng.Purpose // of the stream; 0 is drawnPurpose
}

// DefaultLaw returns the keys of a law with the values of keys that are absent.
func DefaultLaw() Law { return Law{Draw: 1} }

// The laws of Law.
const (
	lawUniform    = "uniform"
	lawLogUniform = "log-uniform"
	lawChoice     = "choice"
)

// drawnPurpose is the purpose of the stream of epsilons. It has the number of the draw in place of
// a seed.
var drawnPurpose = rng.PurposeOf("mechanism.epsilons")

// check returns the faults of keys that a law does not have, or lacks.
func (l *Law) check() error {
	var errs []error
	choice := l.Law == lawChoice
	if choice != (l.Values != nil) {
		errs = append(errs, document.At("groups.values", "values are for the law %s, and it needs them", lawChoice))
	}
	for _, end := range []struct {
		key   string
		value float64
	}{{"from", l.From}, {"to", l.To}} {
		if choice == (end.value > 0) {
			errs = append(errs, document.At("groups."+end.key, "%s is for the laws %s and %s, and they need it", end.key, lawUniform, lawLogUniform))
		}
	}
	if !choice && l.From > l.To && l.To > 0 {
		errs = append(errs, document.At("groups.to", "the law ends at %v, below its beginning at %v", l.To, l.From))
	}
	return errors.Join(append(append(errs, l.checkDeltas()...), l.checkShares()...)...)
}

// checkDeltas returns the faults of the deltas of values.
func (l *Law) checkDeltas() (errs []error) {
	if l.Deltas != nil && len(l.Deltas) != len(l.Values) {
		return []error{document.At("groups.deltas", "%d deltas for %d values; want one for each value of the law %s", len(l.Deltas), len(l.Values), lawChoice)}
	}
	for k, delta := range l.Deltas {
		if !(delta > 0 && delta < 1) {
			errs = append(errs, document.At(fmt.Sprintf("groups.deltas[%d]", k), "delta = %v; want a number > 0 and < 1", delta))
		}
	}
	return errs
}

// checkShares returns the faults of the chances of values.
func (l *Law) checkShares() (errs []error) {
	if l.Shares == nil {
		return nil
	}
	if len(l.Shares) != len(l.Values) {
		return []error{document.At("groups.shares", "%d shares for %d values; want one for each", len(l.Shares), len(l.Values))}
	}
	sum := 0.0
	for k, share := range l.Shares {
		if !(share >= 0 && share <= 1) {
			errs = append(errs, document.At(fmt.Sprintf("groups.shares[%d]", k), "a share of %v; want 0 to 1", share))
		}
		sum += share
	}
	if !(math.Abs(sum-1) <= 1e-9) && errs == nil {
		errs = append(errs, document.At("groups.shares", "the shares sum to %.9g, want 1", sum))
	}
	return errs
}

// private reports whether there may be a node with noise.
func (l *Law) private() bool {
	return l.Law != lawChoice || slices.ContainsFunc(l.Values, func(e document.Epsilon) bool { return !math.IsInf(float64(e), 1) })
}

// assigned draws the epsilons of so many nodes: with u uniform on (0, 1) by node, the quantile of u
// of the law. Values of choice are groups, numbered from 1 by their places; other laws have no
// groups.
func (l *Law) assigned(nodes int) Assigned {
	key := rng.NewKey(uint64(l.Draw), cmp.Or(l.purpose, drawnPurpose))
	of := Assigned{Epsilons: make([]float64, nodes)}
	if l.Law == lawChoice {
		of.Numbers = make([]int, nodes)
	}
	if l.Deltas != nil {
		of.Deltas = make([]float64, nodes)
	}
	for node := range nodes {
		u := key.Uniform(node, 0, 0)
		switch l.Law {
		case lawUniform:
			of.Epsilons[node] = l.From + float64(u*(l.To-l.From))
		case lawLogUniform:
			of.Epsilons[node] = l.From * portable.Pow(l.To/l.From, u)
		default:
			k := l.choose(u)
			of.Epsilons[node], of.Numbers[node] = float64(l.Values[k]), k+1
			if of.Deltas != nil {
				of.Deltas[node] = l.Deltas[k]
			}
			continue
		}
		of.Epsilons[node] = min(max(of.Epsilons[node], l.From), l.To) // rounding leaves the ends
	}
	return of
}

// choose returns the first value up to which the chances sum to more than u.
func (l *Law) choose(u float64) int {
	if l.Shares == nil {
		return min(int(u*float64(len(l.Values))), len(l.Values)-1)
	}
	sum, last := 0.0, 0
	for k, share := range l.Shares {
		if share == 0 {
			continue
		}
		if sum, last = sum+share, k; u < sum {
			break
		}
	}
	return last
}
