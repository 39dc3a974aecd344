package table

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"starling/actors/option"
	"starling/mechanisms/factorization"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/problem"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/problem/stream"
	"starling/scenarios/problem/vector"
)

// The uses of randomness for the owners of rows of tests and of validation without an owner.
var (
	purposeDeal           = rng.PurposeOf("table.deal")
	purposeValidationDeal = rng.PurposeOf("table.validation-deal")
)

// Options describe the division of rows among learners.
type Options struct {
	// Data are the rows as data. Their parties and labels decide the values that other options
	// may have.
	Data *Data
	// Partition divides rows where no column names parties; nil where one does.
	Partition *dataset.PartitionOptions
	// Cycle: a learner that has met all its rows begins again.
	Cycle bool
}

// Problem is rows that are divided among learners. It is immutable and safe for concurrent
// use.
type Problem struct {
	Options
	// train, test, validation and common are as in Table. divisions keeps divisions: the rows of
	// one seed and number of learners are asked for by stream, notes and audits alike.
	train, test, validation [][]int
	common                  []int
	divisions               stream.Memo[division, divided]
}

// division identifies a division of the rows. With a column of parties it does not depend on
// the seed.
type division struct {
	seed    uint64
	parties int
}

// divided has the rows of each learner: met are the training rows in the order in which they
// are met, and fresh the test rows, nil where there are none. err is an *option.Error, and the
// rest is then empty.
type divided struct {
	met, fresh [][]int
	validation [][]int // as fresh, of validation rows
	err        error
}

// New checks the options. Errors are *option.Error.
func New(o Options) (*Problem, error) {
	t := o.Data.Table
	p := &Problem{Options: o, train: t.train, test: t.test, validation: t.validation, common: t.common}
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
	return p, nil
}

// learner returns the name of a learner in errors.
func (p *Problem) learner(i int) string {
	if t := p.Data.Table; t.Parties != nil {
		return t.party(i)
	}
	return fmt.Sprintf("learner %d", i+1)
}

// rowCount returns a number of rows in words.
func rowCount(n int) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}

// Tests reports whether there are test rows.
func (p *Problem) Tests() bool { return len(p.common) > 0 || p.testRows() > 0 }

// Validates reports whether there are validation rows.
func (p *Problem) Validates() bool { return p.validation != nil }

// testRows returns the number of test rows that parties have of their own.
func (p *Problem) testRows() (n int) {
	for _, rows := range p.test {
		n += len(rows)
	}
	return n
}

// divide returns the rows that each of so many learners meets, in order, and its test rows.
// The result is shared between callers and must not be changed.
func (p *Problem) divide(seed uint64, parties int) (d divided) {
	return p.divisions.Get(division{seed, parties}, func() divided {
		if p.Partition != nil {
			return p.split(seed, parties)
		}
		t := p.Data.Table
		// Fewer nodes than parties is no fault: the first parties in order take part.
		if parties > len(t.Parties) {
			return divided{err: option.Errorf("party", "%d nodes; the table has %s, %s", parties, partyCount(len(t.Parties)), Listed(t.Parties))}
		}
		d := divided{met: p.train[:parties], fresh: p.test[:parties]}
		if p.Validates() {
			d.validation = p.validation[:parties]
		}
		if len(p.common) > 0 {
			d.fresh = p.deal(d.met, p.common, purposeDeal)
		}
		if p.Tests() && !slices.ContainsFunc(d.fresh, func(rows []int) bool { return len(rows) > 0 }) {
			return divided{err: option.Errorf("test", "no row of tests is of the %s that take part, %s; want more nodes, or leave test out", partyCount(parties), Listed(t.Parties[:parties]))}
		}
		return d
	})
}

// partyCount returns a number of parties in words.
func partyCount(n int) string {
	if n == 1 {
		return "1 party"
	}
	return fmt.Sprintf("%d parties", n)
}

// split divides rows as images are divided, and draws the order in which a learner meets them.
func (p *Problem) split(seed uint64, parties int) divided {
	// Without a column of parties all rows are in one list.
	rows := p.train[0]
	labels := make([]uint8, len(rows)) // all 0 where labels are quantities
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
		rows := p.common
		if len(rows) == 0 {
			rows = p.test[0]
		}
		d.fresh = p.deal(d.met, rows, purposeDeal)
	}
	if p.Validates() {
		d.validation = p.deal(d.met, p.validation[0], purposeValidationDeal)
	}
	return d
}

// deal divides rows without an owner that are held out: classes in the proportions of the training
// rows of learners, and quantities evenly at random.
func (p *Problem) deal(met [][]int, rows []int, purpose rng.Purpose) [][]int {
	if p.Data.Labels != vector.Value {
		return dataset.Alike(met, p.Data.Table.class, rows, p.Data.Table.class, len(p.Data.Table.Classes()))
	}
	fresh := make([][]int, len(met))
	var s rng.Stream
	for k, at := range s.Open(rng.NewKey(0, purpose), 0, 0, 0).Perm(len(rows)) {
		fresh[k%len(met)] = append(fresh[k%len(met)], rows[at])
	}
	return fresh
}

// Stream returns the rows as learners meet them under a seed. It is a stream.Tester where
// there are test rows. Every test row has an owner, but a learner may have none. A learner
// with fewer rows than steps is an error without Cycle.
func (p *Problem) Stream(seed uint64, shape stream.Shape) (problem.Data, error) {
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

// orLeast returns another remedy where a learner has too few rows.
func (p *Problem) orLeast(wanted int) string {
	if p.Partition == nil || p.Partition.Kind != dataset.PartitionDirichlet {
		return ""
	}
	return "; or " + p.Partition.Least(wanted)
}

// Deals returns the number of rows that a seed divides anew; 0 means that seeds do not decide
// the number of rows of a learner.
func (p *Problem) Deals() int {
	if p.Partition == nil || !p.Partition.Varies() {
		return 0
	}
	return len(p.train[0])
}

// Repeats returns the number of steps in which a learner meets the same row, and how far apart
// they are.
func (p *Problem) Repeats(seed uint64, learners, steps int) (all factorization.Participation, err error) {
	d := p.divide(seed, learners)
	all = factorization.Once
	for _, rows := range d.met {
		n := len(rows)
		all = all.Or(factorization.Participation{Times: (steps + n - 1) / n, Apart: n, Even: true})
	}
	return all, d.err
}

// instance returns a division as data.
func (p *Problem) instance(d divided) problem.Data {
	r := &rows{data: p.Data, met: d.met, validation: d.validation}
	if !p.Tests() {
		return r
	}
	return &tested{rows: r, fresh: d.fresh}
}

// Corpus returns the rows as data that stay, with the number of rows of each client. samples
// is the number of first rows of each client, and no client has fewer; 0 means all.
func (p *Problem) Corpus(seed uint64, clients, samples int) (data problem.Data, sizes []int, err error) {
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

// Describe returns a sentence on the numbers of rows and their owners.
func (p *Problem) Describe() string {
	train, least, most := 0, math.MaxInt, 0
	for _, rows := range p.train {
		train += len(rows)
		least, most = min(least, len(rows)), max(most, len(rows))
	}
	text := fmt.Sprintf("%d to learn from, %d of tests", train, len(p.common)+p.testRows())
	if validation := slices.Concat(p.validation...); p.Validates() {
		text += fmt.Sprintf(", %d of validation", len(validation))
	}
	if t := p.Data.Table; t.Parties != nil {
		each := fmt.Sprintf("%d each", least)
		if most > least {
			each = fmt.Sprintf("%d to %d each", least, most)
		}
		text += fmt.Sprintf("; %s, with %s to learn from: %s", partyCount(len(t.Parties)), each, Listed(t.Parties))
	}
	return text
}

// rows are a problem.Data.
type rows struct {
	data       *Data
	met        [][]int
	validation [][]int // nil where there are none
}

// Validation implements stream.Validated.
func (r *rows) Validation() stream.Tester {
	if r.validation == nil {
		return nil
	}
	return &tested{rows: r, fresh: r.validation}
}

// Width implements problem.Data.
func (r *rows) Width() int { return r.data.Width() }

// Datum implements problem.Data. A learner that has met all its rows begins again.
func (r *rows) Datum(dst []float64, node messages.NodeID, step int) {
	own := r.met[node]
	r.data.Datum(dst, own[(step-1)%len(own)])
}

// tested are a stream.Tester.
type tested struct {
	*rows
	fresh [][]int
}

// TestSamples implements stream.Tester.
func (t *tested) TestSamples(node messages.NodeID) int { return len(t.fresh[node]) }

// Test implements stream.Tester.
func (t *tested) Test(dst []float64, node messages.NodeID, index int) {
	t.data.Datum(dst, t.fresh[node][index])
}
