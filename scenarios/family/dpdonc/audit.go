package dpdonc

import (
	"fmt"
	"math"
	"strconv"

	"starling/actors/algorithm"
	"starling/actors/algorithm/dpdonc"
	"starling/mechanisms/audit"
	"starling/mechanisms/noise"
	"starling/messages"
	"starling/scenarios/auditing"
	"starling/scenarios/study"
)

// auditedHorizons are the sizes at which DPDO-NC is audited: up to the first
// release that depends on data, which as printed falls short the most, and two
// releases more. The loss of longer runs grows beyond what samples can show.
var auditedHorizons = []int{2, 4}

// auditedNodes is how many nodes of DPDO-NC take part where a scenario has more,
// unless its topology is for just so many.
const auditedNodes = 16

// Audit replaces all costs of the first node by linear ones of slope theta
// or -theta.
func Audit(b *study.Builder, v study.Variant) (runs []*auditing.Run, err error) {
	for _, horizon := range auditedHorizons {
		run, err := smallDPDONC(b, v, horizon)
		if err != nil {
			return nil, err
		}
		if runs = append(runs, run); !run.Private {
			break
		}
	}
	return runs, nil
}

// smallDPDONC makes the audit of a number of steps.
func smallDPDONC(b *study.Builder, v study.Variant, horizon int) (*auditing.Run, error) {
	values := []string{"horizon", strconv.Itoa(horizon)}
	if f, _ := study.DecodeFile(v.Document); f.Nodes > auditedNodes {
		a, err := auditing.Smaller(b.Kinds, v, append(values, "nodes", strconv.Itoa(auditedNodes))...)
		if err != nil {
			return nil, err
		}
		if run, err := auditedDPDONC(study.Renewed(b), a); err == nil {
			return run, nil
		}
	}
	a, err := auditing.Smaller(b.Kinds, v, values...)
	if err != nil {
		return nil, err
	}
	return auditedDPDONC(study.Renewed(b), a)
}

func auditedDPDONC(b *study.Builder, a *study.ArmFile) (*auditing.Run, error) {
	arm, found := &study.Arm{Name: a.Name, File: a.File}, &study.Faults{Doc: a.Doc}
	found.Note(auditing.AffectSmall(b, arm, a))
	parts, err := dpdoncSections(a)
	study.BuildNodes(b, arm, a, parts.weights(), found)
	found.Note(err)
	if err := auditing.CannotShrink(found); err != nil {
		return nil, err
	}
	options := parts.options(a, arm.Problem)
	options.AverageRows = arm.Topology.Demand(arm.Weights).Rows
	instance, err := arm.Problem.Draw(a.Seeds.Base, a.Horizon)
	if err != nil {
		return nil, err
	}
	sequence, err := arm.Topology.Sequence(a.Seeds.Base)
	if err != nil {
		return nil, err
	}
	law := options.Calibration().Law
	r := &auditing.Run{
		Mechanism: fmt.Sprintf("%s, %d steps", dpdoncNoise(&options), a.Horizon),
		Inputs:    "all costs of one node, linear of slope theta or -theta",
		Delta:     parts.mechanism.Delta,
		Claimed:   claimOf(&options, a.Horizon), Private: options.Calibration().Private(),
		Others: otherNodes(a.Nodes), Remember: remember,
		Noise: func(at auditing.Place) auditing.Noise {
			mechanism, _ := options.Release(at.Step)
			if at.Begins && options.Noise == dpdonc.Shifted {
				mechanism.Scale = 0 // the public start
			}
			return auditing.Noise{Law: audit.Law(law), Scale: mechanism.Scale, Length: options.Set.Dim()}
		},
	}
	costs := canaryCosts{Costs: instance, node: r.Node}
	r.Run = func(seed uint64, other bool, noise float64) (*algorithm.Run, error) {
		o, c := options, costs
		if other {
			c.side = -1
		} else {
			c.side = 1
		}
		o.Calibrate(o.Calibration().Scaled(noise))
		machines, err := dpdonc.New(o)
		if err != nil {
			return nil, err
		}
		return auditing.AffectAudited(arm, &algorithm.Run{
			Seed: seed, FirstStep: 1, FirstLabel: 1, Steps: a.Horizon, Graphs: sequence, Machines: machines, Costs: c,
		})
	}
	if costs.slope, err = bestDirection(r, law, options.Theta, options.Set.Dim(), func(slope []float64) { costs.slope = slope }); err != nil {
		return nil, err
	}
	return r, nil
}

// otherNodes are the nodes beside the first whose noise is compared with its own.
func otherNodes(nodes int) (list []messages.NodeID) {
	const most = 7
	for node := 1; node < min(nodes, 1+most); node++ {
		list = append(list, messages.NodeID(node))
	}
	return list
}

func dpdoncNoise(o *dpdonc.Options) string {
	switch c := o.Calibration(); {
	case !c.Private():
		return "none"
	case c.Law == noise.GaussianLaw:
		return string(c.Law)
	default:
		return string(c.Law) + " " + string(o.Noise)
	}
}

// bestDirection tries a few directions of a gradient of length theta and returns
// the one that moves what the node sends the furthest in the norm of the law, without noise:
// which direction a decision set leaves free depends on the set.
func bestDirection(a *auditing.Run, law noise.Law, theta float64, dim int, use func([]float64)) (best []float64, err error) {
	furthest := math.Inf(-1)
	for kind := range 4 {
		slope := make([]float64, dim)
		for k := range slope {
			switch sign := float64(1 - 2*(k%2)); {
			case kind == 0:
				slope[k] = 1
			case kind == 1:
				slope[k] = sign
			case kind == 2 && k < 2:
				slope[k] = sign
			case kind == 3 && k == 0:
				slope[k] = 1
			}
		}
		var square float64
		for _, v := range slope {
			square += v * v
		}
		for k := range slope {
			slope[k] *= theta / math.Sqrt(square)
		}
		use(slope)
		moved, err := a.Moved(law)
		if err != nil {
			return nil, err
		}
		if moved > furthest {
			furthest, best = moved, slope
		}
	}
	return best, nil
}

// canaryCosts are costs of which those of one node are linear, <side slope, x>.
type canaryCosts struct {
	algorithm.Costs
	node  messages.NodeID
	side  float64
	slope []float64
}

// Loss implements algorithm.Costs.
func (c canaryCosts) Loss(node messages.NodeID, step int, x []float64) (sum float64) {
	if node != c.node {
		return c.Costs.Loss(node, step, x)
	}
	for k, v := range x {
		sum += float64(c.side * c.slope[k] * v)
	}
	return sum
}

// Gradient implements algorithm.Costs.
func (c canaryCosts) Gradient(dst []float64, node messages.NodeID, step int, x []float64) {
	if node != c.node {
		c.Costs.Gradient(dst, node, step, x)
		return
	}
	for k := range dst {
		dst[k] = c.side * c.slope[k]
	}
}

// remember has a machine without noise keep what the one with noise has released.
func remember(machine, released algorithm.Machine) {
	machine.(algorithm.Hearer).Memory().Remember(released.(algorithm.Hearer).Memory())
}
