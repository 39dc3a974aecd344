package table

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"starling/actors/option"
	"starling/mechanisms/factorization"
	"starling/mechanisms/rng"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/problem/stream"
	"starling/scenarios/problem/vector"
)

// The uses of randomness. They are the same under every seed where a seed is no part of
// them: which rows test is a property of the data.
var (
	purposeTests = rng.PurposeOf("table.tests") // which rows are held out
	purposeDeal  = rng.PurposeOf("table.deal")  // whose the rows of tests are that are nobody's
)

// Options say who learns from which rows.
type Options struct {
	// Data are the rows as data, of which parties and the labels decide what the rest may
	// be.
	Data *Data
	// Share is which part of each party's rows tests, drawn at random and the same under
	// every seed, at least one row; 0 is none.
	Share float64
	// Partition divides rows where no column names parties; nil where one does.
	Partition *dataset.PartitionOptions
	// Cycle has a learner that has met all its rows begin again.
	Cycle bool
}

// Problem is rows that are divided among learners. It is immutable and safe for concurrent
// use.
type Problem struct {
	Options
	// train and test are as in Table, after the share is held out. common are rows of
	// tests that are nobody's. divisions keeps what was divided: rows of one seed and
	// number of learners are asked for by stream, notes and audits alike.
	train, test [][]int
	common      []int
	divisions   stream.Memo[division, divided]
}

// division names a way to divide the rows. With a column of parties the seed changes
// nothing.
type division struct {
	seed    uint64
	parties int
}

// divided is who has which rows: by learner, met in the order in which they are met and
// fresh those that test it, nil where none do. err is an *option.Error, and the rest is
// then empty.
type divided struct {
	met, fresh [][]int
	err        error
}

// New holds rows out for tests and checks the options. Errors are *option.Error.
func New(o Options) (*Problem, error) {
	t := o.Data.Table
	p := &Problem{Options: o, train: t.train, test: t.test, common: t.common}
	switch {
	case t.Parties == nil && o.Partition == nil:
		return nil, option.Errorf("partition", "missing: without a column of parties a partition says whose rows are")
	case t.Parties != nil && o.Partition != nil:
		return nil, option.Errorf("partition", "is given, but the column of parties says whose rows are; leave one of them out")
	case o.Partition != nil && o.Data.Labels == vector.Value && o.Partition.Kind != dataset.PartitionIID:
		return nil, option.Errorf("partition.kind", "%s divides classes, and labels are quantities; want %s", o.Partition.Kind, dataset.PartitionIID)
	}
	if o.Partition != nil {
		if err := option.Under("partition", o.Partition.Validate()); err != nil {
			return nil, err
		}
	}
	if o.Share > 0 {
		if err := p.holdOut(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// holdOut draws rows of tests of each party, which keep their order.
func (p *Problem) holdOut() error {
	t := p.Data.Table
	p.train, p.test = make([][]int, len(t.train)), make([][]int, len(t.train))
	var s rng.Stream
	for party, rows := range t.train {
		count := max(1, int(math.Round(p.Share*float64(len(rows)))))
		if count >= len(rows) {
			return option.Errorf("test.share", "%s has %s, of which a share of %v leaves none for training; want more rows, or a smaller share", p.name(party), rowCount(len(rows)), p.Share)
		}
		// The key has seed 0: rows that test are a property of the data, and arms and
		// seeds that are compared are judged by the same ones.
		held := make([]bool, len(rows))
		for _, k := range s.Open(rng.NewKey(0, purposeTests), party, 0, 0).Perm(len(rows))[:count] {
			held[k] = true
		}
		p.test[party], p.train[party] = make([]int, 0, count), make([]int, 0, len(rows)-count)
		for k, row := range rows {
			if held[k] {
				p.test[party] = append(p.test[party], row)
			} else {
				p.train[party] = append(p.train[party], row)
			}
		}
	}
	return nil
}

// name is a party as errors call it.
func (p *Problem) name(party int) string {
	if t := p.Data.Table; t.Parties != nil {
		return fmt.Sprintf("party %q", t.Parties[party])
	}
	return "the table"
}

// learner is who learns, as errors call it.
func (p *Problem) learner(i int) string {
	if t := p.Data.Table; t.Parties != nil {
		return p.name(i)
	}
	return fmt.Sprintf("learner %d", i+1)
}

// rowCount is a number of rows in words.
func rowCount(n int) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}

// Tests tells whether there are rows of tests.
func (p *Problem) Tests() bool { return len(p.common) > 0 || p.testRows() > 0 }

// testRows is how many rows of tests parties have of their own.
func (p *Problem) testRows() (n int) {
	for _, rows := range p.test {
		n += len(rows)
	}
	return n
}

// divide says which rows each of so many learners meets, in order, and which test it. The
// result is shared between callers and must not be changed.
func (p *Problem) divide(seed uint64, parties int) (d divided) {
	return p.divisions.Get(division{seed, parties}, func() divided {
		if p.Partition != nil {
			return p.split(seed, parties)
		}
		t := p.Data.Table
		// Fewer nodes than parties is no fault: the first so many in order take part.
		if parties > len(t.Parties) {
			return divided{err: option.Errorf("party", "%d nodes; the table has %s, %s", parties, partyCount(len(t.Parties)), Listed(t.Parties))}
		}
		d := divided{met: p.train[:parties], fresh: p.test[:parties]}
		if len(p.common) > 0 {
			d.fresh = p.deal(d.met)
		}
		if p.Tests() && !slices.ContainsFunc(d.fresh, func(rows []int) bool { return len(rows) > 0 }) {
			return divided{err: option.Errorf("test", "no row of tests is of the %s that take part, %s; want more nodes, or leave test out", partyCount(parties), Listed(t.Parties[:parties]))}
		}
		return d
	})
}

// partyCount is a number of parties in words.
func partyCount(n int) string {
	if n == 1 {
		return "1 party"
	}
	return fmt.Sprintf("%d parties", n)
}

// split divides rows as images are divided, and the order in which a learner meets them is
// drawn.
func (p *Problem) split(seed uint64, parties int) divided {
	// Without a column of parties all rows are in one list.
	rows := p.train[0]
	labels := make([]uint8, len(rows)) // all alike where they are quantities
	if p.Data.Labels != vector.Value {
		for k, row := range rows {
			labels[k] = uint8(p.Data.Table.class(row))
		}
	}
	key := rng.NewKey(seed, dataset.PurposePartition)
	parts, err := dataset.Split(*p.Partition, labels, parties, key)
	if err != nil {
		return divided{err: option.Errorf("partition", "%v", err)}
	}
	d := divided{met: parts.Shuffle(key)}
	for i, part := range d.met {
		if len(part) == 0 {
			return divided{err: option.Errorf("partition", "learner %d has no rows; %s", i+1, p.Partition.Least(1))}
		}
		// Split knows positions in the list of training rows. From here on they are rows
		// of the table.
		for k, index := range part {
			part[k] = rows[index]
		}
	}
	if p.Tests() {
		d.fresh = p.deal(d.met)
	}
	return d
}

// deal divides rows of tests that are nobody's: classes in the proportions of the training
// rows of learners, and quantities evenly at random.
func (p *Problem) deal(met [][]int) [][]int {
	rows := p.common
	if len(rows) == 0 {
		rows = p.test[0]
	}
	if p.Data.Labels != vector.Value {
		return dataset.Alike(met, p.Data.Table.class, rows, p.Data.Table.class, len(p.Data.Table.Classes()))
	}
	fresh := make([][]int, len(met))
	var s rng.Stream
	for k, at := range s.Open(rng.NewKey(0, purposeDeal), 0, 0, 0).Perm(len(rows)) {
		fresh[k%len(met)] = append(fresh[k%len(met)], rows[at])
	}
	return fresh
}

// Stream is the rows as learners meet them under a seed: a stream.Tester where there are
// rows of tests, all of which somebody has: a learner may have none. A learner that has fewer
// rows than there are steps is an error without Cycle.
func (p *Problem) Stream(seed uint64, shape stream.Shape) (stream.Instance, error) {
	d := p.divide(seed, shape.Learners)
	if d.err != nil {
		return nil, d.err
	}
	for i, rows := range d.met {
		if len(rows) < shape.Steps() && !p.Cycle {
			return nil, option.Errorf("reuse", "%s has %s to learn from for %d steps, and meets none twice; want fewer steps, or reuse: cycle%s", p.learner(i), rowCount(len(rows)), shape.Steps(), p.orLeast(shape.Steps()))
		}
	}
	return p.instance(d), nil
}

// orLeast adds what else helps where a learner has too few rows.
func (p *Problem) orLeast(wanted int) string {
	if p.Partition == nil || p.Partition.Kind != dataset.PartitionDirichlet {
		return ""
	}
	return "; or " + p.Partition.Least(wanted)
}

// Deals is how many rows a seed divides anew; 0 is that seeds do not decide how many a learner
// has.
func (p *Problem) Deals() int {
	if p.Partition == nil || !p.Partition.Varies() {
		return 0
	}
	return len(p.train[0])
}

// Repeats says in how many of so many steps a learner meets a row, and how far apart.
func (p *Problem) Repeats(seed uint64, learners, steps int) (all factorization.Participation, err error) {
	d := p.divide(seed, learners)
	all = factorization.Once
	for _, rows := range d.met {
		n := len(rows)
		all = all.Or(factorization.Participation{Times: (steps + n - 1) / n, Apart: n, Even: true})
	}
	return all, d.err
}

// instance is a division as data.
func (p *Problem) instance(d divided) stream.Instance {
	r := &rows{data: p.Data, met: d.met}
	if !p.Tests() {
		return r
	}
	return &tested{rows: r, fresh: d.fresh}
}

// Corpus is the rows as data that stay, with the number of each client's: the first so
// many, of which no client has fewer; 0 is all.
func (p *Problem) Corpus(seed uint64, clients, samples int) (data stream.Instance, sizes []int, err error) {
	d := p.divide(seed, clients)
	if d.err != nil {
		return nil, nil, d.err
	}
	for i, rows := range d.met {
		if len(rows) < samples {
			return nil, nil, option.Errorf("file", "%s has %s to learn from; want at least the %d samples of a client%s", p.learner(i), rowCount(len(rows)), samples, p.orLeast(samples))
		}
		sizes = append(sizes, cmp.Or(samples, len(rows)))
	}
	return p.instance(d), sizes, nil
}

// Describe says how many rows there are, and whose.
func (p *Problem) Describe() string {
	train, least, most := 0, math.MaxInt, 0
	for _, rows := range p.train {
		train += len(rows)
		least, most = min(least, len(rows)), max(most, len(rows))
	}
	text := fmt.Sprintf("%d to learn from, %d of tests", train, len(p.common)+p.testRows())
	if t := p.Data.Table; t.Parties != nil {
		each := fmt.Sprintf("%d each", least)
		if most > least {
			each = fmt.Sprintf("%d to %d each", least, most)
		}
		text += fmt.Sprintf("; %s, with %s to learn from: %s", partyCount(len(t.Parties)), each, Listed(t.Parties))
	}
	return text
}

// rows are a stream.Instance.
type rows struct {
	data *Data
	met  [][]int
}

// Width implements stream.Instance.
func (r *rows) Width() int { return r.data.Width() }

// Datum implements stream.Instance. A learner that has met all its rows begins again.
func (r *rows) Datum(dst []float64, learner, step int) {
	own := r.met[learner]
	r.data.Datum(dst, own[step%len(own)])
}

// tested are a stream.Tester.
type tested struct {
	*rows
	fresh [][]int
}

// TestSamples implements stream.Tester.
func (t *tested) TestSamples(learner int) int { return len(t.fresh[learner]) }

// Test implements stream.Tester.
func (t *tested) Test(dst []float64, learner, index int) {
	t.data.Datum(dst, t.fresh[learner][index])
}
