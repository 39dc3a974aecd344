package gossip

import (
	"fmt"
	"strings"

	"starling/mechanisms/accountant"
	"starling/scenarios/ledger"
	"starling/scenarios/study"
)

// toldNote describes the feedback of nodes, where they get no gradients.
func (e *Equals) toldNote() study.Note {
	return study.Note{Key: "feedback", Value: fmt.Sprintf(
		"%d a step, of the losses at a distance of %g from the decision; theta bounds estimates of gradients, and regret is of the played points", e.Feedback.Points, e.Feedback.Radius)}
}

// Notes implements study.Plan: the bound that noise rests on, the number of steps over which
// the graphs are connected, and the claimed and the accounted epsilon.
func (e *Equals) Notes(j *study.Job) (list []study.Note, warnings []study.Warning) {
	window := "none"
	steps, _ := j.Graphs.Close() // an error has ended the run
	switch {
	case e.Silent:
		window = "none: nodes send nothing"
	case steps > 0:
		window = fmt.Sprint(steps)
	default:
		warnings = append(warnings, study.Warning{Code: "disconnected", Message: "the graphs are not strongly connected over any window of the horizon"})
	}
	warnings = append(warnings, e.silences(j)...)
	list = []study.Note{{Key: "theta", Value: fmt.Sprintf("%.6g", e.Theta)}, {Key: "window", Value: window}, {Key: "epsilon.claimed", Value: e.Claimed.Text}}
	if names := e.Nodes.Topology.Names; names != nil {
		list = append(list, study.Note{Key: "nodes", Value: named(names)})
	}
	if note, ok := e.keepsNote(); ok {
		list = append(list, note)
	}
	if e.above() > 0 {
		list = append(list, study.Note{Key: "servers", Value: e.Nodes.Topology.Served()})
	}
	planned, err := study.PlannedLossOf(e.Arm)
	if err != nil {
		return list, append(warnings, study.Warning{Code: "ledger", Message: err.Error()})
	}
	accounted, err := accountedText(planned, e.delta(), e.By)
	if err != nil {
		return list, append(warnings, study.Warning{Code: "ledger", Message: err.Error()})
	}
	list = append(list, study.Note{Key: "epsilon.accounted", Value: accounted})
	if e.Feedback != nil {
		list = append(list, e.toldNote())
	}
	switch {
	case planned.Private():
	case e.Calibration.Private():
		warnings = append(warnings, study.Warning{Code: "not-private", Message: "some nodes run without noise: each of their messages shows the node's " + e.Shown})
	default:
		var r study.Remarks
		r.Unprotected("every message shows the node's " + e.Shown)
		list = append(list, r.Notes...)
	}
	if e.MoreNotes != nil {
		notes, more := e.MoreNotes(j)
		list, warnings = append(list, notes...), append(warnings, more...)
	}
	return list, warnings
}

// mostNamed is the largest number of names of nodes in a note.
const mostNamed = 1000

// named lists the numbers of nodes with their names.
func named(names []string) string {
	var list []string
	for i, name := range names[:min(len(names), mostNamed)] {
		list = append(list, fmt.Sprintf("%d %s", i+FirstLabel, name))
	}
	if len(names) > mostNamed {
		list = append(list, fmt.Sprintf("and so on to %d, in the order of the names", len(names)))
	}
	return strings.Join(list, ", ")
}

// silences warns of nodes that hear nobody by the graph: a run in which they keep their points
// looks like a run that has converged.
func (e *Equals) silences(j *study.Job) []study.Warning {
	if e.Silent {
		return nil
	}
	s, err := j.Graphs.Silences()
	switch {
	case err != nil:
		return []study.Warning{{Code: "silence", Message: err.Error()}}
	case s.Steps == 0:
		return nil
	}
	return []study.Warning{{Code: "silence", Message: fmt.Sprintf(
		"in %d of %d steps a node has no weights, not even for itself, and keeps its own point: node %d in step %d first",
		s.Steps, e.File.Horizon, int(s.Node)+FirstLabel, s.First+1)}}
}

// accountedText is a loss for the notes. A loss of Gaussian noise is given as epsilon at
// delta, followed by its components.
func accountedText(loss accountant.Loss, delta float64, by accountant.Method) (string, error) {
	if loss.Rho == 0 || !loss.Private() {
		return loss.String(), nil
	}
	epsilon, err := ledger.EpsilonOf(loss.Total(), delta, by)
	return fmt.Sprintf("%.6g at delta %g: %s", epsilon, delta, loss), err
}
