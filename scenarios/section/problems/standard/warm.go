package standard

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"starling/mechanisms/accountant"
	"starling/scenarios/inputs"
	"starling/scenarios/ledger"
	"starling/scenarios/problem/dataset"
)

// warmStart holds the privacy costs that a file of weights states for its model, for a run
// that learns from data with the digest.
type warmStart struct {
	file   string
	known  bool // the file states costs
	costs  []ledger.Cost
	digest string
}

// SyntheticDigest stands for the generated images, which are the same for all.
var SyntheticDigest = func() string {
	sum := sha256.Sum256([]byte("starling: synthetic images"))
	return hex.EncodeToString(sum[:])
}()

// digestOfImages returns the digest of a data set of images, whatever part of it is used.
func digestOfImages(data string, read inputs.Digest) string {
	if data == dataset.Synthetic {
		return SyntheticDigest
	}
	return read.Sha256
}

// Before returns the privacy loss before a run, for the relation of neighbours of the run's
// losses; nil where the run starts from no file.
func (w *warmStart) Before(relation accountant.Relation) *ledger.Before {
	if w == nil {
		return nil
	}
	b := &ledger.Before{}
	var parts []string
	say := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	unknown := ledger.Cost{Data: ledger.UnknownCost, Observer: string(accountant.Public), Definition: ledger.UnknownCost}
	if !w.known {
		b.Unknown, b.Others = true, []ledger.Cost{unknown}
		say("the privacy loss of its model and the data behind it are unknown; they are not private to the maker of the model")
	}
	for _, c := range w.costs {
		switch {
		case c.Definition == ledger.UnknownCost:
			b.Unknown, b.Others = true, append(b.Others, c)
			say("it began from a model of unknown data and loss, which is not private to its maker")
		case c.Digest != w.digest:
			b.Others = append(b.Others, c)
			say("it is said to be of other data, %s (sha256 %.12s), whose losses are not counted here", c.Data, c.Digest)
		case c.Total == nil:
			b.Total.Add(accountant.NotPrivate())
			say("it was trained on the same data, %s, without privacy", c.Data)
		case c.Relation != string(relation):
			b.Total.Add(accountant.NotPrivate())
			say("it cost epsilon %.6g at delta %g on the same data, but for other neighbours (%s), which bounds nothing here", c.Epsilon, c.Delta, c.Relation)
		default:
			b.Total.AddTotal(c.Total)
			say("it cost epsilon %.6g at delta %g on the same data, which is added", c.Epsilon, c.Delta)
		}
	}
	if b.Unknown {
		b.Total.Add(accountant.NotPrivate())
	}
	b.Text = fmt.Sprintf("the run starts from %s: %s", w.file, strings.Join(parts, "; "))
	return b
}
