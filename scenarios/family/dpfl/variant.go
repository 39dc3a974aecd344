package dpfl

import (
	"math"

	"starling/actors/algorithm"
	"starling/scenarios/auditing"
	"starling/scenarios/document"
	"starling/scenarios/federated"
	"starling/scenarios/section/mechanisms"
	"starling/scenarios/section/topologies"
	"starling/scenarios/study"
)

// Variant is one of the algorithms that run on the machines of DPFL.
type Variant struct {
	// name is the kind in the catalog, for error messages.
	name string
	// adaptive means ALI-DPFL: the server chooses tau. pooled means that one party has the
	// data of all clients.
	adaptive, pooled bool
	// silent means that there is no noise, for a baseline without noise in its paper.
	silent bool
	// read reads the section of the algorithm.
	read func(section *document.Node) (dpflSection, error)
	// audited are values that audits set in addition to the size of the run.
	audited []string
}

// The algorithms, for the catalog.
var (
	DPFL    = &Variant{name: "dpfl", read: readDPFL, audited: auditedKeys}
	ALIDPFL = &Variant{name: "ali-dpfl", adaptive: true, read: readDPFL, audited: auditedKeys}
	// FedAvg is federated averaging (McMahan, Moore, Ramage, Hampson, Aguera y Arcas,
	// AISTATS 2017): DPFL without noise and clipping. With mu > 0 it is FedProx (Li et
	// al., MLSys 2020), with local steps that are pulled back to the server's model.
	FedAvg = &Variant{name: "fedavg", read: readFedAvg, audited: []string{"algorithm.tau", "1", "topology", "{kind: star}"}, silent: true}
	// Central is gradient descent by one party that has the data of all clients, with noise
	// DP-SGD (Abadi et al., CCS 2016). It is the benchmark for federated learning.
	Central = &Variant{name: "central", pooled: true, read: readCentral}
)

// auditedKeys give audits rounds of one local step, and statistics of all samples.
var auditedKeys = []string{"algorithm.tau", "1", "algorithm.statistics_samples", "0"}

// Traits implements study.Algorithm. Several parties have a server between them, which goes on
// without some of their vectors. Clients of ali-dpfl send statistics beside vectors, which a
// codec would change.
func (v *Variant) Traits() study.Traits {
	t := study.Traits{Problems: federated.TakesCorpora, Mechanisms: federated.TakesSums, Topologies: topologies.TakesStar}
	if v.silent {
		t.Mechanisms = mechanisms.TakesNone
		t.Topologies = t.Topologies.Or(topologies.TakesTiers)
	}
	if !v.pooled {
		t.Links, t.SupportsMissing, t.Compresses = study.ServerLinks, true, !v.adaptive
	}
	return t
}

// Build implements study.Algorithm.
func (v *Variant) Build(b *study.Builder, arm *study.Arm, a *study.ArmFile) (study.Plan, study.Nodes, error) {
	if why := v.kit(a); why != "" {
		return v.buildKit(b, arm, a, why)
	}
	p, err := newPlan(b, arm, a, v, nil)
	if p == nil {
		return nil, study.Nodes{}, err
	}
	return p, study.Nodes{Topology: p.graphs}, err
}

// Audit implements auditing.Auditable. The errors come from the arm.
func (v *Variant) Audit(b *study.Builder, arm study.Variant) ([]*auditing.Run, error) {
	return auditLocalSGD(b, arm, v)
}

// readDPFL reads the section of dpfl and ali-dpfl, and reports all its faults together.
func readDPFL(section *document.Node) (dpflSection, error) {
	s := Defaults()
	return s, document.Decode(section, &s)
}

// data are the common keys of fedavg and central.
type data struct {
	LearningRate float64   `yaml:"learning_rate,required" role:"rate" over:"0" says:"learning rate %v" unit:"step size" doc:"step size of every step"`
	Samples      *int      `yaml:"samples" min:"1" max:"1000000" says:"%v samples" unit:"samples" doc:"samples of each client, the first that it has, which stay for the whole run; absent, 100 of a stream, and of images all"`
	Start        []float64 `yaml:"start" unit:"coordinates" range:"any numbers" doc:"initial model, d numbers; absent, zeros without hidden layers, and random weights with them"`
}

// fedAvgSection is the algorithm section of fedavg.
type fedAvgSection struct {
	Kind       string                `yaml:"kind,required"`
	Tau        int                   `yaml:"tau" min:"1" says:"%v local steps in a round" unit:"steps" doc:"local steps of a client in a round"`
	Batch      *int                  `yaml:"batch" min:"1" says:"a batch of %v" unit:"samples" doc:"expected size of a batch; absent, every local step takes all of a client's data"`
	Mu         float64               `yaml:"mu" min:"0" says:"mu = %v" unit:"none" doc:"weight of FedProx's term mu/2 ||x - the server's model||^2 in the loss of local steps; absent, 0, which is FedAvg"`
	Late       algorithm.Late        `yaml:"late" oneof:"drop use" doc:"in networks with effects, treatment of models that come after their round: drop leaves them out, use averages them in the round of their arrival"`
	Stragglers *algorithm.Stragglers `yaml:"stragglers" doc:"clients that have time for fewer local steps in a round than tau, drawn from the seed; absent, every client takes all"`
	Data       data                  `yaml:",inline"`
}

// DefaultFedAvg returns the section algorithm of fedavg with the defaults of its keys.
func DefaultFedAvg() fedAvgSection { return fedAvgSection{Tau: 1, Late: algorithm.LateDrop} }

// readFedAvg reads the section of fedavg as a section of dpfl without clipping.
func readFedAvg(section *document.Node) (dpflSection, error) {
	s := DefaultFedAvg()
	err := document.Decode(section, &s)
	return dpflSection{Tau: &s.Tau, LearningRate: s.Data.LearningRate, Samples: s.Data.Samples, Batch: s.Batch, Start: s.Data.Start, Clip: document.Epsilon(math.Inf(1)), Late: s.Late, Stragglers: s.Stragglers, proximal: s.Mu}, err
}

// centralSection is the algorithm section of central.
type centralSection struct {
	Kind  string            `yaml:"kind,required"`
	Batch *int              `yaml:"batch" min:"1" says:"a batch of %v" unit:"samples" doc:"expected size of a batch of all data together; absent, every step takes all, which all mechanisms but sampled-gaussian and none need"`
	Clip  *document.Epsilon `yaml:"clip" role:"clip" unit:"2-norm" doc:"2-norm that gradients of samples are clipped to, which noise needs; absent, none"`
	Data  data              `yaml:",inline"`
}

// DefaultCentral returns the section algorithm of central with the defaults of its keys.
func DefaultCentral() centralSection { return centralSection{} }

// readCentral reads the section of central as a section of dpfl with one local step a round.
func readCentral(section *document.Node) (dpflSection, error) {
	s, one, clip := DefaultCentral(), 1, document.Epsilon(math.Inf(1))
	err := document.Decode(section, &s)
	if s.Clip != nil {
		clip = *s.Clip
	}
	return dpflSection{Tau: &one, LearningRate: s.Data.LearningRate, Samples: s.Data.Samples, Batch: s.Batch, Start: s.Data.Start, Clip: clip, Late: algorithm.LateDrop}, err
}
