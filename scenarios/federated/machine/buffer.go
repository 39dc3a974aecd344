package machine

import (
	"fmt"
	"math"

	"starling/actors/algorithm"
	"starling/mechanisms/kernel"
	"starling/messages"
	"starling/scenarios/gauge"
	"starling/scenarios/metric"
)

// Buffer holds the keys of algorithms whose server takes a step when it has vectors of Size
// clients, in place of once a round.
//
// In every round that it takes part in a client computes with the newest model that has
// reached it, and sends a vector. A vector counts when it arrives, however late. The server
// adds it to the buffer, times its weight. A buffer has one vector of a client at most: a
// further one that arrives before the step is dropped. So a client moves a sum by Clip at
// most, as weights are at most 1. The server can take several steps in one round, or none. At
// the end of a round in which it has taken a step, and in no other, the server sends all
// clients its model, with its version, which is the number of steps taken. Next to its vector
// a client sends the version of the model that it computed with.
//
// With Concurrency clients work at their own pace, by a clock: a client begins with the newest model when it
// is admitted, while fewer than so many are at work, and its vector arrives after its seconds. A client
// that has a vector in the buffer is not admitted, so that none is dropped. A step of the run is a step of
// the server.
//
// The vectors in a buffer depend on the network and on participation, but not on data. They do
// depend on the presence of clients: without one client all later buffers would have other
// vectors. The protected unit is therefore all that a client sends: neighbours are a run, and
// the same run with zeros in place of all vectors of one client.
//
// A client's loss is for the buffers that it is in. The server pays for the client that is in
// the most: in a step in which a client comes to be in more buffers than any was before.
type Buffer struct {
	Size        int       `yaml:"buffer,required" min:"1" says:"a buffer of %v" unit:"vectors" doc:"K, vectors of as many clients that the server waits for before it takes a step and sends its model; one that a client sends while another of its own is in the buffer is dropped"`
	Concurrency *int      `yaml:"concurrency" min:"1" max:"10000000" says:"a concurrency of %v" unit:"clients" doc:"with clock: clients that are at work at a time, at most. A client is admitted while fewer are, begins with the newest model, and its vector arrives after its seconds; a step of the run is a step of the server; absent, messages take the turns of the network"`
	Staleness   Staleness `yaml:"staleness" oneof:"sqrt constant" doc:"weight of a vector that was computed tau server steps ago: sqrt, 1/sqrt(1 + tau); constant, 1. The sum is divided by K, whatever the weights"`
}

// Staleness is a rule for weights of vectors. They depend on the number of steps that the
// server has taken since it sent the model of the vector's computation.
type Staleness string

// The rules.
const (
	StaleSqrt     Staleness = "sqrt"
	StaleConstant Staleness = "constant"
)

// weight is the weight of a vector that is tau server steps old, in (0, 1].
func (s Staleness) weight(tau int) float64 {
	if s == StaleConstant {
		return 1
	}
	return 1 / math.Sqrt(1+float64(tau))
}

// Quantities that the server with a buffer records.
const (
	quantityVersion   = "buffer.steps"
	quantityStaleness = "buffer.staleness"
	quantityDropped   = "buffer.dropped"
)

var (
	serverSteps    = metric.Metric{Name: quantityVersion, Summary: "steps of a server with a buffer, so far", Label: "server steps", Unit: "steps", Level: metric.OfRun}
	meanStaleness  = metric.Metric{Name: quantityStaleness, Summary: "age of the vectors that came into the buffer in the round, the mean over them: the number of server steps since the model that a vector was computed with. 0 where all are fresh", Label: "staleness", Unit: "steps", Better: metric.LowerIsBetter, Level: metric.OfRun, Course: metric.Rate}
	droppedVectors = metric.Metric{Name: quantityDropped, Summary: "number of vectors so far that were dropped because the buffer had one of the same client", Label: "dropped vectors", Unit: "vectors", Better: metric.LowerIsBetter, Level: metric.OfRun}
)

// PacedMetrics lists the metrics that a server with a buffer has of clients that work at their own pace. All
// steps have one server step, and drop no vector.
func PacedMetrics() metric.List { return metric.List{meanStaleness} }

// BufferMetrics lists the metrics that only a server with a buffer has.
func BufferMetrics() metric.List {
	return metric.List{serverSteps, meanStaleness, droppedVectors}
}

// buffered is the machine of participant 0 that takes a step when its buffer is full.
type buffered struct {
	core
	sum    []float64 // of the vectors in the buffer
	held   int       // vectors in the buffer
	within []int     // by client: the number of the latest buffer that it is in, from 1
	times  []int     // by client: the number of buffers it is in
	paid   int       // the most of times among buffers that were released
	drops  int
}

// State implements algorithm.Machine.
func (s *buffered) State(c *messages.Codec) {
	c.Floats("w and version", s.said)
	c.Floats("buffer", s.sum)
	c.Int("in the buffer", &s.held)
	messages.Integers(c, "latest buffers", &s.within, s.at.Clients)
	messages.Integers(c, "buffers", &s.times, s.at.Clients)
	c.Check(len(s.within) == s.at.Clients && len(s.times) == s.at.Clients, "buffers of %d and %d clients, want %d", len(s.within), len(s.times), s.at.Clients)
	c.Int("paid", &s.paid)
	c.Int("local steps", &s.steps)
	c.Int("dropped", &s.drops)
	s.own.State(c)
	s.noise.State(c)
}

// version is the number of steps taken.
func (s *buffered) version() int { return int(s.said[s.at.Width]) }

// Step implements algorithm.Machine.
func (s *buffered) Step(t *algorithm.Turn) error {
	before, steps, added, stale := s.version(), s.steps, 0, 0
	var mark algorithm.Mark
	for i := range t.Inbox {
		tau, ok := s.add(&t.Inbox[i])
		if !ok {
			continue
		}
		added++
		stale += tau
		if s.held < s.at.Buffer.Size {
			continue
		}
		var err error
		if mark, err = s.take(t); err != nil {
			return stopped(t, err)
		}
	}
	s.record(t, added, stale, s.steps-steps)
	if s.version() == before {
		return t.Play(s.said[:s.at.Dim])
	}
	return s.say(t, mark)
}

// add adds the vector of a client to the buffer, if none of the client is in it. tau is its
// age in server steps.
func (s *buffered) add(e *messages.Envelope) (tau int, ok bool) {
	w, client := s.at.Width, int(e.From)-1
	values := e.Payload.(*messages.Vector).Values
	s.steps += s.at.sent(e)
	if s.within[client] == s.version()+1 {
		s.drops++
		return 0, false
	}
	s.within[client] = s.version() + 1
	s.times[client]++
	tau = s.version() - int(values[w])
	kernel.Axpy(s.sum, s.at.Buffer.Staleness.weight(tau), values[:w])
	s.held++
	return tau, true
}

// take takes a server step with a full buffer, and begins another buffer. The mark is the
// model's.
func (s *buffered) take(t *algorithm.Turn) (algorithm.Mark, error) {
	most := 0
	for client, latest := range s.within {
		if latest == s.version()+1 {
			most = max(most, s.times[client])
		}
	}
	if of := s.at.Participation.Most(t.Step); most > of.Times {
		panic(fmt.Sprintf("a client is in %d buffers by round %d, in which it can have taken part %d times", most, t.Step, of.Times))
	}
	mark, err := s.change(t, s.sum, s.at.Expected, most > s.paid, t.Scratch(s.at.working()))
	if err != nil {
		return mark, err
	}
	s.paid = max(s.paid, most)
	s.noised(t)
	clear(s.sum)
	s.held = 0
	return mark, nil
}

// record records a round: the vectors added to buffers, the sum of their ages, and the local steps
// of all vectors.
func (s *buffered) record(t *algorithm.Turn, added, stale, steps int) {
	t.Record(QuantityClients, float64(added))
	t.Record(gauge.Participants, float64(added))
	t.Record(QuantitySeen, float64(steps))
	t.Record(quantityVersion, float64(s.version()))
	t.Record(quantityDropped, float64(s.drops))
	if added > 0 {
		t.Record(quantityStaleness, float64(stale)/float64(added))
	}
}
