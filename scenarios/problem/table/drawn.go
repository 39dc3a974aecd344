package table

import (
	"sync"

	"starling/actors/option"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/problem/stream"
)

// Clients may draw their rows from all training rows, each by its own key, so that they can be any number and
// nothing is copied. Rows of tests and of validation are of no client, and the same for all.

// Drawn reports whether clients draw their rows.
func (p *Problem) Drawn() bool {
	return p.Partition != nil && p.Partition.Kind == dataset.PartitionDrawn
}

// Size is the number of rows of a client that draws them.
func (p *Problem) Size() int { return p.Partition.Size }

// Passing returns the rows of so many clients that come and go under a seed: rows that they draw, or the rows of the
// first parties. It holds nothing for a client, and is slow where rows of different clients are asked for in turn.
func (p *Problem) Passing(seed uint64, clients int) (stream.Tester, error) {
	if !p.Drawn() {
		return p.clients(seed, clients)
	}
	t, err := p.table(seed)
	if err != nil {
		return nil, err
	}
	data, err := p.data(seed)
	if err != nil {
		return nil, err
	}
	law, err := dataset.NewDrawn(*p.Partition, p.labels(t))
	if err != nil {
		return nil, option.Errorf("partition", "%v", err)
	}
	d := &drawn{data: data, law: law, key: rng.NewKey(seed, dataset.PurposePartition), train: t.train[0]}
	d.last.New = func() any { return &drawnRows{client: -1} }
	if p.Tests() {
		d.fresh = t.commonTests()
	}
	if p.Validates() {
		d.validation = t.validation[0]
	}
	return d, nil
}

// drawn are the rows of clients that draw them, as a stream.Tester.
type drawn struct {
	data              *Data
	law               *dataset.Drawn
	key               rng.Key
	train             []int
	fresh, validation []int
	last              sync.Pool // of *drawnRows: rows of one client are mostly asked for one after the other
}

// drawnRows are the places of the rows of a client among the training rows.
type drawnRows struct {
	client messages.NodeID
	places []int
}

// Width implements problem.Data.
func (d *drawn) Width() int { return d.data.Width() }

// Datum implements problem.Data.
func (d *drawn) Datum(dst []float64, client messages.NodeID, step int) {
	of := d.last.Get().(*drawnRows)
	defer d.last.Put(of)
	if of.client != client {
		of.client, of.places = client, d.law.Shuffled(int(client), d.key)
	}
	d.data.Datum(dst, d.train[of.places[(step-1)%len(of.places)]])
}

// Shared implements stream.Shared.
func (d *drawn) Shared() bool { return true }

// TestSamples implements stream.Tester.
func (d *drawn) TestSamples(messages.NodeID) int { return len(d.fresh) }

// Test implements stream.Tester.
func (d *drawn) Test(dst []float64, _ messages.NodeID, index int) {
	d.data.Datum(dst, d.fresh[index])
}

// Validation implements stream.Validated.
func (d *drawn) Validation() stream.Tester {
	if d.validation == nil {
		return nil
	}
	return &heldOut{d, d.validation}
}

// heldOut are other fresh rows of the same clients.
type heldOut struct {
	*drawn
	rows []int
}

// TestSamples implements stream.Tester.
func (h *heldOut) TestSamples(messages.NodeID) int { return len(h.rows) }

// Test implements stream.Tester.
func (h *heldOut) Test(dst []float64, _ messages.NodeID, index int) {
	h.data.Datum(dst, h.rows[index])
}
