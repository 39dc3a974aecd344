package guide

import (
	"fmt"
	"slices"
	"strings"

	"starling/scenarios/kind"
	"starling/scenarios/study"
)

// Pair is an algorithm with a kind of another section. It says whether they go together.
type Pair struct {
	// Algorithm is the algorithm's kind.
	Algorithm string `json:"algorithm"`
	// Section is problem or mechanism, and Kind is a kind of that section.
	Section string `json:"section"`
	Kind    string `json:"kind"`
	// Fits means that the types agree; values may still be refused.
	Fits bool   `json:"fits"`
	Why  string `json:"why,omitempty"` // if they do not go together
	// Takes and Is are the parts of Why: the algorithm's demand, and the kind's description.
	Takes, Is string `json:"-"`
}

// wanted is an algorithm with its demands on each section.
type wanted struct {
	name                string
	problems, mechanism kind.Want
}

// Pairs returns the problems and mechanisms of a catalog with each algorithm, and whether they go
// together by their capabilities: algorithms in the order of the catalog, problems
// before mechanisms. An algorithm's demands on values, such as a bound on gradients, are no
// part of it: those are errors at the section.
func Pairs(kinds *kind.Catalog) (list []Pair) {
	all := algorithmsOf(kinds)
	for _, a := range all {
		list = append(list, pairsWith(a.name, "problem", kinds.Problems, a.problems, all, func(w wanted) kind.Want { return w.problems })...)
		list = append(list, pairsWith(a.name, "mechanism", kinds.Mechanisms, a.mechanism, all, func(w wanted) kind.Want { return w.mechanism })...)
	}
	return list
}

// TopologiesOf returns the topologies that an algorithm of the catalog takes.
func TopologiesOf(k kind.Kind) kind.Want {
	a, _ := traitsOf(k)
	return a.Topologies
}

// traitsOf returns the traits of an algorithm of the catalog; ok is false for a kind that is no
// algorithm.
func traitsOf(k kind.Kind) (traits study.Traits, ok bool) {
	a, ok := k.Piece.(study.Algorithm)
	if !ok {
		return traits, false
	}
	return a.Traits(), true
}

// algorithmsOf returns the algorithms of a catalog with their demands.
func algorithmsOf(kinds *kind.Catalog) (list []wanted) {
	for _, k := range kinds.Algorithms {
		if a, ok := traitsOf(k); ok {
			list = append(list, wanted{k.Kind, a.Problems, a.Mechanisms})
		}
	}
	return list
}

func pairsWith(algorithm, section string, kinds []kind.Kind, want kind.Want, all []wanted, of func(wanted) kind.Want) (list []Pair) {
	for _, k := range kinds {
		p := Pair{Algorithm: algorithm, Section: section, Kind: k.Kind, Fits: want.Fits(k)}
		switch {
		case p.Fits:
		case want.What == "":
			p.Why = fmt.Sprintf("the catalog does not say which %ss %s takes", section, algorithm)
		default:
			p.Takes, p.Is = want.What, offered(k, all, of)
			p.Why = fmt.Sprintf("%s takes %s; %s is %s", algorithm, p.Takes, k.Kind, p.Is)
		}
		list = append(list, p)
	}
	return list
}

// offered returns a kind in the words of the algorithms that take it.
func offered(k kind.Kind, all []wanted, of func(wanted) kind.Want) string {
	var words []string
	for _, a := range all {
		if w := of(a); w.Fits(k) && !slices.Contains(words, w.What) {
			words = append(words, w.What)
		}
	}
	if words == nil {
		return "nothing that an algorithm of the catalog takes"
	}
	return strings.Join(words, ", or ")
}
