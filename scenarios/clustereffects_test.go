package scenarios_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"starling/actors/network"
	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios"
	"starling/scenarios/gauge"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
	"starling/scenarios/testneeds"
)

// unsteady is a topology of two clusters of complete graphs, four nodes and two, with exchanges
// through edge servers in steps 2, 4, .. and through the cloud in steps 5, 10, ..
const unsteady = "topology={kind: clusters, sizes: [4, 2], inside: {kind: complete, self_loops: true}, edge: {every: 2}, cloud: {every: 5}}"

// clusterEffects are networks that act on clusters, by name.
var clusterEffects = map[string]string{
	"loss":      "{kind: effects, loss: {probability: 0.3}}",
	"bursts":    "{kind: effects, loss: {enter: 0.2, leave: 0.4, bad: 0.9}}",
	"delay":     "{kind: effects, delay: {longest: 2}}",
	"late":      "{kind: effects, delay: {turns: 1}}",
	"edges":     "{kind: effects, delay: {edges: [{from: 1, to: 7, turns: 1}, {from: 7, to: 2, turns: 2}, {from: 9, to: 8, turns: 1}]}}",
	"churn":     "{kind: effects, patience: 2, churn: {fail: 0.2, recover: 0.5}}",
	"forget":    "{kind: effects, churn: {fail: 0.2, recover: 0.5, forget: true}, delay: {arrive: 0.6, longest: 3}}",
	"servers":   "{kind: effects, events: [{at: 3, until: 7, crash: [7]}, {at: 10, until: 11, crash: [9]}]}",
	"partition": "{kind: effects, events: [{at: 3, until: 9, partition: [[1, 2, 7], [3, 4, 5, 6, 8, 9]]}]}",
	"straggle":  "{kind: effects, patience: 1, loss: {probability: 0.1}, events: [{at: 2, until: 9, straggle: [2, 7], turns: 2}, {at: 4, join: [5]}]}",
}

// letter is a vector on its way, in a plain loop.
type letter struct {
	from, to, sent, due int
	weight              float64
	values              []float64
}

// TestClustersLoseAsALoop: a plain loop makes the decisions of networks with effects. It has no turns,
// only steps: it sends vectors to lists, takes sums of lists, and asks the effects of steps for the
// fate of each vector.
func TestClustersLoseAsALoop(t *testing.T) {
	for name, effects := range clusterEffects {
		for _, common := range []string{"missing: drop", "missing: renormalise", "missing: renormalise, late: drop"} {
			t.Run(name+", "+common, func(t *testing.T) {
				s := loadText(t, clustered, "mechanism={kind: none}", unsteady, "network="+effects, "algorithm={kind: dsgd, learning_rate: 0.3, "+common+"}")
				got, j := scenariotest.Decide(t, s)
				for node, list := range loop(j, j.Run.Network.(*network.ByStep).Steps(), common) {
					if len(list) != len(got[messages.NodeID(node)]) {
						t.Fatalf("node %d decides %d times, want %d", node, len(got[messages.NodeID(node)]), len(list))
					}
					for k, x := range list {
						if far := scenariotest.Far(x, got[messages.NodeID(node)][k]); !(far <= 1e-12) {
							t.Fatalf("decision %d of node %d is %v away", k, node, far)
						}
					}
				}
			})
		}
	}
}

// plainly is a plain loop over steps, for the topology unsteady: participants 6 and 7 are edge servers, and
// 8 is the cloud.
type plainly struct {
	j                       *study.Job
	effects                 *network.Effects
	renormalises, dropsLate bool
	own                     [6][]float64 // by node: the last vector that it has made
	mail                    []letter
}

// loop returns the decisions of each node, in the steps in which it is up.
func loop(j *study.Job, effects *network.Effects, common string) (x [6][][]float64) {
	p := &plainly{j: j, effects: effects, renormalises: strings.Contains(common, "renormalise"), dropsLate: strings.Contains(common, "late: drop")}
	for i := range p.own {
		p.own[i] = make([]float64, 3)
	}
	for step := 1; step <= 14; step++ {
		for i := range x {
			if p.up(i, step) {
				x[i] = append(x[i], p.decide(i, step))
			}
		}
		switch {
		case step%5 == 0:
			p.all(p.clusters(step), step)
		case step%2 == 0:
			for _, mean := range p.clusters(step) {
				p.below(mean.from, mean.values, step)
			}
		default:
			for _, cluster := range clustersOfSix {
				p.inside(cluster, step)
			}
		}
	}
	return x
}

var clustersOfSix = [][]int{{0, 1, 2, 3}, {4, 5}}

func (p *plainly) up(i, step int) bool { return p.effects.Up(messages.NodeID(i), step-1) }

// decide returns the decision of a node, and has it make its next vector.
func (p *plainly) decide(i, step int) []float64 {
	if p.effects.Restarts(messages.NodeID(i), step-1) {
		p.own[i] = make([]float64, 3)
	}
	var heard, rest []letter
	for _, l := range p.mail {
		switch {
		case l.to != i || l.due > step:
			rest = append(rest, l)
		case step > l.due+p.effects.Patience() || p.dropsLate && l.sent < step-1:
		default:
			heard = append(heard, l)
		}
	}
	p.mail = rest
	x := make([]float64, 3)
	if step > 1 {
		x = p.sum(heard, p.own[i])
		length := math.Hypot(math.Hypot(x[0], x[1]), x[2])
		for k := range x {
			x[k] /= max(1, length)
		}
	}
	g := make([]float64, 3)
	p.j.Run.Costs.Gradient(g, messages.NodeID(i), step, x)
	p.own[i] = make([]float64, 3)
	for k := range g {
		p.own[i][k] = x[k] - 0.3/math.Sqrt(float64(step))*g[k]
	}
	return x
}

// sum returns the sum of vectors, or own where there is none.
func (p *plainly) sum(list []letter, own []float64) []float64 {
	slices.SortFunc(list, func(a, b letter) int { return cmp.Or(a.from-b.from, a.sent-b.sent) })
	z, arrived := make([]float64, 3), 0.0
	for _, l := range list {
		arrived += l.weight
		for k := range z {
			z[k] += l.weight * l.values[k]
		}
	}
	if len(list) == 0 {
		copy(z, own)
	} else if p.renormalises {
		for k := range z {
			z[k] /= arrived
		}
	}
	return z
}

// passes reports whether a vector gets to a server in its step.
func (p *plainly) passes(from, to, step int) bool {
	late, lost := p.effects.Fate(messages.NodeID(from), messages.NodeID(to), step-1)
	return !lost && late == 0 && p.up(to, step)
}

// post sends a vector to a node.
func (p *plainly) post(from, to, step int, weight float64, values []float64) {
	if late, lost := p.effects.Fate(messages.NodeID(from), messages.NodeID(to), step-1); !lost {
		p.mail = append(p.mail, letter{from, to, step, step + 1 + late, weight, values})
	}
}

// inside has the nodes of a cluster send to each other.
func (p *plainly) inside(cluster []int, step int) {
	for _, i := range cluster {
		for _, to := range cluster {
			if p.up(i, step) {
				p.post(i, to, step, 1/float64(len(cluster)), p.own[i])
			}
		}
	}
}

// clusters returns the means of clusters, with their weights at the cloud.
func (p *plainly) clusters(step int) (means []letter) {
	for k, cluster := range clustersOfSix {
		var list []letter
		for _, i := range cluster {
			if p.up(i, step) && p.passes(i, 6+k, step) {
				list = append(list, letter{from: i, weight: 1 / float64(len(cluster)), values: p.own[i]})
			}
		}
		if list != nil {
			means = append(means, letter{from: 6 + k, weight: float64(len(cluster)) / 6, values: p.sum(list, nil)})
		}
	}
	return means
}

// all has the cloud return the mean of the means that reach it.
func (p *plainly) all(means []letter, step int) {
	means = slices.DeleteFunc(means, func(l letter) bool { return !p.passes(l.from, 8, step) })
	if len(means) == 0 {
		return
	}
	mean := p.sum(means, nil)
	for server := 6; server < 8; server++ {
		if p.passes(8, server, step) {
			p.below(server, mean, step)
		}
	}
}

// below has an edge server return a mean.
func (p *plainly) below(server int, mean []float64, step int) {
	for _, i := range clustersOfSix[server-6] {
		p.post(server, i, step, 1, mean)
	}
}

// TestClustersLoseOnce: every runtime, and a run that is resumed, has one digest.
func TestClustersLoseOnce(t *testing.T) {
	for name, effects := range clusterEffects {
		for rule, overrides := range map[string][]string{
			"drop":    {"algorithm.late=drop"},
			"scaled":  {"algorithm.missing=renormalise", "topology={kind: clusters, sizes: [4, 2], inside: {kind: path}, edge: {probability: 0.5}, cloud: {phases: [{from: 3, every: 4}]}}"},
			"hold":    {"algorithm.missing=hold"},
			"push":    {"algorithm={kind: sgp, missing: renormalise}"},
			"started": {"algorithm={kind: dpdonc, divergence: {kind: euclidean, scale: 0.5}}", "topology.schedule={every: 2}", "topology.edge={every: 3}"},
		} {
			if rule != "scaled" && name != "loss" && name != "forget" {
				continue // the rules meet losses, delays and nodes that are down in these
			}
			t.Run(name+", "+rule, func(t *testing.T) {
				s := loadText(t, clustered, append([]string{unsteady, "network=" + effects}, overrides...)...)
				digests, engines := map[string]string{}, scenariotest.Engines(s)
				for _, o := range []runner.RunOptions{engines[0], engines[3], engines[4]} { // lockstep, and few shards and many
					digests[metricsOf(t, s, o).Digest] = fmt.Sprintf("%+v", o)
				}
				if len(digests) != 1 {
					t.Errorf("digests %v", digests)
				}
				for _, pause := range []int{3, 5, 6} {
					sent, _ := scenariotest.SentBy(t, s, pause, 0, 5, 6, 8)
					whole, _ := scenariotest.SentBy(t, s, 0, 0, 5, 6, 8)
					if fmt.Sprint(sent) != fmt.Sprint(whole) {
						t.Errorf("other messages after the run is resumed after step %d", pause)
					}
				}
			})
		}
	}
}

// TestClustersLoseCount: messages, bytes, and messages that are lost and late agree with a count by hand,
// of nodes that are up and of servers that hear somebody.
func TestClustersLoseCount(t *testing.T) {
	for name, effects := range clusterEffects {
		t.Run(name, func(t *testing.T) {
			s := loadText(t, clustered, unsteady, "network="+effects)
			p := &plainly{j: scenariotest.JobOf(t, s)}
			p.effects = p.j.Run.Network.(*network.ByStep).Steps()
			for _, o := range scenariotest.SomeEngines(s) {
				rows := metricsOf(t, s, o).Rows
				sent, bytes := scenariotest.ValuesOf(rows, gauge.MessagesSent), scenariotest.ValuesOf(rows, gauge.BytesSent)
				lost, late := scenariotest.ValuesOf(rows, gauge.MessagesLost), scenariotest.ValuesOf(rows, gauge.MessagesLate)
				var want traffic
				for step := 1; step <= 14; step++ {
					want.add(p, step)
					if sent[step-1] != float64(want.sent) || bytes[step-1] != float64(want.sent*(5+3*8)) {
						t.Fatalf("%+v: %v messages of %v bytes by step %d, want %d", o, sent[step-1], bytes[step-1], step, want.sent)
					}
					if lost[step-1] != float64(want.lost) || late[step-1] != float64(want.late) {
						t.Fatalf("%+v: %v lost and %v late by step %d, want %d and %d", o, lost[step-1], late[step-1], step, want.lost, want.late)
					}
				}
			}
		})
	}
}

// traffic counts messages.
type traffic struct{ sent, lost, late int }

// add counts the messages of a step of the topology unsteady.
func (c *traffic) add(p *plainly, step int) {
	within := func(from, to int) bool { // a step
		c.sent++
		passes := p.passes(from, to, step)
		if !passes {
			c.lost++
		}
		return passes
	}
	last := func(from, to int) { // of a step
		c.sent++
		late, lost := p.effects.Fate(messages.NodeID(from), messages.NodeID(to), step-1)
		for waited := 0; !lost && !p.up(to, step+1+late) && step+1+late <= 14; waited++ {
			late, lost = late+1, waited == p.effects.Patience()
		}
		if lost {
			c.lost++
		} else if late > 0 && step+1+late <= 14 {
			c.late++
		}
	}
	toCloud, toEdge := false, [2]bool{}
	for k, cluster := range clustersOfSix {
		heard := false
		for _, i := range cluster {
			for _, to := range cluster {
				if p.up(i, step) && i != to && step%2 != 0 && step%5 != 0 {
					last(i, to)
				}
			}
			if p.up(i, step) && (step%2 == 0 || step%5 == 0) {
				heard = within(i, 6+k) || heard
			}
		}
		toEdge[k] = heard
		if heard && step%5 == 0 {
			toCloud = within(6+k, 8) || toCloud
		}
	}
	for k, cluster := range clustersOfSix {
		if step%5 == 0 {
			toEdge[k] = toCloud && within(8, 6+k)
		}
		for _, i := range cluster {
			if toEdge[k] {
				last(6+k, i)
			}
		}
	}
}

// TestClustersLosePay: a node pays for each release that it makes, whatever is lost of it, and no server
// pays.
func TestClustersLosePay(t *testing.T) {
	for name, effects := range clusterEffects {
		s := loadText(t, clustered, unsteady, "network="+effects)
		_, j := scenariotest.SentBy(t, s, 0, 0)
		steps := j.Run.Network.(*network.ByStep).Steps()
		rows := scenariotest.FinalRows(t, s.Arms[0], j)
		for node := range 6 {
			made := 0
			for step := range 14 {
				if steps.Up(messages.NodeID(node), step) {
					made++
				}
			}
			for _, observer := range []accountant.Observer{accountant.Wire, accountant.Peer, accountant.Public} {
				if epsilon := rows[observer][int32(node)+1]; math.Abs(epsilon-float64(made)) > 1e-9 {
					t.Errorf("%s: %s learns %v of node %d, want %d", name, observer, epsilon, node, made)
				}
			}
		}
		for server := messages.NodeID(6); server < 9; server++ {
			if _, paid := j.Meter.LastPaid(server); paid {
				t.Errorf("%s: server %d pays", name, server)
			}
		}
	}
}

// TestClustersLoseAudit: audits find the noise of nodes with vectors that are lost on the way to servers, and
// find when it is less.
func TestClustersLoseAudit(t *testing.T) {
	testneeds.Slow(t)
	for _, name := range []string{"loss", "forget", "servers"} {
		t.Run(name, func(t *testing.T) {
			scenariotest.AuditTells(t, loadText(t, clustered, unsteady, "network="+clusterEffects[name]), 2000)
		})
	}
}

// TestClustersLoseRefuses: an effect without a meaning is refused where it stands.
func TestClustersLoseRefuses(t *testing.T) {
	for _, test := range []struct{ set, want string }{
		{"network={kind: effects, loss: {probability: 0.1}, bandwidth: {bytes: 9, longest: 2}}", "network.bandwidth: a line on an edge moves on by the turn"},
		{"network={kind: effects, delay: {edges: [{from: 1, to: 10, turns: 1}]}}", "node 10 is not one of 1 to 9"},
		{"network={kind: effects, churn: {fail: 0.1, recover: 0.5, nodes: [11]}}", "node 11 is not one of 1 to 9"},
	} {
		_, err := scenarios.Load(scenariotest.File(t, clustered), parseSets(t, unsteady, test.set)...)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.set, err, test.want)
		}
	}
}
