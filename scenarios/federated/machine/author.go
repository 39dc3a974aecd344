package machine

import (
	"starling/actors/algorithm"
	"starling/actors/algorithm/mirror"
	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/federated/aggregation"
	"starling/scenarios/federated/participation"
)

// Client is the part of a client's machine that its author describes.
type Client interface {
	// Update writes what the client sends in this round to dst, given what the server
	// said last: both of Setting.Width numbers, of which the first Dim the server says are
	// its model. It draws and pays as Steps.Take does, whose receipt and error it returns
	// as they are.
	Update(t *algorithm.Turn, dst, said []float64) (accountant.Receipt, error)
	messages.Stateful
}

// Keeper is a client that goes on from what it has sent.
type Keeper interface {
	Client
	// Keep is told of what the client has sent in its last round, which is read only: of
	// Setting.Width numbers, clipped, and before noise on the message. It is not called of a
	// round that was aborted.
	Keep(sent []float64)
}

// Server is the part of the server's machine that its author describes.
type Server interface {
	// Adopt changes what the server said last, in place, by the mean of what clients have
	// sent, with its noise: both of Setting.Width numbers.
	Adopt(said, mean []float64)
	messages.Stateful
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
	Participation *participation.Rule
	Buffer        *Buffer // nil where the server takes a step in every round
	// Keeps tells that clients are Keepers.
	Keeps bool
	// Sharing is the noise of clients on what they send; nil where the server is trusted, or
	// they add theirs in local steps.
	Sharing *aggregation.Sharing
}

// Sent is how many numbers messages of clients have: a version beside, where there is a buffer.
func (at *Setting) Sent() int {
	if at.Buffer == nil {
		return at.Width
	}
	return at.Width + 1
}

// Said is how many numbers messages of the server have: a version beside, the number of its steps,
// where there is a buffer, or where clients go on from rounds that may be aborted.
func (at *Setting) Said() int {
	if at.Buffer == nil && !(at.Keeps && at.Sharing != nil) {
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
