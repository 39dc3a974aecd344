package gossip

import (
	"cmp"
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/messages"
	"starling/scenarios/auditing"
	"starling/scenarios/study"
)

// window is the part of a run that an audit covers.
type window struct {
	node messages.NodeID // the audited one
	// from is the first step with data that the canary changes, and end is the last step of the
	// audit. from is 0 in an audit of all steps up to end.
	from, end int
	course    *course // of the canary; nil means the furthest
	// beyond is the distance that the canary moves a release, over the stated distance; 0
	// where it moves no release beyond the stated distance.
	beyond float64
	// noise means that the noise of the part seems to differ from the stated noise.
	noise bool
}

// Limits of the first look at an arm, which draws few outcomes. It covers the steps that make
// scannedTurns turns of nodes, but at most mostScanned steps, and scannedNodes of the nodes
// that are down at times. An audit of correct code after an outage has at most mostLater
// steps.
const (
	scannedTurns = 1 << 14
	mostScanned  = 64
	scannedNodes = 4
	mostLater    = 32
)

// noiseSteps is the number of steps of an audit of noise that seems to differ from the stated
// noise.
const noiseSteps = 4

// exceeds is a tolerance for errors of rounding: the least distance that a release moves, over
// the stated distance, that counts as beyond it.
const exceeds = 1 + 1e-6

// scannedSteps is the number of steps of the first look at an arm.
func scannedSteps(f study.File) int {
	return min(f.Horizon, max(scannedTurns/max(1, f.Nodes), auditedHorizons[0]), mostScanned)
}

// windows returns the parts of the arm, after its first steps, that are worth an audit.
func (e *Equals) windows() (list []*window, err error) {
	if !e.Calibration.Private() {
		return nil, nil
	}
	network, err := e.network()
	if err != nil {
		return nil, err
	}
	for _, find := range []func(algorithm.Network) (*window, error){e.window, e.otherNoise} {
		at, err := find(network)
		if err != nil {
			return nil, err
		}
		if at != nil {
			list = append(list, at)
		}
	}
	return list, nil
}

// window returns the part of the arm in which a canary moves a release the furthest beyond the
// stated distance, with all earlier releases unchanged. It is found exactly, from one run and
// its shadows. If no release moves beyond the stated distance, the result is the part around
// the first release after an outage in which others were due; nil means none.
func (e *Equals) window(network algorithm.Network) (*window, error) {
	var best *window
	most, h := exceeds, e.listening(network)
	for _, node := range e.scanned(network) {
		at := &window{node: node, end: e.File.Horizon}
		r, c, err := e.canaries(at)
		if err != nil {
			return nil, err
		}
		for _, *c = range e.courses(c, e.signs(node, network)) {
			moved, err := e.moved(r)
			if err != nil {
				return nil, err
			}
			for step := 1; step <= at.end; step++ {
				if ratio := moved[step] / e.statedMove(h, node, step); ratio > float64(most*exceeds) {
					way := *c
					most, best = ratio, &window{node: node, end: step, course: &way, beyond: ratio}
				}
			}
		}
	}
	if best == nil {
		return e.afterOutage(network), nil
	}
	return best, e.place(best, network)
}

// ending is a network in which a budget ends the part of nodes: they take part no more.
type ending struct {
	algorithm.Network // nil is ideal
	stops             auditing.Stops
}

// Up implements algorithm.Network.
func (n *ending) Up(node messages.NodeID, turn int) bool {
	stop, ends := n.stops[node]
	return !(ends && turn >= stop-1) && (n.Network == nil || n.Network.Up(node, turn))
}

// Restarts implements algorithm.Network.
func (n *ending) Restarts(node messages.NodeID, turn int) bool {
	return n.Network != nil && n.Network.Restarts(node, turn)
}

// network returns the network of the arm's audits; nil is ideal.
func (e *Equals) network() (algorithm.Network, error) {
	effects, err := e.effects()
	if err != nil || len(e.stops) == 0 {
		return effects, err
	}
	return &ending{effects, e.stops}, nil
}

// effects returns the effects of the arm's network; nil is ideal.
func (e *Equals) effects() (algorithm.Network, error) {
	if e.Arm.Effects == nil {
		return nil, nil
	}
	r, _, err := e.canaries(&window{end: e.File.Horizon})
	if err != nil {
		return nil, err
	}
	run, err := r.Run(e.File.Seeds.Base, false, 0)
	if err != nil {
		return nil, err
	}
	return byStep(run.Network), nil
}

// up reports whether a node takes part in a step, from 1, in a network.
func up(network algorithm.Network, node messages.NodeID, step int) bool {
	return network == nil || network.Up(node, step-1)
}

// stays reports whether a node is up in all steps of a part.
func stays(network algorithm.Network, node messages.NodeID, from, end int) bool {
	for step := from; step <= end; step++ {
		if !up(network, node, step) {
			return false
		}
	}
	return true
}

// due reports whether nodes that are up make a release in a step, one that data move.
func (e *Equals) due(step int) bool {
	_, moves := e.Release(0, step)
	return !moves.None()
}

// scanned returns the nodes to look at: the nodes that have missed the most releases when they
// make one, or else the first.
func (e *Equals) scanned(network algorithm.Network) []messages.NodeID {
	type missing struct {
		node  messages.NodeID
		count int
	}
	honest := e.honest(scannedTurns)
	var list []missing
	for _, node := range honest {
		m := missing{node: node}
		for away, step := 0, 1; step <= e.File.Horizon; step++ {
			switch here := up(network, node, step); {
			case !e.due(step):
			case here:
				m.count, away = m.count+away, 0
			default:
				away++
			}
		}
		if m.count > 0 {
			list = append(list, m)
		}
	}
	slices.SortStableFunc(list, func(a, b missing) int { return cmp.Compare(b.count, a.count) })
	var nodes []messages.NodeID
	for _, m := range list[:min(len(list), scannedNodes)] {
		nodes = append(nodes, m.node)
	}
	if nodes == nil {
		return honest[:1]
	}
	return nodes
}

// afterOutage returns the part around the first release of a node that has missed one, for the
// node with the part that ends first. The part contains one release before the outage, and ends
// with the release after the first. nil means none.
func (e *Equals) afterOutage(network algorithm.Network) (first *window) {
	h := e.listening(network)
	for _, node := range e.scanned(network) {
		var made []int // steps of releases
		missed, back := false, -1
		for step := 1; step <= min(e.File.Horizon, mostLater); step++ {
			switch {
			case !e.due(step):
			case !up(network, node, step):
				missed = true
			case !h.makes(node, step):
			default:
				if missed && back < 0 {
					back = len(made)
				}
				made = append(made, step)
			}
		}
		if back < 0 {
			continue
		}
		end := made[min(back+1, len(made)-1)]
		if first == nil || end < first.end {
			first = &window{node: node, from: begins(made[:back+1], 2), end: end}
		}
	}
	return first
}

// begins returns the first step of a part that has the last few of some releases, given by
// their steps.
func begins(made []int, last int) int {
	if k := len(made) - 1 - last; k >= 0 {
		return made[k] + 1
	}
	return 1
}

// place chooses the first and last step of a part with a release that moves beyond the stated
// distance. At first it is the part's last release. The choice maximizes the excess of all
// releases of the part, as far as an audit can see it.
func (e *Equals) place(at *window, network algorithm.Network) error {
	h := e.listening(network)
	var made []int
	for step := 1; step <= at.end; step++ {
		if e.due(step) && up(network, at.node, step) && h.makes(at.node, step) || step == at.end {
			made = append(made, step)
		}
	}
	most, best := math.Inf(-1), *at
	for last := 1; last < 2*len(made); last *= 2 {
		part := &window{node: at.node, from: begins(made, last), end: e.File.Horizon}
		r, c, err := e.canaries(part)
		if err != nil {
			return err
		}
		*c = *at.course
		c.from = part.from
		moved, err := e.moved(r)
		if err != nil {
			return err
		}
		var found, stated float64
		for step := part.from; step <= part.end; step++ {
			found = e.compose(found, moved[step])
			if up(network, at.node, step) {
				stated = e.compose(stated, e.statedMove(h, at.node, step))
			}
			if step < at.end {
				continue
			}
			if value := visible(found, stated); value > most {
				most, best = value, window{node: at.node, from: part.from, end: step, course: c, beyond: at.beyond}
			}
		}
	}
	*at = best
	return nil
}

// visible is roughly how well an audit can distinguish releases that move by found from
// releases that move by stated, in units of their noise. The larger a loss, the more outcomes
// a bound on it takes.
func visible(found, stated float64) float64 {
	if math.IsInf(found, 1) {
		return found
	}
	return (found - stated) / (1 + float64(found*found/4))
}

// compose returns the joint distance of releases, in the norm of the law.
func (e *Equals) compose(all, one float64) float64 {
	return e.Calibration.Law.Norm().Compose(all, one)
}

// statedMove is the stated distance that data move the release of a node in a step, over the
// scale of its noise, in the norm of the law; 0 where it makes none. h is nil unless nodes
// accumulate.
func (e *Equals) statedMove(h *hearing, node messages.NodeID, step int) float64 {
	own, moves, _ := e.noiseIn(e.File.Seeds.Base, node, step)
	if h != nil {
		own, moves, _ = h.release(node, step)
	}
	if moves.None() {
		return 0
	}
	return e.Calibration.Law.Norm().Of(moves) / own.Scale
}

// moved returns, by step, the distance that the canary moves the node's release, over the
// scale of its noise, in the norm of the law, in a run with noise. It is infinite where an
// entry without noise moves.
func (e *Equals) moved(r *auditing.Run) ([]float64, error) {
	alone := *r
	alone.Others = nil
	o, err := alone.Observe(e.File.Seeds.Base, false, 1)
	if err != nil {
		return nil, err
	}
	list := make([]float64, e.File.Horizon+1)
	for i := range o.Releases {
		release := &o.Releases[i]
		for _, v := range release.Moved {
			list[release.Step] = e.compose(list[release.Step], math.Abs(v))
		}
		if list[release.Step] < negligible {
			list[release.Step] = 0
		}
	}
	for _, step := range o.Bare {
		list[step] = math.Inf(1)
	}
	return list, nil
}

// negligible is the distance that rounding may move a release, over the scale of its noise.
const negligible = 1e-9

// otherNoise returns the part of the arm, among the steps that no other audit covers, whose
// noise is the furthest from the stated noise; nil means none.
func (e *Equals) otherNoise(network algorithm.Network) (*window, error) {
	at := &window{node: e.scanned(nil)[0], end: e.File.Horizon}
	r, _, err := e.canaries(at)
	if err != nil {
		return nil, err
	}
	seen, err := e.seenBy(r)
	if err != nil {
		return nil, err
	}
	horizons := e.horizons()
	first := horizons[len(horizons)-1] + 1
	from, who, err := seen[0].OtherNoise(e.File.Seeds.Base, e.Calibration.Law, e.Noised, first, at.end)
	if err != nil || from == 0 {
		return nil, err
	}
	part := &window{node: who, from: from, end: min(from+noiseSteps-1, at.end), noise: true}
	if who < 0 || !stays(network, who, part.from, part.end) {
		part.node = e.present(network, part)
	}
	return part, nil
}
