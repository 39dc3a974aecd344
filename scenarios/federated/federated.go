package federated

import (
	"math"

	"starling/actors/algorithm/mirror"
	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/kind"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
	"starling/scenarios/section/mechanisms"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// Algorithm is an algorithm of a server and its clients, as its author describes it. O is
// a struct of the keys of its section beside kind and those of Common, with the tags yaml,
// doc, min and max.
type Algorithm[O any] struct {
	Name, Summary string
	Defaults      O
	// Participation is who takes part where the section does not say.
	Participation Participation
	// Check says what is wrong with options, by document.At with a key of the section;
	// nil where bounds in tags say all.
	Check func(o *O) error
	// Buffer, unless it is nil, are the keys of the section for a server that takes a step
	// when it has vectors of so many clients, in place of once a round.
	Buffer func(o *O) *Buffer
	// Parts is of how many vectors as long as the model what is sent consists, to and from
	// the server; 0 is 1.
	Parts int
	// Client is what a client, from 0, does in a round, and Server what the server makes
	// of the sum. What they return is one machine's own and begins a run.
	Client func(o *O, at *Setting, client int) Client
	Server func(o *O, at *Setting) Server
	// Claimed is what the paper states of the privacy of a run, as an addition to what the
	// noise is calibrated to; nil where that is all.
	Claimed func(o *O, at *Setting) string
	// Learns says what observers learn of a client up to a round, where that is another
	// thing than all that was paid, as where the server sees sums alone: it may return nil,
	// and nil is what was paid. The setting is that of the first seed. LearnsWhy tells
	// readers in a sentence what named nodes and coalitions learn. See ledger.Learns.
	Learns    func(o *O, at *Setting, j *study.Job) ledger.Learns
	LearnsWhy string
}

// Setting is what an algorithm meets: read only, and the same for all machines of a run.
type Setting struct {
	Clients, Rounds int
	// Dim is d, the length of the model, and Width that of what is sent.
	Dim, Width int
	Start      []float64  // the initial model, public, len d
	Set        mirror.Set // of models; nil is all of R^d
	Expected   float64    // clients in a round, or vectors in a buffer
	Steps      *Steps
	// Record tells that samples are protected by clients, and not clients by the server.
	Record        bool
	Clip          float64
	Participation *Participation
	Buffer        *Buffer // nil where the server takes a step in every round
	// sharing is the noise of clients on what they send; nil where the server is trusted, or
	// they add theirs in local steps.
	sharing *sharing
}

// sent is how many numbers messages have: a version beside, where there is a buffer.
func (at *Setting) sent() int {
	if at.Buffer == nil {
		return at.Width
	}
	return at.Width + 1
}

// working is how many numbers of working memory a projection takes.
func (at *Setting) working() int {
	if at.Set == nil {
		return 0
	}
	return at.Set.WorkSize()
}

// Level is what is protected.
type Level string

// The levels.
const (
	User   Level = "user"
	Record Level = "record"
)

// Common are the keys that the section of every such algorithm has.
type Common struct {
	Level         Level            `yaml:"level" oneof:"user record" doc:"what is protected: user, a client with all of its data, by noise of the server, which is trusted; record, one sample of a client, by noise of the client in every local step"`
	Clip          document.Epsilon `yaml:"clip,required" unit:"2-norm" doc:"2-norm that what a client sends is clipped to, or with level: record the gradient of every sample; or none, which only a run without noise can have"`
	Local         Local            `yaml:",inline"`
	Participation Participation    `yaml:",inline"`
	Amplified     bool             `yaml:"amplified" doc:"whether noise that is correlated over rounds counts on who takes part being secret: of banded-toeplitz with at most as many bands as there are groups, and of independent noise, in which the rounds of a group are so many steps of the sampled Gaussian mechanism (Choquette-Choo et al. 2023, Theorem 4)"`
	Aggregation   *Aggregation     `yaml:"aggregation" doc:"what the server sees of the messages of a round, with level: user, where it is not trusted; absent, it is, and sees all of them"`
	Samples       *int             `yaml:"samples" min:"1" max:"1000000" says:"%v samples" unit:"samples" doc:"samples of each client, the first that it has, which stay for the whole run; absent, 100 of a stream, and of images all"`
	Combine       *document.Node   `yaml:"combine" doc:"how the server makes one of the vectors of a round, where clients may lie; absent, mean, their sum divided by the number that is expected; any other is of those that arrive, and needs level: record or no noise"`
	Start         []float64        `yaml:"start" unit:"coordinates" range:"any numbers" doc:"initial model, d numbers; absent, zeros without hidden layers, and random weights with them"`
}

// What these algorithms take of problems and mechanisms, for the table of what goes
// together.
var (
	TakesCorpora = kind.Takes[problems.CorpusBuilder]("data that stay, for batches: a corpus, or the beginning of a stream").Or(kind.Takes[problems.StreamBuilder]("a stream of data, a datum a step"))
	TakesSums    = kind.Takes[mechanisms.SumsBuilder]("noise on sums over data that stay")
	// takesOwnSums is for a server with a buffer.
	takesOwnSums = kind.Takes[mechanisms.OwnSumsBuilder]("noise of its own on every sum over data that stay")
)

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
	return metric.Join(Metrics(), bufferMetrics(), gauge.OfEffects())
}

func (a *Algorithm[O]) section() section[O] {
	return section[O]{Options: a.Defaults, Common: Common{Level: User, Local: Local{Tau: 1}, Participation: a.Participation}}
}

// parts are what an author describes, with the options of an arm.
type parts struct {
	name    string
	common  Common
	count   int
	buffer  *Buffer
	client  func(at *Setting, client int) Client
	server  func(at *Setting) Server
	claimed func(at *Setting) string

	learns    func(at *Setting, j *study.Job) ledger.Learns // nil is what was paid
	learnsWhy string
}

// reader reads the section of an algorithm. The error is that of its keys.
type reader func(section *document.Node) (parts, error)

// read is a reader.
func (a *Algorithm[O]) read(from *document.Node) (parts, error) {
	s := a.section()
	err := document.Decode(from, &s)
	if err == nil && s.Common.Aggregation != nil {
		err = from.Resolve(s.Common.Aggregation.check())
	}
	if err == nil && a.Check != nil {
		err = from.Resolve(a.Check(&s.Options))
	}
	p := parts{name: a.Name, common: s.Common, count: max(1, a.Parts)}
	p.client = func(at *Setting, client int) Client { return a.Client(&s.Options, at, client) }
	p.server = func(at *Setting) Server { return a.Server(&s.Options, at) }
	if a.Buffer != nil {
		p.buffer = a.Buffer(&s.Options)
	}
	if a.Claimed != nil {
		p.claimed = func(at *Setting) string { return a.Claimed(&s.Options, at) }
	}
	if p.learnsWhy = a.LearnsWhy; a.Learns != nil {
		p.learns = func(at *Setting, j *study.Job) ledger.Learns { return a.Learns(&s.Options, at, j) }
	}
	return p, err
}

// Metrics are those that runs may record.
func Metrics() metric.List {
	return metric.Join(gauge.Declared(gauge.AccuracyTest), metric.List{clientsOfRound}, gauge.Declared(gauge.LossTrain), metric.List{clippedUpdates, roundsNoise, abortedRounds, wrappedEntries}, gauge.OfTraffic())
}

var (
	clientsOfRound = metric.Metric{Name: QuantityClients, Summary: "clients that took part in the round", Label: "clients in the round", Unit: "clients", Level: metric.OfRun}
	clippedUpdates = metric.Metric{Name: QuantityClipped, Summary: "share of the clients of the round whose vector was clipped, of algorithms that clip what clients send", Label: "share of clipped vectors", Unit: metric.Share, Better: metric.LowerIsBetter, Level: metric.OfRun}
	roundsNoise    = metric.Metric{Name: QuantityNoise, Summary: "noise of a trusted server on the sum of the mean vectors of all rounds so far: the root of its mean square over the coordinates", Label: "noise on the sum of rounds", Better: metric.LowerIsBetter, Level: metric.OfRun}
)

// bounded tells whether there is a bound on what clients send.
func (c *Common) bounded() bool { return !math.IsInf(float64(c.Clip), 1) }
