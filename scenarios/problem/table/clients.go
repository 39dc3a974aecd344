package table

import (
	"slices"

	"starling/actors/option"
	"starling/messages"
	"starling/scenarios/problem/stream"
)

// Parties may be the clients of a population. Their rows are held, or they pass: rows of a client are read when
// it takes part, and dropped after. Test rows are the same for all.

// Passes reports whether training rows are read when a client takes part, and are not held.
func (t *Table) Passes() bool { return t.passing != nil }

// Sizes are the numbers of training rows of parties, which must not be changed.
func (t *Table) Sizes() []int { return t.sizes() }

// clients returns the rows of the first parties, as clients of a population, under a seed.
func (p *Problem) clients(seed uint64, parties int) (stream.Tester, error) {
	t, err := p.table(seed)
	if err != nil {
		return nil, err
	}
	data, err := p.data(seed)
	if err != nil {
		return nil, err
	}
	if parties > len(t.Parties) {
		return nil, tooFew(t, parties)
	}
	c := &clientRows{data: data}
	if !t.Passes() {
		c.met = t.train
	}
	if c.fresh = slices.Clone(t.common); t.shared {
		c.fresh = append(slices.Concat(t.test[:min(parties, len(t.test))]...), t.common...)
	}
	if own := p.Tests() && !t.shared && len(t.common) == 0; own {
		return nil, option.Errorf("test", "clients that come and go have no test rows of their own; want test.common: true, by which all are tested on the rows of all, or test.file without a column of parties")
	}
	return c, nil
}

// tooFew is the error of more nodes than a table has parties.
func tooFew(t *Table, parties int) error {
	return option.Errorf("party", "%d nodes; the table has %s, %s", parties, partyCount(len(t.Parties)), Listed(t.Parties))
}

// clientRows are the rows of parties as clients of a population.
type clientRows struct {
	data  *Data
	met   [][]int // nil where rows pass
	fresh []int
}

// Width implements problem.Data.
func (c *clientRows) Width() int { return c.data.Width() }

// Size implements stream.Whole.
func (c *clientRows) Size(client messages.NodeID) int {
	if p := c.data.Table.passing; p != nil {
		return p.sizes[client]
	}
	return len(c.met[client])
}

// Rows implements stream.Whole.
func (c *clientRows) Rows(dst []float64, client messages.NodeID) error {
	width := c.Width()
	datum := func(k int, cells []float64) {
		if row := dst[min(k*width, len(dst)):]; len(row) > 0 {
			c.data.datum(row[:width], cells)
		}
	}
	if p := c.data.Table.passing; p != nil {
		return p.client(int(client), datum)
	}
	for k, row := range c.met[client] {
		datum(k, c.data.Table.row(row))
	}
	return nil
}

// Datum implements problem.Data. It is slow where rows pass: Rows reads all of a client at once.
func (c *clientRows) Datum(dst []float64, client messages.NodeID, step int) {
	if c.met != nil {
		own := c.met[client]
		c.data.Datum(dst, own[(step-1)%len(own)])
		return
	}
	stream.OneOf(c, dst, client, step)
}

// Shared implements stream.Shared.
func (c *clientRows) Shared() bool { return true }

// TestSamples implements stream.Tester.
func (c *clientRows) TestSamples(messages.NodeID) int { return len(c.fresh) }

// Test implements stream.Tester.
func (c *clientRows) Test(dst []float64, _ messages.NodeID, index int) {
	c.data.Datum(dst, c.fresh[index])
}
