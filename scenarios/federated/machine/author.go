package machine

import (
	"starling/actors/algorithm"
	"starling/actors/algorithm/mirror"
	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/federated/aggregation"
)

// Client is the part of a client's machine that its author describes.
type Client interface {
	// Update writes the client's message of this round to dst, given the server's last message
	// said. Both have Setting.Width numbers; the first Dim of said are the model. It draws and
	// pays as Steps.Take does, and returns the receipt and error of Steps.Take as they are.
	Update(t *algorithm.Turn, dst, said []float64) (accountant.Receipt, error)
	messages.Stateful
}

// Keeper is a client that goes on from its last message.
type Keeper interface {
	Client
	// Keep is called with the client's message of its last round, which is read only: of
	// Setting.Width numbers, clipped, and before noise on the message. It is not called for a
	// round that was aborted.
	Keep(sent []float64)
}

// Server is the part of the server's machine that its author describes.
type Server interface {
	// Adopt changes the server's last message said, in place, by the mean of the clients'
	// messages, with its noise. Both have Setting.Width numbers.
	Adopt(said, mean []float64)
	messages.Stateful
}

// Setting holds the inputs of an algorithm: read only, and the same for all machines of a run.
type Setting struct {
	// Horizon is the number of steps of a run, and Calendar has the rounds in them.
	Clients, Horizon int
	Calendar         *aggregation.Calendar
	// Clock has the seconds of rounds; nil where they have none.
	Clock *Clock
	// Arrivals are the reports of clients that work at their own pace, or may be late for a round, under the
	// seed of a run; nil in a plan, and elsewhere.
	Arrivals *aggregation.Arrivals
	// Seats are taken by the clients of a round in turn; nil where each client is a participant.
	Seats *Seats
	// Dim is d, the length of the model, and Width the length of messages.
	Dim, Width int
	Start      []float64  // the initial model, public, len d
	Set        mirror.Set // of models; nil is all of R^d
	Expected   float64    // clients in a round, or vectors in a buffer
	Steps      *Steps
	// Record means that clients protect their samples, and not the server its clients.
	Record        bool
	Clip          float64
	Participation *aggregation.Participation
	Buffer        *Buffer // nil where the server takes a step in every round
	Tiers         *Tiers  // nil where there is one server
	// Weights are the weights by which clients multiply their changes, by client, of mean 1; nil is 1
	// for each.
	Weights []float64
	// Individual has the clips and the payments of clients that differ, of a server that is trusted;
	// nil where they do not.
	Individual *aggregation.Individual
	// Keeps means that clients are Keepers.
	Keeps bool
	// Kept is the number of numbers that a client keeps, for data that take its local steps; 0 is none.
	Kept int
	// Sharing is the noise of clients on their messages; nil where the server is trusted, or
	// clients add noise in local steps.
	Sharing *aggregation.Sharing
}

// clipOf is the 2-norm that the vectors of a client are clipped to.
func (at *Setting) clipOf(node messages.NodeID) float64 {
	switch {
	case at.Individual != nil:
		return at.Individual.ClipOf(int(node) - 1)
	case at.Sharing != nil:
		return at.Sharing.ClipOf(node)
	}
	return at.Clip
}

// Sent is the length of messages of clients: Width, and one for a version where there is a
// buffer.
func (at *Setting) Sent() int {
	if at.Buffer == nil {
		return at.Width
	}
	return at.Width + 1
}

// Said is the length of messages of the server: Width, and one for a version, the number of
// its steps, where there is a buffer, or where clients go on from rounds that may be aborted.
func (at *Setting) Said() int {
	if at.Buffer == nil && !(at.Keeps && at.Sharing != nil) {
		return at.Width
	}
	return at.Width + 1
}

// Players is the number of participants that play clients.
func (at *Setting) Players() int {
	if at.Seats != nil {
		return at.Seats.Count
	}
	return at.Clients
}

// apart reports whether others add noise than the server at the top: clients, or servers below.
func (at *Setting) apart() bool {
	return at.Record || at.Sharing != nil || at.Tiers != nil && at.Tiers.Noise > 0
}

// sums is the reason why a sum of vectors shows no more than they, or sums of them, have shown.
func (at *Setting) sums() algorithm.Reason {
	if at.Tiers != nil && !at.Record {
		return SumsOfReleases
	}
	return MeanOfClients
}

// working is the length of the working memory of a projection.
func (at *Setting) working() int {
	if at.Set == nil {
		return 0
	}
	return at.Set.WorkSize()
}
