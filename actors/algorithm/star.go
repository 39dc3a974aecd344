package algorithm

import (
	"fmt"
	"math"

	"starling/mechanisms/accountant"
	"starling/mechanisms/kernel"
	"starling/messages"
)

// QuantityScalars is the quantity that every participant records when it sends: how many
// scalars, a broadcast counted once a client.
const QuantityScalars = "scalars"

// StarActs returns the participants that have a turn in a hop of the step with that offset from
// step 1: Run.Acts, for so many clients. Participant 0 is the server, and participant i client
// i. Step 1 begins with a hop of the server; from then on clients have the first hop of a step
// and every other one after it, and the server those between.
func StarActs(clients, offset, hop int) (first, end messages.NodeID) {
	server := hop%2 == 1
	if offset == 0 {
		server = !server
	}
	if server {
		return 0, 1
	}
	return 1, messages.NodeID(clients + 1)
}

// StarSum is the sum of the vectors that clients send in a hop, len d: working memory of a
// server. A server embeds it to be a Folder.
type StarSum []float64

// FoldLength implements Folder.
func (s StarSum) FoldLength() int { return len(s) }

// Fold implements Folder: the sum of the vectors.
func (StarSum) Fold(sum []float64, e *messages.Envelope) {
	kernel.Add(sum, e.Payload.(*messages.Vector).Values)
}

// Gather overwrites the sum with the sum of the folded messages. It refuses one that lacks a
// client, because that is another query, of another sensitivity. The error names the kind of
// message.
func (s StarSum) Gather(blocks *messages.Blocks, clients int, what string) error {
	clear(s)
	count := 0
	for b := range blocks.Len() {
		sum, senders := blocks.Block(b)
		kernel.Add(s, sum)
		count += senders
	}
	if count != clients {
		return fmt.Errorf("%d of %d clients sent their %s", count, clients, what)
	}
	return nil
}

// StarAccount is the privacy loss of one loss of one client over a run, by observer.
type StarAccount struct {
	Claimed accountant.Loss // the paper's claim
	Wire    accountant.Loss // for an observer of every message, and for the server
	Public  accountant.Loss // for an observer of the decisions, and for another client
}

// ComposeReleases is the epsilon of a number of releases of the same pure epsilon: their sum,
// or at a delta above 0 the optimal composition.
func ComposeReleases(epsilon float64, releases int, delta float64) (float64, error) {
	if delta == 0 || math.IsInf(epsilon, 1) {
		return accountant.BasicComposition(epsilon, releases)
	}
	return accountant.OptimalComposition(epsilon, releases, delta)
}
