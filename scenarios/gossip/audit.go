package gossip

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"starling/actors/algorithm"
	"starling/messages"
	"starling/scenarios/auditing"
	"starling/scenarios/cache"
	"starling/scenarios/kind"
	"starling/scenarios/ledger"
	"starling/scenarios/section/networks"
	"starling/scenarios/section/topologies"
	"starling/scenarios/study"
)

// auditedHorizons are the horizons of the first audits, in releases. The first goes up to the first release
// that depends on data where the release before it is public: this release falls the furthest
// short if it has the noise of the step after. The second has two releases more. The loss of
// longer runs grows beyond the reach of samples.
var auditedHorizons = []int{2, 4}

// auditedNodes is the number of nodes of an audit if its scenario has more, unless the topology
// allows no other number. auditedOthers and laterOthers are the numbers of nodes other than
// the audited one whose noise is compared with the stated noise: in audits of the first steps
// and of later steps.
const (
	auditedNodes  = 16
	auditedOthers = 7
	laterOthers   = 2
)

// Preparer reads and checks an arm. With faults the first result is nil.
type Preparer func(b *study.Builder, arm *study.Arm, f *study.ArmFile) (*Equals, study.Nodes, error)

// Family is the piece of an algorithm of equals in the catalog: a Preparer with the mechanisms
// that it takes.
type Family struct {
	Preparer
	Mechanisms kind.Want
}

// Traits implements study.Algorithm.
func (f Family) Traits() study.Traits {
	return study.Traits{Problems: TakesCosts, Mechanisms: f.Mechanisms, Topologies: topologies.TakesEquals, Compresses: true, SupportsAdversaries: true}
}

// Build implements the method of study.Algorithm.
func (prepare Preparer) Build(b *study.Builder, arm *study.Arm, f *study.ArmFile) (study.Plan, study.Nodes, error) {
	e, nodes, err := prepare(b, arm, f)
	if e == nil {
		return nil, nodes, err
	}
	return e, nodes, err
}

// Audit implements auditing.Auditable. It runs the plan with all costs of a node replaced by
// linear ones of slope theta or -theta, at the first steps and around the part that window
// finds.
func (prepare Preparer) Audit(b *study.Builder, v study.Variant) (runs []*auditing.Run, err error) {
	f, _ := study.DecodeFile(v.Document)
	var scanned *Equals // nil where nodes send nothing
	look := func(e *Equals) (_ []*auditing.Run, err error) { scanned = e; return nil, nil }
	if _, err := prepare.small(b, v, scannedSteps(f), look); err != nil || scanned == nil {
		return nil, err
	}
	for _, horizon := range scanned.horizons() {
		more, err := prepare.small(b, v, horizon, (*Equals).first)
		if err != nil {
			return nil, err
		}
		if runs = append(runs, more...); !more[0].Private {
			return runs, nil
		}
	}
	parts, err := scanned.windows()
	for _, at := range parts {
		more, err := prepare.small(b, v, at.end, func(e *Equals) ([]*auditing.Run, error) { return e.audit(at) })
		if err != nil {
			return runs, err
		}
		runs = append(runs, more...)
	}
	return runs, err
}

// horizons are the horizons of the first audits, which end with the releases that
// auditedHorizons counts.
func (e *Equals) horizons() (list []int) {
	sends := e.dearest().Sends
	if sends == nil {
		return auditedHorizons
	}
	count := 0
	for step := 1; step <= e.File.Horizon && len(list) < len(auditedHorizons); step++ {
		if sends(step) {
			count++
		}
		if count == auditedHorizons[len(list)] {
			list = append(list, step)
		}
	}
	if list == nil {
		list = []int{e.File.Horizon}
	}
	return list
}

// small makes audits of a number of steps. A scenario of many nodes is audited with fewer,
// which takes less time and shows as much of one node. Where its topology or its data allow no
// other number of nodes, the audit has all of them.
func (prepare Preparer) small(b *study.Builder, v study.Variant, horizon int, audits func(*Equals) ([]*auditing.Run, error)) ([]*auditing.Run, error) {
	values := []string{"horizon", strconv.Itoa(horizon)}
	if f, _ := study.DecodeFile(v.Document); f.Nodes > auditedNodes {
		a, err := auditing.Resized(b.Kinds, v, append(values, "nodes", strconv.Itoa(auditedNodes))...)
		if err != nil {
			return nil, err
		}
		if runs, err := prepare.audited(study.Renewed(b), a, audits); err == nil {
			return runs, nil
		}
	}
	a, err := auditing.Resized(b.Kinds, v, values...)
	if err != nil {
		return nil, err
	}
	return prepare.audited(study.Renewed(b), a, audits)
}

// audited reads an arm at the size of an audit, plans it as a study does, and makes its
// audits: on the network of the arm, with its liars.
func (prepare Preparer) audited(b *study.Builder, f *study.ArmFile, audits func(*Equals) ([]*auditing.Run, error)) ([]*auditing.Run, error) {
	var found study.Faults
	arm, err := auditing.SmallArm(b, f)
	found.Note(err)
	liars, err := networks.BuildAdversaries(b.Kinds, f.Adversaries, f.Nodes)
	switch found.Note(err); {
	case liars == nil:
	case liars.Count >= f.Nodes: // the arm itself may have more nodes
		found.At("adversaries", "all nodes are Byzantine: %d of %d", liars.Count, f.Nodes)
	default:
		arm.Adversaries = liars.Draw(f.Nodes, f.Seeds.Base)
	}
	e, nodes, err := prepare(b, arm, f)
	if found.Note(err) {
		found.Note(arm.Effects.Time(nodes.Topology.Ticking(), nodes.Topology.Ticks))
	}
	if err := auditing.CannotShrink(f, found.Err()); err != nil {
		return nil, err
	}
	arm.Nodes = nodes
	arm.Extent, arm.Privacy = e.Extent(), e.Privacy()
	if e.Silent {
		return nil, nil
	}
	if e.Accumulates {
		if e.graphs, err = nodes.Topology.Sequence(f.Seeds.Base); err != nil {
			return nil, err
		}
	}
	if arm.Privacy.Accounts, err = study.OwnDeltas(b, arm, f.Doc); err != nil {
		return nil, err
	}
	if err := study.OwnBudgets(b, arm, f.Doc); err != nil {
		return nil, err
	}
	if e.stops, err = e.stopping(); err != nil {
		return nil, err
	}
	return audits(e)
}

// stopping returns the steps in which the arm's budget ends the part of nodes, as in a study:
// by the payments for noise of the stated scale, whatever the scale of the drawn noise.
func (e *Equals) stopping() (auditing.Stops, error) {
	b := e.File.Budget
	if !b.Limits() || b.On != ledger.BudgetStop || !e.Calibration.Private() {
		return nil, nil
	}
	budget, err := study.LimitOf(b, &e.Arm.Privacy)
	if err != nil {
		return nil, err
	}
	r, _, err := e.canaries(&window{end: e.File.Horizon})
	if err != nil {
		return nil, err
	}
	return r.Ending(budget, e.File.Seeds.Base)
}

// first audits the first steps of the arm, which is small. It audits the first node that does
// not lie and is not down in any of them.
func (e *Equals) first() ([]*auditing.Run, error) {
	at := &window{end: e.File.Horizon}
	network, err := e.network()
	if err != nil {
		return nil, err
	}
	at.node = e.present(network, at)
	return e.audit(at)
}

// present returns the first node that does not lie, has noise and is not down in a part, or else
// the first that does not lie and has noise, or that does not lie.
func (e *Equals) present(network algorithm.Network, at *window) messages.NodeID {
	if ends, ok := network.(*ending); ok {
		network = ends.Network
	}
	honest := e.honest(e.File.Nodes)
	if noised := slices.DeleteFunc(slices.Clone(honest), func(node messages.NodeID) bool { return e.Levels.Noiseless(int(node)) }); len(noised) > 0 {
		honest = noised
	}
	for _, node := range honest {
		if stays(network, node, max(1, at.from), at.end) {
			return node
		}
	}
	return honest[0]
}

// audit makes the audits of a part of the arm, by observer. On one side all costs of a node
// are linear with slope theta along a course, on the other side with slope -theta. Both have
// gradients of the length that the noise rests on, and lie 2 theta apart. If the part names no
// course, the audit takes the course that moves the node's messages the furthest.
func (e *Equals) audit(at *window) ([]*auditing.Run, error) {
	r, c, err := e.canaries(at)
	if err != nil {
		return nil, err
	}
	switch {
	case at.course != nil:
		*c = *at.course
	case r.Private:
		network, err := e.network()
		if err != nil {
			return nil, err
		}
		if err := e.furthest(r, c, network); err != nil {
			return nil, err
		}
	}
	r.Beyond = at.beyond
	if c.signs != nil {
		r.Inputs += ", with signs that alternate"
	}
	switch {
	case math.IsInf(at.beyond, 1):
		r.Inputs += ": they move what has no noise"
	case at.beyond > 0:
		r.Inputs += fmt.Sprintf(": they move a release %.4g times as far as is stated", at.beyond)
	case at.noise:
		r.Inputs += ": there is noise that looks other than stated"
	}
	return e.seenBy(r)
}

// auditedDelta is the delta of an audit of a node: its own, where nodes have their own.
func (e *Equals) auditedDelta(node messages.NodeID) float64 {
	if a := e.Arm.Privacy.Accounts; len(a) > 0 && a[0].Own != nil {
		return a[0].DeltaOf(int(node))
	}
	return e.Delta
}

// canaries returns an audit of a part of the arm, and the course of its canary, which the
// caller may set before the audit runs.
func (e *Equals) canaries(at *window) (*auditing.Run, *course, error) {
	r := &auditing.Run{
		Node: at.node, From: at.from, Mechanism: fmt.Sprintf("%s, %d steps", e.mechanism(), e.File.Horizon),
		Inputs: "all costs of one node, linear of slope theta or -theta",
		Delta:  e.auditedDelta(at.node), Claimed: e.Claimed.Text, Private: e.Calibration.Private(),
		OneEach: e.Sums, Unheard: e.Accumulates, Bare: true, Stops: e.stops,
	}
	others := auditedOthers
	if at.from > 0 {
		others = laterOthers
		r.Mechanism = fmt.Sprintf("%s, steps %d to %d", e.mechanism(), at.from, at.end)
		r.Inputs = fmt.Sprintf("all costs of node %d from step %d on, linear of slope theta or -theta", at.node+FirstLabel, at.from)
	}
	for _, node := range e.honest(others + 1) {
		if node != at.node && len(r.Others) < others {
			r.Others = append(r.Others, node)
		}
	}
	d := draw{seed: e.File.Seeds.Base}
	var err error
	if d.graphs, err = e.Nodes.Topology.Sequence(d.seed); err != nil {
		return nil, nil, err
	}
	instance, err := e.Nodes.Problem.Draw(d.seed, e.File.Horizon)
	if err != nil {
		return nil, nil, err
	}
	network := cache.NewRecent[struct{}, algorithm.Network](1)
	heard := cache.NewRecent[struct{}, *hearing](1)
	r.Noise = func(at auditing.Place) auditing.Noise {
		return e.stated(heard.Get(struct{}{}, func() *hearing {
			return e.hearing(d.graphs, network.Get(struct{}{}, func() algorithm.Network { return nil }))
		}), at)
	}
	c := &course{slope: make([]float64, e.Nodes.Problem.Dim()), from: at.from}
	if e.Feedback != nil {
		c.turning = e.turning(d.seed, r.Node)
	}
	costs := e.told(instance, d.seed)
	sides := [2]*canary{newCanary(costs, r.Node, 1, c), newCanary(costs, r.Node, -1, c)}
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
		// Consequences of a release follow from its compressed form, as in a study. The
		// comparison is of the release itself.
		if wires := e.Arm.Wire; wires.Compresses() {
			run.Wire = &algorithm.Encoding{Codec: wires.Codec, Keep: true, Local: wires.Local}
		}
		run.Gathers = run.Gathers || side.desks != nil
		run.Adversaries = e.Arm.Adversaries.Run(0, e.Arm.Extent.Clear)
		affected, err := auditing.AffectAudited(e.Arm, &run, 0)
		if err == nil {
			network.Get(struct{}{}, func() algorithm.Network { return affected.Network }) // the same in all runs
		}
		return affected, err
	}
	return r, c, nil
}

// honest returns the first nodes that do not lie, at most most of them.
func (e *Equals) honest(most int) (list []messages.NodeID) {
	liars := e.Arm.Adversaries.IDs(0)
	for node := messages.NodeID(0); int(node) < e.File.Nodes && len(list) < most; node++ {
		if !slices.Contains(liars, node) {
			list = append(list, node)
		}
	}
	return list
}

// mechanism names the noise.
func (e *Equals) mechanism() string {
	switch {
	case !e.Calibration.Private():
		return "none"
	case e.Mechanism != "":
		return e.Mechanism
	}
	return e.Calibration.Law.String()
}

// stated returns the stated noise of a vector, in the runs of a hearing.
func (e *Equals) stated(h *hearing, at auditing.Place) auditing.Noise {
	mechanism, _, _ := e.noiseIn(e.File.Seeds.Base, at.Node, at.Step)
	if e.Accumulates {
		mechanism, _, _ = h.release(at.Node, at.Step)
	} else if at.Begins && e.Start != nil {
		mechanism = e.Start(at.Node, at.Step)
	}
	scale := mechanism.Scale
	if e.Sums { // a message adds this to its link
		scale *= at.Weight
	}
	return auditing.Noise{Law: e.Calibration.Law, Scale: scale, Length: e.Noised}
}
