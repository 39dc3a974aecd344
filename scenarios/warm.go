package scenarios

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"strings"

	"starling/mechanisms/accountant"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/problem/model"
)

// warmStart is what a file of weights says its model cost, for a run that learns from
// data of a digest.
type warmStart struct {
	file   string
	known  bool // the file says anything
	costs  []model.Cost
	digest string
}

// syntheticDigest stands for the generated images, which are the same for all.
var syntheticDigest = func() string {
	sum := sha256.Sum256([]byte("starling: synthetic images"))
	return hex.EncodeToString(sum[:])
}()

// digestOfImages is the digest of a data set of images, whatever part of it is used.
func digestOfImages(data string, read dataDigest) string {
	if data == dataset.Synthetic {
		return syntheticDigest
	}
	return read.sha256
}

// before is what the model that a run starts from has shown of the run's data already.
// Whoever sees the run sees it too: it is added to what every observer learns.
type before struct {
	total   accountant.Total // not private where nothing bounds it
	unknown bool             // the file does not say
	text    string           // what the file says, for readers
	others  []model.Cost     // of other data, or of nobody knows which
}

// before is that of a run whose losses are for a relation of neighbours; nil where it
// starts from no file.
func (w *warmStart) before(relation accountant.Relation) *before {
	if w == nil {
		return nil
	}
	b := &before{}
	var parts []string
	say := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	unknown := model.Cost{Data: model.Unknown, Observer: string(accountant.Public), Definition: model.Unknown}
	if !w.known {
		b.unknown, b.others = true, []model.Cost{unknown}
		say("what its model cost, and on which data, is unknown, and not private to whoever made it")
	}
	for _, c := range w.costs {
		switch {
		case c.Definition == model.Unknown:
			b.unknown, b.others = true, append(b.others, c)
			say("it began from a model of which nothing is known, and which is not private to whoever made it")
		case c.Digest != w.digest:
			b.others = append(b.others, c)
			say("it is said to be of other data, %s (sha256 %.12s), whose losses are not counted here", c.Data, c.Digest)
		case c.Total == nil:
			b.total.Add(accountant.NotPrivate())
			say("it was trained on the same data, %s, without privacy", c.Data)
		case c.Relation != string(relation):
			b.total.Add(accountant.NotPrivate())
			say("it cost epsilon %.6g at delta %g on the same data, but for other neighbours (%s), which bounds nothing here", c.Epsilon, c.Delta, c.Relation)
		default:
			b.total.AddTotal(c.Total)
			say("it cost epsilon %.6g at delta %g on the same data, which is added", c.Epsilon, c.Delta)
		}
	}
	if b.unknown {
		b.total.Add(accountant.NotPrivate())
	}
	b.text = fmt.Sprintf("the run starts from %s: %s", w.file, strings.Join(parts, "; "))
	return b
}

// added is a total with what was shown before it; t is unchanged.
func (b *before) added(t accountant.Total) accountant.Total {
	if b == nil {
		return t
	}
	t = t.Clone()
	t.AddTotal(&b.total)
	return t
}

// loss is what was shown before, nil if there was nothing.
func (b *before) loss() *accountant.Total {
	if b == nil {
		return nil
	}
	return &b.total
}

// start has the accounts of an algorithm count what was shown before.
func (p *algorithmPlan) start(b *before) {
	if b == nil {
		return
	}
	p.before = b
	for i := range p.accounts {
		a := &p.accounts[i]
		a.before = b
		if a.why != "" {
			a.why += "; "
		}
		a.why += b.text
	}
}

// remarks are what readers of a run's results are told of its start.
func (b *before) remarks() (notes []note, warnings []warning) {
	if b == nil {
		return nil, nil
	}
	notes = []note{{"start", b.text}}
	if len(b.others) > 0 || !b.total.Private() {
		warnings = []warning{{"start", b.text}}
	}
	return notes, warnings
}

// modelCosts are what the model of a job that has run shows of the data, to who sees it:
// of the unit that loses the most, with what the start had shown.
func (arm *Arm) modelCosts(l *ledger) (string, error) {
	p := &arm.algorithm
	a, err := p.accountOf(accountant.Public)
	if err != nil {
		return "", err
	}
	cost := model.Cost{
		Data: p.trained.data, Digest: p.trained.digest, Unit: a.unit, Neighbours: a.neighbours, Relation: string(a.relation),
		Observer: string(a.observer), Definition: string(accountant.NoPrivacy),
	}
	var others []model.Cost
	known := p.before
	if known != nil {
		others = known.others
		if known.unknown {
			known = nil // it is said besides
		}
	}
	worst, epsilon, err := a.worst(l, known)
	if err != nil {
		return "", err
	}
	if !math.IsInf(epsilon, 1) {
		cost.Definition, cost.Total = string(worst.Definition(a.by)), &worst
		cost.Epsilon, cost.Delta, cost.Accountant = epsilon, a.delta, a.by
		if a.converted { // what was paid, which the total is of, is for others
			cost.Relation, cost.Neighbours = string(accountant.AddOrRemove), a.paidFor
			if cost.Epsilon, err = worst.Epsilon(a.delta, a.by); err != nil {
				return "", err
			}
		}
	}
	return model.EncodeCosts(append([]model.Cost{cost}, others...))
}

// worst is what the account's observer learns of the unit that loses the most, at the
// end of a run, with what was known before.
func (a *account) worst(l *ledger, known *before) (worst accountant.Total, epsilon float64, err error) {
	var by accountant.Converter
	end := len(l.points) - 1
	of := *a
	of.before = known
	worst = known.added(worst)
	if epsilon, err = of.epsilon(&worst, &by); err != nil {
		return worst, 0, err
	}
	groups := l.groups(end, true)
	for i := range groups {
		total := of.learned(&groups[i], l.points[end])
		e, err := of.epsilon(&total, &by)
		if err != nil {
			return worst, 0, err
		}
		if e > epsilon {
			worst, epsilon = total, e
		}
	}
	return worst, epsilon, nil
}
