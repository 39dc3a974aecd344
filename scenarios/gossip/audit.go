package gossip

import (
	"fmt"
	"math"
	"strconv"

	"starling/actors/algorithm"
	"starling/actors/algorithm/desk"
	"starling/actors/algorithm/wire"
	"starling/mechanisms/audit"
	"starling/mechanisms/kernel"
	"starling/messages"
	"starling/scenarios/auditing"
	"starling/scenarios/study"
)

// auditedHorizons are the sizes of audits: up to the first release that depends on
// data where the one before is public, which falls short the most if its noise is that
// of the step after, and two releases more. The loss of longer runs grows beyond what
// samples can show.
var auditedHorizons = []int{2, 4}

// auditedNodes is how many nodes take part where a scenario has more, unless its
// topology is for just so many, and auditedOthers at how many beside the first noise is
// compared with what it is stated to be.
const (
	auditedNodes  = 16
	auditedOthers = 7
)

// Preparer reads and checks an arm, and notes what is wrong; then what it returns is
// nil.
type Preparer func(b *study.Builder, arm *study.Arm, f *study.ArmFile, found *study.Faults) *Equals

// Build plans an arm. What is wrong is noted; then the plan is of no use.
func (prepare Preparer) Build(b *study.Builder, arm *study.Arm, f *study.ArmFile, found *study.Faults) study.Plan {
	if e := prepare(b, arm, f, found); e != nil {
		return e.Plan()
	}
	return study.Plan{}
}

// Audit runs the plan with all costs of the first node replaced by linear ones of slope
// theta or -theta; it is an auditing.Builder.
func (prepare Preparer) Audit(b *study.Builder, v study.Variant) (runs []*auditing.Run, err error) {
	for _, horizon := range auditedHorizons {
		more, err := prepare.small(b, v, horizon)
		if err != nil || more == nil { // of nodes that send nothing
			return nil, err
		}
		if runs = append(runs, more...); !more[0].Private {
			break
		}
	}
	return runs, nil
}

// small makes the audits of a number of steps. A scenario of many nodes is audited with
// fewer, which takes less time and shows as much of one node; where its topology or its
// data are for just so many nodes, the audit has all of them.
func (prepare Preparer) small(b *study.Builder, v study.Variant, horizon int) ([]*auditing.Run, error) {
	values := []string{"horizon", strconv.Itoa(horizon)}
	if f, _ := study.DecodeFile(v.Document); f.Nodes > auditedNodes {
		a, err := auditing.Smaller(b.Kinds, v, append(values, "nodes", strconv.Itoa(auditedNodes))...)
		if err != nil {
			return nil, err
		}
		if run, err := prepare.audited(study.Renewed(b), a); err == nil {
			return run, nil
		}
	}
	a, err := auditing.Smaller(b.Kinds, v, values...)
	if err != nil {
		return nil, err
	}
	return prepare.audited(study.Renewed(b), a)
}

// audited reads an arm whose sizes are those of an audit, plans it as a study is planned,
// and makes its audits.
func (prepare Preparer) audited(b *study.Builder, f *study.ArmFile) ([]*auditing.Run, error) {
	arm, found := &study.Arm{Name: f.Name, File: f.File}, &study.Faults{Doc: f.Doc}
	found.Note(auditing.AffectSmall(b, arm, f))
	e := prepare(b, arm, f, found)
	if err := auditing.CannotShrink(found); err != nil {
		return nil, err
	}
	arm.Algorithm = e.Plan()
	run, err := e.audit()
	if err != nil || run == nil {
		return nil, err
	}
	return e.seenBy(run)
}

// audit makes the audit of the arm as it is, which is small. The first node is audited:
// on one side all its costs are linear with slope theta in one direction, on the other
// side with slope -theta. Both have gradients of the length that the noise rests on, and
// lie 2 theta apart.
func (e *Equals) audit() (r *auditing.Run, err error) {
	if e.Silent {
		return nil, nil
	}
	r = &auditing.Run{
		Mechanism: fmt.Sprintf("%s, %d steps", e.mechanism(), e.File.Horizon),
		Inputs:    "all costs of one node, linear of slope theta or -theta",
		Delta:     e.Delta, Claimed: e.Claimed, Private: e.Calibration.Private(),
		Noise: e.stated, OneEach: e.Sums, Bare: true,
	}
	for node := 1; node < min(e.File.Nodes, 1+auditedOthers); node++ {
		r.Others = append(r.Others, messages.NodeID(node))
	}
	d := draw{seed: e.File.Seeds.Base}
	if d.graphs, err = e.Arm.Topology.Sequence(d.seed); err != nil {
		return nil, err
	}
	instance, err := e.Arm.Problem.Draw(d.seed, e.File.Horizon)
	if err != nil {
		return nil, err
	}
	costs := e.told(instance, d.seed)
	sides := [2]*canary{newCanary(costs, r.Node, 1), newCanary(costs, r.Node, -1)}
	r.Run = func(seed uint64, other bool, noised float64) (*algorithm.Run, error) {
		neighbour, side := d, sides[0]
		if other {
			side = sides[1]
		}
		neighbour.costs = side
		run, err := e.run(seed, neighbour, noised)
		if err != nil {
			return nil, err
		}
		// What follows from a release follows from its compressed form as it does in a study;
		// what is compared is the release.
		if wires := e.Arm.Wire; wires.Compresses() {
			run.Wire = &wire.Encoding{Codec: wires.Codec, Keep: true, Local: wires.Local}
		}
		run.Gathers = run.Gathers || side.desks != nil
		return auditing.AffectAudited(e.Arm, &run)
	}
	if r.Private && e.Feedback != nil {
		for _, side := range sides {
			side.turning = e.turning(d.seed, r.Node)
		}
	} else if r.Private {
		use := func(slope []float64) { sides[0].slope, sides[1].slope = slope, slope }
		best, err := e.furthest(r, use)
		if err != nil {
			return nil, err
		}
		use(best)
	}
	return r, nil
}

// mechanism names the noise.
func (e *Equals) mechanism() string {
	switch {
	case !e.Calibration.Private():
		return "none"
	case e.Mechanism != "":
		return e.Mechanism
	}
	return string(e.Calibration.Law)
}

// stated is the noise that a vector is stated to carry.
func (e *Equals) stated(at auditing.Place) auditing.Noise {
	mechanism, _, _ := e.noiseIn(e.File.Seeds.Base, at.Step)
	if at.Begins && e.Start != nil {
		mechanism = e.Start(at.Step)
	}
	scale := mechanism.Scale
	if e.Sums { // what a message adds to its link
		scale *= at.Weight
	}
	return auditing.Noise{Law: audit.Law(e.Calibration.Law), Scale: scale, Length: e.Noised}
}

// furthest tries a few directions of a gradient of length theta and returns the one
// that moves what the node sends the furthest in the norm of the law, without noise:
// which direction a decision set leaves free depends on the set.
func (e *Equals) furthest(a *auditing.Run, use func([]float64)) (best []float64, err error) {
	most := math.Inf(-1)
	for kind := range 4 {
		slope := make([]float64, e.Arm.Problem.Dim())
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
			square += float64(v * v)
		}
		for k := range slope {
			slope[k] *= e.Theta / math.Sqrt(square)
		}
		use(slope)
		moved, err := a.Moved(e.Calibration.Law)
		if err != nil {
			return nil, err
		}
		if moved > most {
			most, best = moved, slope
		}
	}
	return best, nil
}

// canary are costs of which those of one node are linear, <side slope, x>; the other
// nodes keep theirs.
type canary struct {
	algorithm.Costs
	// node is the audited one, side 1 or -1, and slope the direction, of 2-norm theta,
	// len d.
	node  messages.NodeID
	side  float64
	slope []float64
	// turning, unless nil, is the direction at a step.
	turning func(step int) []float64
	// desks are nil where the other nodes' costs are not asked for many at once.
	desks *desk.Oracle
}

// newCanary is without a slope.
func newCanary(costs algorithm.Costs, node messages.NodeID, side float64) *canary {
	c := &canary{Costs: costs, node: node, side: side}
	if many, ok := costs.(desk.Costs); ok {
		c.desks = &desk.Oracle{
			Losses: &canaryDesk{node,
				func(step int, q *desk.Point) { q.Answer[0] = c.Loss(node, step, q.X) },
				func() desk.Desk { return desk.NewOracle(many).Losses }},
			Gradients: &canaryDesk{node,
				func(step int, q *desk.Point) { c.Gradient(q.Answer, node, step, q.X) },
				func() desk.Desk { return desk.NewOracle(many).Gradients }},
		}
	}
	return c
}

// Oracle implements desk.Rest.
func (c *canary) Oracle() *desk.Oracle { return c.desks }

// canaryDesk answers for the audited node itself, and has the desk of the other nodes, which
// is for one call, answer for those.
type canaryDesk struct {
	node   messages.NodeID
	own    func(step int, q *desk.Point)
	others func() desk.Desk
}

// Answer implements desk.Desk.
func (c *canaryDesk) Answer(step int, nodes []messages.NodeID, questions []any) error {
	var rest []messages.NodeID
	var theirs []any
	for i, question := range questions {
		if nodes[i] == c.node {
			c.own(step, question.(*desk.Point))
			continue
		}
		rest, theirs = append(rest, nodes[i]), append(theirs, question)
	}
	if len(rest) == 0 {
		return nil
	}
	return c.others().Answer(step, rest, theirs)
}

// Loss implements algorithm.Costs.
func (c *canary) Loss(node messages.NodeID, step int, x []float64) (sum float64) {
	if node != c.node {
		return c.Costs.Loss(node, step, x)
	}
	slope := c.at(step)
	for k, v := range x {
		sum += float64(c.side * slope[k] * v)
	}
	return sum
}

// at is the direction at a step.
func (c *canary) at(step int) []float64 {
	if c.turning != nil {
		return c.turning(step)
	}
	return c.slope
}

// turning is where estimates of gradients may point: theta u. Linear costs of slope
// (theta/d) u have that of two points, and a loss of theta delta/d everywhere that of one,
// whatever the decision; their negatives have the opposite. Runs of an audit are of one draw,
// and so of the same directions, which the ledger counts on nowhere.
func (e *Equals) turning(seed uint64, node messages.NodeID) func(step int) []float64 {
	f := e.Feedback.Under(seed)
	return func(step int) []float64 {
		slope := make([]float64, e.Arm.Problem.Dim())
		f.Direction(slope, node, step)
		kernel.Scale(slope, e.Theta, slope)
		return slope
	}
}

// Gradient implements algorithm.Costs.
func (c *canary) Gradient(dst []float64, node messages.NodeID, step int, x []float64) {
	if node != c.node {
		c.Costs.Gradient(dst, node, step, x)
		return
	}
	for k, v := range c.at(step) {
		dst[k] = c.side * v
	}
}
