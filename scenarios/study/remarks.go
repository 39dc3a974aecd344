package study

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"starling/mechanisms/accountant"
	"starling/mechanisms/portable"
	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
)

// RemarksOf returns the notes and warnings for a reader of the arm's results, given a job that has
// run.
func RemarksOf(arm *Arm, j *Job) ([]Note, []Warning) {
	notes, warnings := arm.Algorithm.Notes(j)
	if p, ok := arm.Problem.(Remarked); ok {
		moreNotes, moreWarnings := p.Remarks()
		notes, warnings = append(notes, moreNotes...), append(warnings, moreWarnings...)
	}
	notes = append(notes, wireNotes(arm)...)
	notes = append(append(notes, NotesOfBudget(arm)...), ofDeltas(arm)...)
	notes = append(notes, ownerNotes(arm)...)
	for _, d := range arm.Topology.Data {
		notes = append(notes, NoteOfData(d))
	}
	if last := arm.Topology.Ends; last > 0 && last < arm.File.Horizon {
		warnings = append(warnings, Warning{Code: "edges-end", Message: fmt.Sprintf("the list of edges ends with step %d of %d: nodes hear nobody after it; repeat: true begins it again", last, arm.File.Horizon)})
	}
	moreNotes, moreWarnings := adversaryRemarks(arm)
	notes, warnings = append(notes, moreNotes...), append(warnings, moreWarnings...)
	if SamplesNodes(arm) {
		warnings = append(warnings, Warning{Code: "sampled-nodes", Message: fmt.Sprintf("regret is taken at %d sampled nodes of %d", len(arm.Measured), arm.File.Nodes)})
	}
	known := make([]Note, len(notes)) // a copy: arms of one problem share its notes
	for i, n := range notes {
		known[i] = n.Known()
	}
	return known, append(warnings, noiseWarnings(arm)...)
}

// wireNotes returns notes on the encoding of vectors on wires.
func wireNotes(arm *Arm) (list []Note) {
	if arm.Wire == nil {
		return nil
	}
	if arm.Wire.Float32 {
		list = append(list, Note{Key: "precision", Value: "vectors cross wires in numbers of float32, rounded after noise"})
	}
	if codec, d := arm.Wire.Codec, arm.Extent.Dim; arm.Wire.Compresses() {
		list = append(list, Note{Key: "compression", Value: fmt.Sprintf("vectors cross wires compressed, after noise: %s, omega >= %.4g of vectors of length %d", codec, codec.Omega(d), d)})
	}
	return list
}

// mostNamed is the largest number of Byzantine nodes that a warning lists.
const mostNamed = 10

// adversaryRemarks returns remarks on the Byzantine nodes, and on the nodes of which metrics and ledger are.
func adversaryRemarks(arm *Arm) ([]Note, []Warning) {
	a := arm.Adversaries
	if a == nil {
		return nil, nil
	}
	who := make([]string, len(a.Nodes))
	for i, node := range a.Nodes {
		who[i] = fmt.Sprint(node)
	}
	nodes, n := arm.File.Nodes, len(who)
	note := fmt.Sprintf("%s by %d of %d nodes: %s", a.Kind, n, nodes, strings.Join(who, ", "))
	text := fmt.Sprintf("%d of %d nodes are", n, nodes)
	switch {
	case n == 1:
		text = fmt.Sprintf("Node %s (1 of %d) is", who[0], nodes)
	case n <= mostNamed:
		text = fmt.Sprintf("Nodes %s and %s (%d of %d) are", strings.Join(who[:n-1], ", "), who[n-1], n, nodes)
	}
	text += fmt.Sprintf(" Byzantine (%s). ", strings.ReplaceAll(a.Kind, "-", " "))
	switch {
	case arm.Extent.Server:
		text += "Losses are of the data of all nodes."
	case nodes-n == 1:
		text += "Metrics are of the honest node."
	default:
		text += fmt.Sprintf("Metrics are of the %d honest nodes.", nodes-n)
	}
	text += " The ledger has all nodes, as if they were honest."
	return []Note{{Key: "adversaries", Value: note}}, []Warning{{Code: "adversaries", Message: text}}
}

// NotesOfBudget returns a note with the number of steps that the budget of an arm pays for.
func NotesOfBudget(arm *Arm) []Note {
	b := arm.File.Budget
	if m := arm.File.Match; m != nil {
		return ofMatch(arm, m)
	}
	if !b.Limits() || arm.Privacy.Budgeted {
		return nil
	}
	if own := b.Own; own != nil {
		largest := document.NoEpsilon
		if most := slices.Max(own.Epsilons); !math.IsInf(most, 1) {
			largest = fmt.Sprintf("%.6g", most)
		}
		return []Note{{Key: "budget", Value: fmt.Sprintf("nodes have epsilons of their own, %.6g to %s", slices.Min(own.Epsilons), largest)}}
	}
	budget, err := LimitOf(b, &arm.Privacy)
	if err != nil {
		return nil // the scenario was refused for it
	}
	_, within, err := PlannedTotal(arm, arm.File.Horizon, budget)
	if err != nil {
		return []Note{{Key: "budget", Value: err.Error()}}
	}
	value := fmt.Sprintf("%s a node", b.Loss())
	if b.Observer != "" {
		value += fmt.Sprintf(" by what observer %s sees", b.Observer)
	}
	if within < arm.File.Horizon {
		return []Note{{Key: "budget", Value: fmt.Sprintf("%s; it pays for %d of %d steps", value, within, arm.File.Horizon)}}
	}
	value += "; it pays for all steps"
	if b.On == ledger.BudgetSpread {
		epsilon, _ := arm.File.Mechanism.Get("epsilon") // which was found
		value += ", with the epsilon " + epsilon.Value() + " of the mechanism"
	}
	return []Note{{Key: "budget", Value: value}}
}

// ofDeltas returns a note on the deltas of units that have their own.
func ofDeltas(arm *Arm) []Note {
	if len(arm.Privacy.Accounts) == 0 || arm.Privacy.Accounts[0].Own == nil {
		return nil
	}
	a := &arm.Privacy.Accounts[0]
	return []Note{{Key: "deltas", Value: fmt.Sprintf("the loss of each unit is stated at its own delta, from %.6g to %.6g; at the largest all of these epsilons hold, too", a.LeastDelta(), a.Delta)}}
}

// ofMatch returns a note with the privacy that an arm has in common with others, and the noise that
// was found for it.
func ofMatch(arm *Arm, m *MatchSection) []Note {
	if !m.Calibrates() {
		return []Note{{Key: "match", Value: "no noise"}}
	}
	value := fmt.Sprintf("%s for a %s, %s", accountant.Loss{Epsilon: float64(m.Epsilon), Delta: m.Delta}, m.Unit, m.Neighbours)
	if m.Observer != "" {
		value += fmt.Sprintf(", to observer %s", m.Observer)
	}
	for _, key := range []string{"epsilon", "sigma"} {
		if found, ok := arm.File.Mechanism.Get(key); ok {
			text := found.Value()
			if noise, err := strconv.ParseFloat(text, 64); err == nil {
				text = strconv.FormatFloat(noise, 'g', 6, 64) // the search leaves all digits
			}
			value += fmt.Sprintf("; with mechanism.%s %s", key, text)
			break
		}
	}
	return []Note{{Key: "match", Value: value}}
}

// WarningsOfStops returns warnings on the participants that ended their part in a job: one warning for
// all nodes, and where there are levels of servers one for all servers, that did so in one step for
// one reason.
func WarningsOfStops(arm *Arm, seed uint64, stops []gauge.Stop) (warnings []metric.Warning) {
	// One warning for each group of participants that stopped alike. Thousands of nodes mostly
	// stop in one step.
	for len(stops) > 0 {
		first := stops[0]
		serves := arm.Extent.Serves(first.Node, arm.File.Nodes)
		alike := func(s gauge.Stop) bool {
			return s.Step == first.Step && s.Reason == first.Reason && arm.Extent.Serves(s.Node, arm.File.Nodes) == serves
		}
		count := 0
		for _, s := range stops {
			if alike(s) {
				count++
			}
		}
		name, of := "node", arm.File.Nodes
		if serves {
			name, of = "server", arm.Extent.Participants-arm.File.Nodes
		}
		who := fmt.Sprintf("%d of %d %ss ended their", count, of, name)
		switch count {
		case 1:
			who = fmt.Sprintf("%s %d ended its", name, int(first.Node)+arm.Extent.FirstLabel)
		case of:
			who = fmt.Sprintf("all %d %ss ended their", count, name)
		}
		warnings = append(warnings, metric.Warning{Code: "stopped", Arm: arm.Name,
			Message: fmt.Sprintf("seed %d: %s part at step %d: %s", seed, who, first.Step, first.Reason)})
		stops = slices.DeleteFunc(slices.Clone(stops), alike)
	}
	return warnings
}

// noiseWarnings returns a warning if the noise of an arm drowns the signal that it hides.
func noiseWarnings(arm *Arm) []Warning {
	noisy, ok := arm.Algorithm.(Noisy)
	if !ok {
		return nil
	}
	noise, signal := noisy.NoiseLevel()
	if !(noise > drowned*signal) || signal == 0 {
		return nil
	}
	return []Warning{{Code: "noise", Message: fmt.Sprintf("The noise (norm %s) swamps the signal (norm at most %s): expect no learning.", plainly(noise), plainly(signal))}}
}

// plainly writes three digits of a positive number, from a thousand to a million without an
// exponent.
func plainly(x float64) string {
	power := math.Pow10(int(math.Floor(portable.Log10(x))) - 2)
	if rounded := int(math.Round(x/power) * power); rounded >= 1000 && rounded < 1_000_000 {
		return fmt.Sprintf("%d,%03d", rounded/1000, rounded%1000)
	}
	return fmt.Sprintf("%.3g", x)
}
