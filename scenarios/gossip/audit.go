package gossip

import (
	"fmt"
	"math"
	"strconv"

	"starling/actors/algorithm"
	"starling/mechanisms/audit"
	"starling/messages"
	"starling/scenarios/auditing"
	"starling/scenarios/study"
)

// auditedSteps is the horizon at which algorithms are audited, and auditedOthers at
// how many nodes beside the first noise is compared with what it is stated to be.
const (
	auditedSteps  = 3
	auditedOthers = 7
)

// audit runs the plan with the costs of the first node replaced by linear ones of slope
// theta or -theta, theta the problem's bound on gradients.
func (a *Algorithm[O]) audit(b *study.Builder, v study.Variant) ([]*auditing.Run, error) {
	f, err := auditing.Smaller(b.Kinds, v, "horizon", strconv.Itoa(auditedSteps))
	if err != nil {
		return nil, err
	}
	arm, found := &study.Arm{Name: f.Name, File: f.File}, &study.Faults{Doc: f.Doc}
	found.Note(auditing.AffectSmall(b, arm, f))
	read, err := a.read(f)
	study.BuildNodes(study.Renewed(b), arm, f, a.Weights, found)
	found.Note(err)
	if err := auditing.CannotShrink(found); err != nil {
		return nil, err
	}
	at := a.setting(f, arm.Problem, &read, 1)
	r := &auditing.Run{
		Mechanism: fmt.Sprintf("laplace, %d steps", f.Horizon),
		Inputs:    "all costs of one node, linear of slope theta or -theta",
		Claimed:   a.claimed(&read.options, at), Private: read.private(),
		Noise: func(place auditing.Place) auditing.Noise {
			mechanism, _ := at.Noise(place.Step)
			return auditing.Noise{Law: audit.LaplaceLaw, Scale: mechanism.Scale, Length: arm.Problem.Dim()}
		},
	}
	for node := 1; node < min(f.Nodes, 1+auditedOthers); node++ {
		r.Others = append(r.Others, messages.NodeID(node))
	}
	r.Run, err = a.audited(arm, f, &read, r.Node)
	return []*auditing.Run{r}, err
}

// audited returns what makes a run of the arm in which a node has the canary.
func (a *Algorithm[O]) audited(arm *study.Arm, f *study.ArmFile, read *parts[O], node messages.NodeID) (func(uint64, bool, float64) (*algorithm.Run, error), error) {
	instance, err := arm.Problem.Draw(f.Seeds.Base, f.Horizon)
	if err != nil {
		return nil, err
	}
	sequence, err := arm.Topology.Sequence(f.Seeds.Base)
	if err != nil {
		return nil, err
	}
	slope := arm.Problem.GradientBound() / math.Sqrt(float64(arm.Problem.Dim()))
	return func(seed uint64, other bool, noised float64) (*algorithm.Run, error) {
		costs := canary{instance, node, slope}
		if other {
			costs.slope = -slope
		}
		return auditing.AffectAudited(arm, &algorithm.Run{
			Seed: seed, FirstStep: 1, FirstLabel: 1, Steps: f.Horizon, Graphs: sequence, Costs: costs,
			Machines: a.machines(&read.options, a.setting(f, arm.Problem, read, noised)),
		})
	}, nil
}

// canary are costs of which those of one node are slope times the sum of x: of all
// gradients of a length these move a release the furthest in 1-norm.
type canary struct {
	algorithm.Costs
	node  messages.NodeID
	slope float64
}

// Loss implements algorithm.Costs.
func (c canary) Loss(node messages.NodeID, step int, x []float64) (sum float64) {
	if node != c.node {
		return c.Costs.Loss(node, step, x)
	}
	for _, v := range x {
		sum += float64(c.slope * v)
	}
	return sum
}

// Gradient implements algorithm.Costs.
func (c canary) Gradient(dst []float64, node messages.NodeID, step int, x []float64) {
	if node != c.node {
		c.Costs.Gradient(dst, node, step, x)
		return
	}
	for k := range dst {
		dst[k] = c.slope
	}
}
