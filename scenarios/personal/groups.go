package personal

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"starling/actors/option"
	"starling/scenarios/document"
	"starling/scenarios/inputs"
)

// Groups are nodes with an epsilon of their own, and some with a delta. They are given in one way: a list, a file with a
// line for each node, a law, or a column of the problem's own data.
type Groups struct {
	List   []Group
	File   *File
	Law    *Law
	Column *Column

	key string // of these in their section; empty is groups
}

// Members are the nodes of a group, named in one way.
type Members struct {
	First int       `yaml:"first" min:"1" says:"first is %v" unit:"node number" doc:"the first node of the group, from 1; absent, nodes or share names the nodes"`
	Last  int       `yaml:"last" min:"1" says:"last is %v" unit:"node number" doc:"the last node of the group; absent, nodes or share names the nodes"`
	Nodes NodeNames `yaml:"nodes" unit:"node number" range:"numbers or names of nodes" doc:"the nodes of the group: numbers from 1 or, of a network with names of nodes, names; absent, first and last or share names the nodes"`
	Share float64   `yaml:"share" over:"0" max:"1" says:"a share of %v" unit:"share" doc:"share of all nodes: the first ones in no group before and in none by name; absent, first and last or nodes names the nodes"`
}

// Group is an epsilon of some nodes.
type Group struct {
	Members `yaml:",inline"`
	Epsilon document.Epsilon `yaml:"epsilon,required" unit:"nats" doc:"privacy parameter of its nodes, above 0, or none: without noise, or without a limit"`
	Delta   float64          `yaml:"delta" over:"0" under:"1" says:"delta = %v" unit:"probability" doc:"delta of its nodes, to which epsilon belongs and at which their losses are stated; absent, the section's"`
}

// File is a CSV file with the epsilon of every node.
type File struct {
	File    string `yaml:"file,required" range:"a path" doc:"path, from the scenario's folder or else from where the program runs, of a CSV file with a line for each node"`
	Nodes   string `yaml:"nodes" range:"any text" doc:"its column of nodes: numbers from 1 or, of a network with names of nodes, names"`
	Epsilon string `yaml:"epsilon" range:"any text" doc:"its column of epsilons, above 0, or none"`
	Delta   string `yaml:"delta" range:"any text" doc:"its column of deltas, above 0 and below 1, to which epsilons belong and at which losses are stated; absent, all nodes have the section's"`

	parse func(text string) (float64, error) // of a column of other values; nil is document.ParseEpsilon
}

// quantities are the columns of the values that the file has of every node.
func (f *File) quantities() []quantity {
	return quantitiesIn(f.Epsilon, f.parse, f.Delta)
}

// quantitiesIn are the columns of values, which parse reads, nil as epsilons, and of deltas, unless its
// name is empty.
func quantitiesIn(values string, parse func(text string) (float64, error), deltas string) []quantity {
	if parse == nil {
		parse = document.ParseEpsilon
	}
	list := []quantity{{values, parse}}
	if deltas != "" {
		list = append(list, quantity{deltas, parseDelta})
	}
	return list
}

// parseDelta reads a delta.
func parseDelta(text string) (float64, error) {
	delta, err := strconv.ParseFloat(text, 64)
	if err != nil || !(delta > 0) || !(delta < 1) {
		return 0, fmt.Errorf("delta is %q, want a number > 0 and < 1", text)
	}
	return delta, nil
}

// DefaultFile returns the keys of a file with the values of keys that are absent.
func DefaultFile() File { return File{Nodes: "node", Epsilon: "epsilon"} }

// formOf is the key that says which of the forms a mapping of groups has: law, column or file.
func formOf(node *document.Node) string {
	for _, key := range []string{"law", "column"} {
		if _, given := node.Get(key); given {
			return key
		}
	}
	return "file"
}

// DecodeNode implements document.NodeDecoder.
func (g *Groups) DecodeNode(node *document.Node) error {
	if node.Kind() == document.Mapping {
		switch formOf(node) {
		case "law":
			law := DefaultLaw()
			g.Law = &law
			return document.Decode(node, g.Law)
		case "column":
			g.Column = &Column{}
			return document.Decode(node, g.Column)
		}
		file := DefaultFile()
		g.File = &file
		return document.Decode(node, g.File)
	}
	err := document.Decode(node, &g.List)
	if err == nil && len(g.List) == 0 {
		return node.Issuef("0 groups; want at least 1")
	}
	return err
}

// Any reports whether there are groups.
func (g *Groups) Any() bool { return g.List != nil || g.File != nil || g.Law != nil || g.Column != nil }

// Deltas reports whether nodes state deltas of their own.
func (g *Groups) Deltas() bool {
	return g.File != nil && g.File.Delta != "" || g.Column != nil && g.Column.Delta != "" || g.Law != nil && g.Law.Deltas != nil ||
		slices.ContainsFunc(g.List, func(one Group) bool { return one.Delta > 0 })
}

// RefuseDeltas returns an error if nodes state deltas of their own, and the reason why they cannot.
func (g *Groups) RefuseDeltas(why string) error {
	switch {
	case !g.Deltas():
		return nil
	case g.List == nil && g.Law == nil:
		return g.named(document.At("groups.delta", "%s", why))
	case g.Law != nil:
		return g.named(document.At("groups.deltas", "%s", why))
	}
	var errs []error
	for k, one := range g.List {
		if one.Delta > 0 {
			errs = append(errs, document.At(fmt.Sprintf("groups[%d].delta", k), "%s", why))
		}
	}
	return g.named(errors.Join(errs...))
}

// Private reports whether there may be a group with noise.
func (g *Groups) Private() bool {
	if g.Law != nil {
		return g.Law.private()
	}
	return g.File != nil || g.Column != nil || slices.ContainsFunc(g.List, func(one Group) bool { return !math.IsInf(float64(one.Epsilon), 1) })
}

// Check returns the faults of a list for any number of nodes.
func (g *Groups) Check() error { return g.named(g.check()) }

// check is Check with errors of paths that begin with groups.
func (g *Groups) check() error {
	if g.Law != nil {
		return g.Law.check()
	}
	var errs []error
	shares := 0.0
	for k, one := range g.List {
		at := fmt.Sprintf("groups[%d]", k)
		ways := 0
		for _, given := range []bool{one.First > 0 || one.Last > 0, one.Nodes != nil, one.Share > 0} {
			if given {
				ways++
			}
		}
		shares += one.Share
		switch {
		case ways != 1, (one.First > 0) != (one.Last > 0):
			errs = append(errs, document.At(at, "a group has either first and last, or nodes, or share"))
		case one.Last < one.First:
			errs = append(errs, document.At(at+".last", "the group is empty: it ends at node %d, before node %d", one.Last, one.First))
		case shares > 1+1e-9:
			errs = append(errs, document.At(at+".share", "the shares up to this one sum to %.6g, more than all nodes", shares))
		}
		for other := range k {
			if o := g.List[other]; one.First > 0 && o.First > 0 && one.First <= o.Last && o.First <= one.Last {
				errs = append(errs, document.At(at, "node %d is in group %d, too", max(one.First, o.First), other+1))
			}
		}
	}
	return errors.Join(errs...)
}

// Site is the run with parameters of single nodes.
type Site struct {
	Section *document.Node // with the key groups
	Data    *inputs.Folder
	Nodes   int
	Names   []string // of nodes; nil where nodes are numbers
	// Column returns the values of a column of the problem's data, by party; nil is none.
	Column func(name string) ([]Value, error)
	// Fewer means that the run has fewer nodes than the file was written for, as audits have: groups
	// may name others.
	Fewer bool
}

// roster gives nodes their groups.
type roster struct {
	count int
	fewer bool           // nodes that are not there may be named
	names map[string]int // nodes from 0; nil where nodes are numbers
	// group is the group of each node, from 1, and 0 for none.
	group []int
}

// newRoster returns a roster of nodes in no group.
func newRoster(at *Site) *roster {
	r := &roster{count: at.Nodes, fewer: at.Fewer, group: make([]int, at.Nodes)}
	if at.Names != nil {
		r.names = map[string]int{}
		for node, name := range at.Names {
			r.names[name] = node
		}
	}
	return r
}

// find returns the node, from 0, of a number or a name.
func (r *roster) find(text string) (int, error) {
	if r.names != nil {
		if node, ok := r.names[text]; ok {
			return node, nil
		}
		return 0, fmt.Errorf("there is no node %q; there are %d, with names", text, r.count)
	}
	switch number, err := strconv.Atoi(text); {
	case err != nil:
		return 0, fmt.Errorf("node is %q, want a whole number: nodes have no names here", text)
	case number < 1 || number > r.count:
		return 0, fmt.Errorf("there is no node %s; there are %d", text, r.count)
	default:
		return number - 1, nil
	}
}

// join puts a node in a group.
func (r *roster) join(node, group int) error {
	if other := r.group[node]; other > 0 && other != group {
		return fmt.Errorf("node %d is in group %d, too", node+1, other)
	}
	r.group[node] = group
	return nil
}

// assign gives each node its group of a list. The error has keys of the section.
func (g *Groups) assign(r *roster) error {
	var errs []error
	for k, one := range g.List {
		at := fmt.Sprintf("groups[%d]", k)
		if one.Last > r.count && !r.fewer {
			errs = append(errs, document.At(at+".last", "there is no node %d; there are %d", one.Last, r.count))
		}
		for node := one.First; node > 0 && node <= min(one.Last, r.count); node++ {
			if err := r.join(node-1, k+1); err != nil {
				errs = append(errs, document.At(at, "%v", err))
				break
			}
		}
		for i, text := range one.Nodes {
			node, err := r.find(text)
			switch {
			case err != nil && r.fewer:
				continue
			case err != nil:
			case r.group[node] == k+1:
				err = fmt.Errorf("node %s is in the group twice", text)
			default:
				err = r.join(node, k+1)
			}
			if err != nil {
				errs = append(errs, document.At(fmt.Sprintf("%s.nodes[%d]", at, i), "%v", err))
			}
		}
	}
	return errors.Join(append(errs, g.assignShares(r)...)...)
}

// assignShares gives shares to the nodes that no group names, in their order.
func (g *Groups) assignShares(r *roster) (errs []error) {
	sum, taken, next := 0.0, 0, 0
	for k, one := range g.List {
		if one.Share == 0 {
			continue
		}
		sum += one.Share
		wanted := int(math.Round(float64(sum*float64(r.count)))) - taken
		if taken += wanted; wanted == 0 && !r.fewer {
			errs = append(errs, document.At(fmt.Sprintf("groups[%d].share", k), "the group is empty: a share of %.6g of %d nodes is none", one.Share, r.count))
		}
		for ; wanted > 0 && next < r.count; next++ {
			if r.group[next] == 0 {
				r.group[next] = k + 1
				wanted--
			}
		}
		if wanted > 0 && !r.fewer {
			errs = append(errs, document.At(fmt.Sprintf("groups[%d].share", k), "a share of %.6g of %d nodes is %d more than are in no other group", one.Share, r.count, wanted))
		}
	}
	return errs
}

// Assigned are nodes, from 0, with their epsilons and the numbers of their groups.
type Assigned struct {
	Epsilons []float64
	Deltas   []float64 // 0 of nodes that state none; nil where none does
	Numbers  []int     // from 1; 0 is no group; nil where there are as many epsilons as nodes
}

// Delta is the delta of a node, from 0; base is of nodes that state none.
func (of *Assigned) Delta(node int, base float64) float64 {
	if of.Deltas == nil || of.Deltas[node] == 0 {
		return base
	}
	return of.Deltas[node]
}

// Assign returns the epsilons of nodes; base is of nodes in no group. The error has keys of the
// section.
func (g *Groups) Assign(at *Site, base float64) (Assigned, error) {
	of, err := g.assigned(at, base)
	return of, g.named(err)
}

// assigned is Assign with errors of paths that begin with groups.
func (g *Groups) assigned(at *Site, base float64) (Assigned, error) {
	if g.Law != nil {
		return g.Law.assigned(at.Nodes), nil
	}
	r := newRoster(at)
	if g.File != nil || g.Column != nil {
		var lists [][]float64
		var err error
		if g.Column != nil {
			lists, err = g.Column.read(at)
		} else {
			lists, err = g.File.read(at, cmp.Or(g.key, "groups"), r)
		}
		if err != nil {
			return Assigned{}, err
		}
		return Assigned{lists[0], append(lists, nil)[1], numbered(lists...)}, nil
	}
	err := g.assign(r)
	of := Assigned{Epsilons: make([]float64, at.Nodes), Numbers: r.group}
	if g.Deltas() {
		of.Deltas = make([]float64, at.Nodes)
	}
	for node, k := range r.group {
		if of.Epsilons[node] = base; k > 0 {
			of.Epsilons[node] = float64(g.List[k-1].Epsilon)
		}
		if of.Deltas != nil && k > 0 {
			of.Deltas[node] = g.List[k-1].Delta
		}
	}
	return of, err
}

// named gives errors of paths that begin with groups the key of these.
func (g *Groups) named(err error) error {
	if g.key == "" {
		return err
	}
	return option.Rename(err, func(path string) string {
		if rest, ok := strings.CutPrefix(path, "groups"); ok {
			return g.key + rest
		}
		return path
	})
}

// numbered returns groups of nodes of one epsilon, and of one delta where there is a second list,
// numbered from 1 by rising epsilon and then delta.
func numbered(lists ...[]float64) []int {
	order := make([]int, len(lists[0]))
	for node := range order {
		order[node] = node
	}
	compare := func(a, b int) (by int) {
		for _, list := range lists {
			by = cmp.Or(by, cmp.Compare(list[a], list[b]))
		}
		return by
	}
	slices.SortFunc(order, compare)
	numbers, last := make([]int, len(order)), 0
	for k, node := range order {
		if k == 0 || compare(order[k-1], node) != 0 {
			last++
		}
		numbers[node] = last
	}
	return numbers
}

// Numbers returns the number of the group of each node, from 0: from 1 in the order of a list
// or of the values of a choice, where 0 is no group, or by rising epsilon of a file or a column; nil without
// groups. Errors have the place of every fault.
func Numbers(at Site) ([]int, error) {
	g, of, err := assignedBy(at)
	if g.Any() && of.Numbers == nil && err == nil {
		section, _ := at.Section.Get("groups")
		return nil, section.Issuef("the epsilons of a law %s are as many as nodes, and make no groups; name the groups by measure.groups, or measure by node", g.Law.Law)
	}
	return of.Numbers, err
}

// DeltasOf returns the delta of each node, from 0, that the groups of a section state, where 0 is none; nil
// where no node states one. Errors have the place of every fault.
func DeltasOf(at Site) ([]float64, error) {
	_, of, err := assignedBy(at)
	return of.Deltas, err
}

// assignedBy reads the groups of a section, and assigns them.
func assignedBy(at Site) (g Groups, of Assigned, err error) {
	section, ok := at.Section.Get("groups")
	if !ok || section.Kind() == document.Null {
		return g, of, nil
	}
	if err := g.DecodeNode(section); err != nil {
		return g, of, err
	}
	if err := g.Check(); err != nil {
		return g, of, at.Section.Resolve(err)
	}
	of, err = g.Assign(&at, 1)
	return g, of, at.Section.Resolve(err)
}
