package dpdonc

import (
	"fmt"

	"starling/actors/algorithm"
	"starling/actors/algorithm/dpdonc"
	"starling/actors/algorithm/inbox"
	"starling/actors/algorithm/mirror"
	"starling/actors/topology"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/gossip"
	"starling/scenarios/metric"
	"starling/scenarios/section/mechanisms"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// section is the algorithm section of DPDO-NC.
type section struct {
	Kind       string            `yaml:"kind,required"`
	Divergence *document.Node    `yaml:"divergence,required" doc:"Bregman divergence D_phi of the mirror step"`
	Step       stepSection       `yaml:"step" doc:"step size alpha_t"`
	Positivity dpdonc.Positivity `yaml:"positivity" oneof:"clip-mean dual-average" doc:"how noisy points are made positive for the entropy divergence: clip-mean raises the entries of their mean to the floor, dual-average averages logarithms of raised entries"`
	Consensus  dpdonc.Consensus  `yaml:"consensus" oneof:"average push-sum" doc:"how messages are made one: average sums them with doubly stochastic weights, as the paper does, push-sum divides by a mass that is sent along, for weights that are column stochastic only (uniform-out), and leaves the paper"`
	Floor      float64           `yaml:"floor" over:"0" under:"1" says:"floor %v" unit:"none" doc:"smallest entry that positivity leaves; only the entropy divergence uses it"`
	Common     gossip.Common     `yaml:",inline"`
}

// stepSection is alpha_t = scale/(N sqrt t), the paper's with a scale of 1.
type stepSection struct {
	Scale   float64 `yaml:"scale" role:"rate" over:"0" says:"step size scale %v" unit:"step size" doc:"alpha_t = scale/(N sqrt t)"`
	PerNode bool    `yaml:"per_node" doc:"divide by N, as the paper does; false leaves N out"`
}

// Defaults returns the section algorithm of dpdonc with the defaults of its keys.
func Defaults() section {
	return section{
		Step:       stepSection{Scale: 1, PerNode: true},
		Positivity: dpdonc.ClipMean,
		Consensus:  dpdonc.ConsensusAverage,
		Floor:      entropyFloor,
		Common:     gossip.DefaultCommon(),
	}
}

// entropyFloor is the default of algorithm.floor.
const entropyFloor = 1e-6

// Metrics lists the metrics that runs may record.
func Metrics() metric.List { return metric.Join(gauge.RegretMetrics(), gauge.OfEffects()) }

// Family builds and audits arms.
var Family = gossip.Family{Preparer: prepare, Mechanisms: gossip.TakesNoise}

// prepare reads and checks an arm with its network and problem.
func prepare(b *study.Builder, arm *study.Arm, a *study.ArmFile) (*gossip.Equals, study.Nodes, error) {
	var found study.Faults
	mechanism, err := gossip.ReadMechanism(a, "dpdonc")
	found.Note(err)
	s := Defaults()
	found.Note(document.Decode(a.Algorithm, &s))
	var divergence mirror.Divergence
	if s.Divergence != nil {
		divergence, err = problems.BuildDivergence(a.Kinds, s.Divergence)
		found.Note(err)
	}
	faulty := len(found) > 0
	nodes, err := study.BuildNodes(b, a, s.weights())
	found.Note(err)
	found.Note(s.Common.Sums(arm, true)) // the options know of push-sum
	combine, err := s.Common.Combining(arm, nodes.Topology, a, "")
	found.Note(err)
	found.Note(s.Common.Served(arm, nodes.Topology, combine))
	if faulty || nodes.Problem == nil || a.Mechanism == nil || !found.Note(s.Common.Ready(nodes.Problem.Set())) || !found.Note(s.Common.Bounded(nodes.Problem)) {
		return nil, nodes, found.Err()
	}
	options := s.options(&nodes, a, divergence)
	options.Noise, options.Combine, options.KeepsOwn = mechanism.Schedule, combine, gossip.Awaits(arm, nodes.Topology)
	could := options.Divergence.Kind() == mirror.KindEuclidean
	options.Accumulates = could && s.Common.Accumulates(arm, &nodes, combine)
	timing := gossip.TimingOf(options.Accumulates, &nodes, a, 2) // x_1 is public
	releases := a.Horizon - 1
	if options.Accumulates {
		releases = timing.Releases()
	} else {
		found.Note(gossip.CheckSchedule("dpdonc", "moves of several steps add up only for the Euclidean divergence", could, nodes.Topology))
	}
	options.Calibration = mechanism.Over(releases)
	var levels *mechanisms.Levels
	if mechanism.Varies() {
		if levels, err = gossip.LevelsOf(b, a, &mechanism, &nodes, timing); !found.Note(err) {
			return nil, nodes, found.Err()
		}
		unscaled := options.Calibration.Level
		options.Vary = func(c noise.Calibration, node, step int) noise.Calibration {
			return levels.At(c, unscaled/c.Level, node, step)
		}
	}
	// dpdonc.New would check the same, and make all machines.
	if _, err := mirror.NewSolver(options.Divergence, options.Set); err != nil {
		found.Note(a.ResolveSolver(err))
		return nil, nodes, found.Err()
	}
	if !found.Note(study.OptionFaults(options.Validate())) || len(found) > 0 {
		return nil, nodes, found.Err()
	}
	e := &gossip.Equals{
		Arm: arm, File: a, Nodes: nodes, Combine: combine, Calibration: options.Calibration, Mechanism: noiseOf(&options), Delta: mechanism.Delta, By: mechanism.Accountant, Theta: options.Theta, Feedback: s.Common.Bandit(),
		Levels: levels, Release: func(node messages.NodeID, step int) (noise.Additive, noise.Moves) {
			return options.ReleaseOf(int(node), step)
		}, Noised: nodes.Problem.Dim(), Sums: options.Missing == inbox.MissingRunningSum, Start: func(node messages.NodeID, step int) noise.Additive { return options.ReleaseStartOf(int(node), step) }, Public: dpdonc.PublicStart,
		Rule: func(seed uint64) *inbox.Rule {
			o := options
			o.Start = s.Common.StartOf(nodes.Problem, seed)
			return o.Rule()
		},
		Machines: func(seed uint64, noised float64) ([]algorithm.Machine, error) {
			o := options
			o.Start = s.Common.StartOf(nodes.Problem, seed)
			o.Calibration = o.Calibration.Scaled(noised)
			return dpdonc.New(o)
		},
		Accumulates: options.Accumulates, Could: could, Timing: timing,
		Claimed: claimOf(&options, a.Horizon), Shown: "decision",
		MoreNotes: func(j *study.Job) ([]study.Note, []study.Warning) {
			return s.theorem2(options, arm, a.Horizon, j), pushSumWarnings(&options, j)
		},
	}
	if options.Accumulates {
		e.AccountNamed()
	}
	return e, nodes, nil
}

// weights returns the algorithm's demand on weights.
func (s *section) weights() topology.Demand {
	if s.Consensus == dpdonc.ConsensusPushSum {
		return topology.PushSum
	}
	return topology.DoublyStochastic
}

// options returns the options of the algorithm, without its noise.
func (s *section) options(nodes *study.Nodes, a *study.ArmFile, divergence mirror.Divergence) dpdonc.Options {
	bound := s.Common.Bound(nodes.Problem)
	return dpdonc.Options{
		Nodes:       a.Nodes,
		Divergence:  divergence,
		Set:         s.Common.Set(nodes.Problem.Set()),
		Step:        dpdonc.StepSize{Scale: s.Step.Scale, Unscaled: !s.Step.PerNode},
		Theta:       bound.Theta,
		Bound:       bound.On,
		Start:       s.Common.StartOf(nodes.Problem, a.Seeds.Base),
		Positivity:  s.Positivity,
		Consensus:   s.Consensus,
		AverageRows: nodes.Topology != nil && nodes.Topology.Demand(nodes.Weights).Rows,
		Missing:     s.Common.Missing,
		Late:        s.Common.Late,
		Floor:       s.Floor,
		Moves:       a.Measure.Moves,
		// Noise is independent between arms; data are shared.
		NoisePurpose: rng.PurposeOf("dpdonc.noise"),
	}
}

// noiseOf names the noise of an audit.
func noiseOf(o *dpdonc.Options) string {
	if law := o.Calibration.Law; law != nil && (law == noise.LaplaceLaw || o.Noise != dpdonc.Shifted) {
		return fmt.Sprintf("%v %s", law, o.Noise)
	}
	return ""
}
