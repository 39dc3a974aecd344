package federated

import (
	"starling/scenarios/document"
	"starling/scenarios/federated/machine"
	"starling/scenarios/federated/participation"
	"starling/scenarios/gauge"
	"starling/scenarios/kind"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
	"starling/scenarios/study"
)

// Algorithm is an algorithm of a server and its clients, as its author describes it. O is
// a struct of the keys of its section beside kind and those of Common, with the tags yaml,
// doc, min and max.
type Algorithm[O any] struct {
	Name, Summary string
	Defaults      O
	// Participation is who takes part where the section does not say.
	Participation participation.Rule
	// Check says what is wrong with options, by document.At with a key of the section;
	// nil where bounds in tags say all.
	Check func(o *O) error
	// Buffer, unless it is nil, are the keys of the section for a server that takes a step
	// when it has vectors of so many clients, in place of once a round.
	Buffer func(o *O) *machine.Buffer
	// Parts is of how many vectors as long as the model what is sent consists, to and from
	// the server; 0 is 1.
	Parts int
	// Keeps tells that clients are machine.Keepers.
	Keeps bool
	// Client is what a client, from 0, does in a round, and Server what the server makes
	// of the sum. What they return is one machine's own and begins a run.
	Client func(o *O, at *machine.Setting, client int) machine.Client
	Server func(o *O, at *machine.Setting) machine.Server
	// Claimed is what the paper states of the privacy of a run, as an addition to what the
	// noise is calibrated to; nil where that is all.
	Claimed func(o *O, at *machine.Setting) string
	// Learns says what observers learn of a client up to a round, where that is another
	// thing than all that was paid, as where the server sees sums alone: it may return nil,
	// and nil is what was paid. The setting is that of the first seed. LearnsWhy tells
	// readers in a sentence what named nodes and coalitions learn. See ledger.Learns.
	Learns    func(o *O, at *machine.Setting, j *study.Job) ledger.Learns
	LearnsWhy string
}

// section is the section of the algorithm.
type section[O any] struct {
	Kind    string `yaml:"kind,required"`
	Options O      `yaml:",inline"`
	Common  Common `yaml:",inline"`
}

// Kind is the algorithm's entry for the catalog.
func (a Algorithm[O]) Kind() kind.Kind {
	read, sums := reader(a.read), TakesSums
	if a.Buffer != nil {
		sums = takesOwnSums
	}
	return kind.New(a.Name, a.Summary, a.section(),
		study.Algorithm{Build: read.build, Problems: TakesCorpora, Mechanisms: sums, Links: study.ServerLinks, Tolerant: a.Buffer != nil, Deceived: true}, read.audit).Measuring(a.metrics())
}

// metrics are those that runs may record.
func (a *Algorithm[O]) metrics() metric.List {
	if a.Buffer == nil {
		return Metrics()
	}
	return metric.Join(Metrics(), machine.BufferMetrics(), gauge.OfEffects())
}

func (a *Algorithm[O]) section() section[O] {
	return section[O]{Options: a.Defaults, Common: Common{Level: User, Local: machine.Local{Tau: 1}, Participation: a.Participation}}
}

// read is a reader.
func (a *Algorithm[O]) read(from *document.Node) (parts, error) {
	s := a.section()
	err := document.Decode(from, &s)
	if err == nil && s.Common.Aggregation != nil {
		err = from.Resolve(s.Common.Aggregation.Check())
	}
	if err == nil && a.Check != nil {
		err = from.Resolve(a.Check(&s.Options))
	}
	p := parts{name: a.Name, common: s.Common, count: max(1, a.Parts), keeps: a.Keeps}
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
