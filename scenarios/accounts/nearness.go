package accounts

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/results/figure"
	"starling/scenarios/results/tabular"
)

// Nearness says how near nodes are to each other in the network of an arm.
type Nearness struct {
	// Order has the numbers of all nodes, such that neighbours are near each other, and Text is
	// the order in words.
	Order []int32
	Text  string
	// Hops returns the number of edges between two nodes, by their numbers, whatever the
	// directions of edges; -1 without a path.
	Hops func(from, to int32) int
	// Byzantine are the numbers of the nodes that do not follow the protocol, ascending.
	Byzantine []int
}

// Near has the nearness of nodes by arm. Arms without one have their nodes by number.
type Near map[string]Nearness

// ordered returns numbers of nodes in the order of an arm.
func (n Near) ordered(arm string, numbers []int32) []int32 {
	near, ok := n[arm]
	if !ok {
		return numbers
	}
	place := make(map[int32]int, len(near.Order))
	for k, v := range near.Order {
		place[v] = k
	}
	list := slices.Clone(numbers)
	slices.SortStableFunc(list, func(a, b int32) int { return place[a] - place[b] })
	return list
}

// said returns the orders of the arms in a sentence.
func (n Near) said(list []Pairs) string {
	var texts []string
	var arms [][]string
	for i := range list {
		text := "their numbers"
		if near, ok := n[list[i].Arm]; ok {
			text = near.Text
		}
		k := slices.Index(texts, text)
		if k < 0 {
			k = len(texts)
			texts, arms = append(texts, text), append(arms, nil)
		}
		arms[k] = append(arms[k], list[i].Arm)
	}
	out := "Nodes are in the order of "
	for k, text := range texts {
		if k > 0 {
			out += "; "
		}
		if out += text; len(texts) > 1 {
			out += ": " + strings.Join(arms[k], ", ")
		}
	}
	return out + "." + n.byzantine(list)
}

// byzantine names the Byzantine nodes of the arms in a sentence; empty where there are none.
func (n Near) byzantine(list []Pairs) (out string) {
	for i := range list {
		if nodes := n[list[i].Arm].Byzantine; len(nodes) > 0 {
			out += fmt.Sprintf("; %s: %s", list[i].Arm, document.Numbers(nodes))
		}
	}
	if out == "" {
		return ""
	}
	return " Byzantine nodes: " + strings.TrimPrefix(out, "; ") + "."
}

// HopSpread is the spread of the losses of pairs of nodes at one distance in the network.
type HopSpread struct {
	// Hops is the number of edges between the nodes; -1 stands for those that no path joins.
	Hops int `json:"hops"`
	// Pairs is the number of pairs, at least 1.
	Pairs int `json:"pairs"`
	// Quartiles are the least epsilon, the lower quartile, the median, the upper quartile and
	// the largest, of the pairs in ascending order: +Inf without a bound.
	Quartiles [5]float64 `json:"-"`
}

// ByHops returns the spread of the losses by distance, ascending; nil for an arm without one.
func (p *Pairs) ByHops(near Near) (list []HopSpread) {
	of, ok := near[p.Arm]
	if !ok {
		return nil
	}
	values := map[int][]float64{}
	var hops []int
	for _, unit := range p.Units {
		for _, observer := range p.Observers {
			row := p.rows[[2]int32{unit, observer}]
			if row == nil {
				continue
			}
			hop := of.Hops(unit, observer)
			if values[hop] == nil {
				hops = append(hops, hop)
			}
			values[hop] = append(values[hop], row.Epsilon)
		}
	}
	slices.Sort(hops)
	if len(hops) > 0 && hops[0] < 0 { // without a path comes last
		hops = append(hops[1:], hops[0])
	}
	for _, hop := range hops {
		slices.Sort(values[hop])
		s := HopSpread{Hops: hop, Pairs: len(values[hop])}
		for quarter := range s.Quartiles {
			s.Quartiles[quarter] = values[hop][quarter*(s.Pairs-1)/4]
		}
		list = append(list, s)
	}
	return list
}

// HopsTable returns the spread of the losses by distance, a row for each arm and distance.
func HopsTable(list []Pairs, near Near) tabular.Table {
	table := tabular.Table{Header: []string{"arm", "hops", "pairs", "least", "lower quartile", "median", "upper quartile", "most"}}
	for i := range list {
		for _, s := range list[i].ByHops(near) {
			hops := fmt.Sprint(s.Hops)
			if s.Hops < 0 {
				hops = "no path"
			}
			row := []string{list[i].Arm, hops, fmt.Sprint(s.Pairs)}
			for _, q := range s.Quartiles {
				row = append(row, tabular.FormatValue(q))
			}
			table.Rows = append(table.Rows, row)
		}
	}
	return table
}

// boxes are the spreads for a figure, those without a path left out.
func boxes(list []HopSpread) (out []figure.Box) {
	for _, s := range list {
		if s.Hops >= 0 && !math.IsInf(s.Quartiles[0], 1) {
			out = append(out, figure.Box{At: s.Hops, Count: s.Pairs, Quartiles: s.Quartiles})
		}
	}
	return out
}
