package federated

import (
	"math"

	"starling/actors/algorithm"
	"starling/mechanisms/robust"
	"starling/scenarios/document"
	"starling/scenarios/federated/aggregation"
	"starling/scenarios/federated/machine"
	"starling/scenarios/kind"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
	"starling/scenarios/personal"
	"starling/scenarios/section/mechanisms"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// Level is the unit of protection.
type Level string

// The levels.
const (
	User   Level = "user"
	Record Level = "record"
)

// Common are the keys that the section of every such algorithm has.
type Common struct {
	Level         Level                     `yaml:"level" oneof:"user record" doc:"unit of protection: user, a client with all of its data, by noise of the server, which is trusted; record, one sample of a client, by noise of the client in every local step"`
	Clip          document.Epsilon          `yaml:"clip,required" role:"clip" unit:"2-norm" doc:"2-norm to which the vector of a client is clipped, or with level: record the gradient of every sample; or none, which only a run without noise can have"`
	Clips         personal.Values           `yaml:"clips" doc:"clients with a clip of their own in place of clip, at the noise of clip, of a trusted server or of sums of Gaussian shares that hide them: a list of groups, a file with a line for each client, a law from which they are drawn, or a column of the problem's own data; absent, all have clip"`
	Filters       personal.Values           `yaml:"filters" doc:"clients with an individual filter, each with a rho of its own: a client spends by the length of its vectors, which are shortened so that a run costs it at most rho in zero-concentrated privacy: a list of groups, a file with a line for each client, a law from which they are drawn, or a column of the problem's own data; with the Gaussian noise of a trusted server, and rate 1; absent, no client has one"`
	Local         machine.Local             `yaml:",inline"`
	Participation aggregation.Participation `yaml:",inline"`
	Amplified     bool                      `yaml:"amplified" doc:"whether secret participation amplifies the privacy of noise that is correlated over rounds: of banded-toeplitz with at most as many bands as there are groups, and of independent noise, where the rounds of a group are so many steps of the sampled Gaussian mechanism (Choquette-Choo et al. 2023, Theorem 4)"`
	Stragglers    *algorithm.Stragglers     `yaml:"stragglers" doc:"clients that have time for fewer local steps in a round than tau, drawn from the seed; absent, every client takes all"`
	Aggregation   *aggregation.Keys         `yaml:"aggregation" doc:"messages of a round that the server sees, with level: user, where it is not trusted; absent, it is trusted, and sees all of them"`
	Samples       *int                      `yaml:"samples" min:"1" max:"1000000" says:"%v samples" unit:"samples" doc:"samples of each client, the first that it has, which stay for the whole run; absent, 100 of a stream, and of images all"`
	Combine       *document.Node            `yaml:"combine" doc:"how the server makes one of the vectors of a round, where clients may be Byzantine; absent, mean, their sum divided by the number that is expected; any other is of those that arrive, and needs level: record or no noise"`
	Panel         *int                      `yaml:"panel" min:"2" max:"1000000" says:"a panel of %v clients" unit:"clients" doc:"with draw: server, clients drawn from the seed whose data judge the models: loss.train and accuracy.test are means over them, with their standard errors in loss.train.error and accuracy.test.error; absent, 100, or all where there are fewer"`
	Start         []float64                 `yaml:"start" unit:"coordinates" range:"any numbers" doc:"initial model, d numbers; absent, zeros without hidden layers, and random weights with them"`
}

// The problems and mechanisms that these algorithms take, for the table of combinations.
var (
	TakesCorpora = kind.Takes[problems.AsCorpus]("data that stay, for batches: a corpus, or the beginning of a stream").Or(kind.Takes[problems.AsStream]("a stream of data, a datum a step"))
	TakesSums    = kind.Takes[mechanisms.OnSums]("noise on sums over data that stay")
	// takesSamples is for clients that protect their samples.
	takesSamples = kind.Takes[mechanisms.OnSamples]("noise on sums over secret samples")
)

// bounded reports whether there is a bound on the vectors of clients.
func (c *Common) bounded() bool { return !math.IsInf(float64(c.Clip), 1) }

// parts are an author's description, with the options of an arm.
type parts struct {
	name     string
	common   Common
	count    int
	keeps    bool
	changes  bool
	states   int         // vectors that a client keeps
	steps    bool        // clients take local steps of their own
	declared metric.List // of the author
	rule     robust.Rule // of the author, in place of one of the section
	buffer   *machine.Buffer
	client   func(at *machine.Setting, client int) machine.Client
	server   func(at *machine.Setting) machine.Server
	// averaging, unless nil, is federated averaging with a section of its own.
	averaging *Averaging
	claimed   func(at *machine.Setting) string
	remarks   study.Remarks
	// inRounds means that an audit has rounds of a server in place of clients at their own pace.
	inRounds bool

	learns    func(at *machine.Setting, j *study.Job) ledger.Learns // nil means the payments
	learnsWhy string
}

// reader reads the section of the algorithm of an arm. The error comes from its keys.
type reader func(b *study.Builder, a *study.ArmFile) (parts, error)

// family is the piece of an algorithm of a server in the catalog.
type family struct {
	reader
	traits study.Traits
}

// Traits implements study.Algorithm.
func (f family) Traits() study.Traits { return f.traits }
