package accounts

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/results"
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
	// directions of edges; -1 without a path. It is of Seed, and so is Order.
	Hops Hops
	Seed uint64
	// Under returns the distances under a seed, nil for an unknown one; it is nil itself where all
	// seeds have the same graphs.
	Under func(seed uint64) Hops
	// Byzantine are the numbers of the nodes that do not follow the protocol, ascending.
	Byzantine []int
}

// Hops returns the number of edges between two nodes, -1 without a path.
type Hops func(from, to int32) int

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

// ownNumbers is the text on nodes in the order of their numbers.
const ownNumbers = "their numbers"

// said returns the orders of the arms in sentences; name is an arm for readers. titled is as of seeds.
func (n Near) said(list []Pairs, name func(arm string) string, titled bool) string {
	var texts []string
	var arms [][]string
	for i := range list {
		text := ownNumbers
		if near, ok := n[list[i].Arm]; ok {
			text = near.Text
		}
		k := slices.Index(texts, text)
		if k < 0 {
			k = len(texts)
			texts, arms = append(texts, text), append(arms, nil)
		}
		arms[k] = append(arms[k], name(list[i].Arm))
	}
	var sentences []string
	for k, text := range texts {
		subject := "Nodes"
		switch {
		case len(texts) > 1 && text == ownNumbers: // the usual order
			sentences = append([]string{"Nodes are in the order of " + ownNumbers + "."}, sentences...)
			continue
		case len(texts) > 1:
			sentences = append(sentences, "Of "+strings.Join(arms[k], "; ")+" neighbours are near each other (reverse Cuthill-McKee).")
			continue
		}
		sentences = append(sentences, subject+" are in the order of "+text+".")
	}
	return strings.Join(sentences, " ") + n.seeds(list, name, titled) + n.byzantine(list)
}

// severalSeeds reports whether maps are of other seeds in other arms.
func (n Near) severalSeeds(list []Pairs) bool {
	texts := map[string]bool{}
	for i := range list {
		if text := list[i].SeedsText(n); text != "" {
			texts[text] = true
		}
	}
	return len(texts) > 1
}

// seeds says in a sentence of which seeds the maps and boxes of the arms are; empty where each arm
// has one seed. titled means that the titles of the maps have their seeds.
func (n Near) seeds(list []Pairs, name func(arm string) string, titled bool) (out string) {
	var texts []string
	arms := map[string][]string{}
	for i := range list {
		text := list[i].SeedsText(n)
		if text != "" && arms[text] == nil {
			texts = append(texts, text)
		}
		arms[text] = append(arms[text], name(list[i].Arm))
	}
	if titled && n.severalSeeds(list) { // the titles say it
		return ""
	}
	for _, text := range texts {
		out += " " + strings.ToUpper(text[:1]) + text[1:]
		if len(arms[text]) < len(list) {
			out += " (" + strings.Join(arms[text], "; ") + ")"
		}
		out += "."
	}
	return out
}

// seedShown returns the seed of the map of an arm, and whether the map is of one seed: the largest
// losses over seeds have a place in the network only where all seeds have the same graphs.
func (p *Pairs) seedShown(near Near) (seed uint64, one bool) {
	of, ok := near[p.Arm]
	switch {
	case len(p.Seeds) < 2 || ok && of.Under == nil:
		return 0, false
	case ok && p.under[of.Seed] != nil:
		return of.Seed, true
	}
	return p.Seeds[0], true
}

// SeedsText says of which seeds the map and the boxes of an arm are; empty for one seed.
func (p *Pairs) SeedsText(near Near) string {
	seed, one := p.seedShown(near)
	_, known := near[p.Arm]
	switch {
	case len(p.Seeds) < 2:
		return ""
	case !one:
		return fmt.Sprintf("largest loss over %d seeds", len(p.Seeds))
	case !known:
		return fmt.Sprintf("seed %d", seed)
	}
	return fmt.Sprintf("seed %d; boxes over %d seeds", seed, len(p.Seeds))
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
	// Pairs is the number of pairs, at least 1: of all seeds together where their graphs differ.
	Pairs int `json:"pairs"`
	// Quartiles are the least epsilon, the lower quartile, the median, the upper quartile and
	// the largest, of the pairs in ascending order: +Inf without a bound.
	Quartiles [5]float64 `json:"-"`
}

// shown returns the rows that boxes have: of each pair the largest, or, where seeds have graphs of their own, all under each.
func (p *Pairs) shown(near Near) (rows []results.PrivacyRow) {
	of, ok := near[p.Arm]
	if !ok || of.Under == nil {
		return p.Rows()
	}
	for _, seed := range p.Seeds {
		if of.Under(seed) != nil {
			rows = append(rows, p.Under(seed)...)
		}
	}
	return rows
}

// ByHops returns the spread of the losses by distance, ascending; nil for an arm without one. Where
// the graphs differ between seeds, each loss stands at the distance under its own seed.
func (p *Pairs) ByHops(near Near) (list []HopSpread) {
	of, ok := near[p.Arm]
	if !ok {
		return nil
	}
	values := map[int][]float64{}
	add := func(hops Hops, rows []results.PrivacyRow) {
		for _, row := range rows {
			hop := hops(row.Unit, Single(row.Observer))
			values[hop] = append(values[hop], row.Epsilon)
		}
	}
	if of.Under == nil {
		add(of.Hops, p.shown(near))
	} else {
		for _, seed := range p.Seeds {
			if hops := of.Under(seed); hops != nil {
				add(hops, p.Under(seed))
			}
		}
	}
	hops := slices.Sorted(maps.Keys(values))
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

// mostHops is the largest distance with a column of its own in LargestByHops.
const mostHops = 3

// Losses returns the median and the largest loss over the pairs. There is a pair.
func (p *Pairs) Losses() (median, largest float64) {
	var losses []float64
	for _, r := range p.Rows() {
		losses = append(losses, r.Epsilon)
	}
	slices.Sort(losses)
	return losses[(len(losses)-1)/2], losses[len(losses)-1]
}

// LargestByHops returns a table with an arm a row: the median loss over all pairs, and the largest at each distance in
// the network, as far as distances are known.
func LargestByHops(list []Pairs, near Near) tabular.Table {
	table := tabular.Table{Header: []string{"arm", "median", "largest"}}
	for hop := 1; hop <= mostHops; hop++ {
		table.Header = append(table.Header, document.Counted(hop, "edge"))
	}
	table.Header = append(table.Header, "farther", "no path")
	for i := range list {
		row := make([]string, len(table.Header))
		median, largest := list[i].Losses()
		row[0], row[1], row[2] = list[i].Arm, tabular.FormatValue(median), tabular.FormatValue(largest)
		farther := math.Inf(-1)
		for _, s := range list[i].ByHops(near) {
			switch most := s.Quartiles[4]; {
			case s.Hops < 1:
				row[len(row)-1] = tabular.FormatValue(most)
			case s.Hops <= mostHops:
				row[2+s.Hops] = tabular.FormatValue(most)
			default:
				farther = max(farther, most)
				row[len(row)-2] = tabular.FormatValue(farther)
			}
		}
		table.Rows = append(table.Rows, row)
	}
	for _, head := range slices.Clone(table.Header[3:]) {
		table.DropEmpty(head)
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
