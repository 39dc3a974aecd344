package federated

import (
	"starling/mechanisms/robust"
	"starling/scenarios/document"
	"starling/scenarios/federated/aggregation"
	"starling/scenarios/federated/machine"
	"starling/scenarios/gauge"
	"starling/scenarios/kind"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
	"starling/scenarios/section/topologies"
	"starling/scenarios/study"
)

// Algorithm is an algorithm of a server and its clients, as its author describes it. O is a
// struct of the section's keys, without kind and the keys of Common, with the tags yaml, doc,
// min and max.
type Algorithm[O any] struct {
	Name, Summary string
	Defaults      O
	// Participation is the default rule of participation.
	Participation aggregation.Participation
	// Resolve, unless nil, completes a copy of the algorithm by options that do not say all of it,
	// such as those that name a class of the user. The error has the place of a key.
	Resolve func(b *study.Builder, f *study.ArmFile, o *O, a *Algorithm[O]) error
	// Remarks are notes and warnings on the algorithm itself.
	Remarks study.Remarks
	// Check returns the fault of options, by document.At with a key of the section; nil where
	// bounds in tags suffice.
	Check func(o *O) error
	// Buffer, unless nil, returns the keys of the section for a server that takes a step when
	// it has vectors of a given number of clients, in place of once a round.
	Buffer func(o *O) *machine.Buffer
	// Parts is the number of vectors of the model's length in a message, to and from the
	// server; 0 means 1.
	Parts int
	// Changes means that a message of a client is the change of the model by its local steps, and
	// nothing else: servers between the clients and the top may then apply the sum of them.
	Changes bool
	// Keeps means that clients are machine.Keepers.
	Keeps bool
	// Kept is the number of vectors of the model's length that a client keeps from round to round, also where a message
	// was lost. Steps means that clients take local steps of their own, of gradients without noise.
	Kept  int
	Steps bool
	// Metrics are quantities that clients record under these names: the mean over clients that did in a step.
	Metrics metric.List
	// Combine makes one of the vectors of a round, in place of a rule of the section; nil is none.
	Combine robust.Rule
	// Client returns the author's part of a client, from 0, and Server the author's part of
	// the server. Each result belongs to one machine and begins a run.
	Client func(o *O, at *machine.Setting, client int) machine.Client
	Server func(o *O, at *machine.Setting) machine.Server
	// Claimed is the paper's statement of the privacy of a run, where it is not just the
	// calibration of the noise; nil where it is.
	Claimed func(o *O, at *machine.Setting) string
	// Learns returns the loss of a client to observers up to a round, where it is not the sum
	// of all payments: for example where the server sees sums alone. A nil result means the
	// sum of the payments. The setting is the first seed's. LearnsWhy explains to readers in a
	// sentence the losses to named nodes and coalitions. See ledger.Learns.
	Learns    func(o *O, at *machine.Setting, j *study.Job) ledger.Learns
	LearnsWhy string
}

// section is the section of the algorithm.
type section[O any] struct {
	Kind    string `yaml:"kind,required"`
	Options O      `yaml:",inline"`
	Common  Common `yaml:",inline"`
}

// Kind returns the algorithm's entry for the catalog.
func (a Algorithm[O]) Kind() kind.Kind {
	servers := topologies.TakesStar
	if a.Changes {
		servers = servers.Or(topologies.TakesTiers)
	}
	return kind.New(a.Name, a.Summary, a.section(), family{a.read, study.Traits{
		Problems: TakesCorpora, Mechanisms: TakesSums, Topologies: servers, Links: study.ServerLinks, Population: drawsPopulation, SupportsMissing: a.Buffer != nil, SupportsAdversaries: true,
		Clocked: true,
	}}).Measuring(a.metrics())
}

// metrics lists the metrics that runs may record.
func (a *Algorithm[O]) metrics() metric.List {
	if a.Buffer == nil {
		return metric.Join(Metrics(), populationMetrics(), clockMetrics())
	}
	return metric.Join(Metrics(), machine.BufferMetrics(), gauge.OfEffects(), populationMetrics(), metric.List{elapsed, energy, fewest}, zoneAccuracies, zoneLosses)
}

func (a *Algorithm[O]) section() section[O] {
	return section[O]{Options: a.Defaults, Common: Common{Level: User, Local: machine.Local{Tau: 1}, Participation: a.Participation}}
}

// read is a reader.
func (a *Algorithm[O]) read(b *study.Builder, f *study.ArmFile) (parts, error) {
	s, from := a.section(), f.Algorithm
	err := document.Decode(from, &s)
	if err == nil && s.Common.Aggregation != nil {
		err = from.Resolve(s.Common.Aggregation.Check())
	}
	if err == nil && a.Check != nil {
		err = from.Resolve(a.Check(&s.Options))
	}
	if err == nil && a.Resolve != nil {
		resolved := *a
		err, a = from.Resolve(a.Resolve(b, f, &s.Options, &resolved)), &resolved
	}
	p := parts{name: a.Name, remarks: a.Remarks, common: s.Common, count: max(1, a.Parts), keeps: a.Keeps, changes: a.Changes, states: a.Kept, steps: a.Steps, declared: a.Metrics, rule: a.Combine}
	p.client = func(at *machine.Setting, client int) machine.Client { return a.Client(&s.Options, at, client) }
	p.server = func(at *machine.Setting) machine.Server { return a.Server(&s.Options, at) }
	if a.Buffer != nil {
		p.buffer = a.Buffer(&s.Options)
	}
	if a.Claimed != nil {
		p.claimed = func(at *machine.Setting) string { return a.Claimed(&s.Options, at) }
	}
	if p.learnsWhy = a.LearnsWhy; a.Learns != nil {
		p.learns = func(at *machine.Setting, j *study.Job) ledger.Learns { return a.Learns(&s.Options, at, j) }
	}
	return p, err
}
