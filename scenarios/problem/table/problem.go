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
	// Data are the rows as data, under the first seed of a study. Their parties and labels decide the
	// values that other options may have.
	Data *Data
	// Splits are the data of other seeds; nil where they are Data under every seed.
	Splits *Splits
	// Partition divides rows where no column names parties; nil where one does.
	Partition *dataset.PartitionOptions
	// Cycle: a learner that has met all its rows begins again.
	Cycle bool
}

// Problem is rows that are divided among learners. It is immutable and safe for concurrent
// use.
type Problem struct {
	Options
	// divisions keeps the last divisions: the rows of one seed and number of learners are asked for
	// by stream, notes and audits alike.
	divisions recent[division, divided]
}

// division identifies a division of the rows.
type division struct {
	seed    uint64
	parties int
}

// divided has the rows of each learner: met are the training rows in the order in which they
// are met, and fresh the test rows, nil where there are none. err is an *option.Error, and the
// rest is then empty.
type divided struct {
	table      *Table
	met, fresh [][]int
	validation [][]int // as fresh, of validation rows
	shared     bool    // fresh is the same for all
	err        error
}

// New checks the options. Errors are *option.Error.
func New(o Options) (*Problem, error) {
	t := o.Data.Table
	p := &Problem{Options: o}
	switch {
	case t.Parties == nil && o.Partition == nil:
		return nil, option.Errorf("partition", "missing: without a column of parties, a partition has to divide the rows")
	case t.Parties != nil && o.Partition != nil:
		return nil, option.Errorf("partition", "is given, but the column of parties divides the rows already; leave one of them out")
	case o.Partition != nil && o.Data.Labels == vector.Value && o.Partition.ByClass():
		return nil, option.Errorf("partition.kind", "%s divides classes, and labels are quantities; want %s or %s", o.Partition.Kind, dataset.PartitionIID, dataset.PartitionSizes)
	}
	if o.Partition != nil {
		if err := option.Under("partition", o.Partition.Validate()); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// table returns the table as it is split under a seed.
func (p *Problem) table(seed uint64) (*Table, error) {
	if p.Splits == nil {
		return p.Data.Table, nil
	}
	return p.Splits.Table(seed)
}

// data returns the data under a seed.
func (p *Problem) data(seed uint64) (*Data, error) {
	if p.Splits == nil {
		return p.Data, nil
	}
	return p.Splits.Data(seed)
}

// learner returns the name of a learner of a division in errors.
func (p *Problem) learner(d divided, i int) string {
	if d.table.Parties != nil {
		return d.table.party(i)
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
func (p *Problem) Tests() bool { return p.Data.Table.testRows() > 0 }

// Validates reports whether there are validation rows.
func (p *Problem) Validates() bool { return p.Data.Table.validation != nil }

// testRows returns the number of test rows.
func (t *Table) testRows() int {
	n := len(t.common)
	for _, rows := range t.test {
		n += len(rows)
	}
	return n
}

// divide returns the rows that each of so many learners meets, in order, and its test rows.
// The result is shared between callers and must not be changed.
func (p *Problem) divide(seed uint64, parties int) (d divided) {
	return p.divisions.get(division{seed, parties}, func() divided {
		t, err := p.table(seed)
		if err != nil {
			return divided{err: err}
		}
		if p.Partition != nil {
			return p.partition(t, seed, parties)
		}
		return p.owned(t, parties)
	})
}

// owned returns the rows of the first parties.
func (p *Problem) owned(t *Table, parties int) divided {
	// Fewer nodes than parties is no fault: the first parties in order take part.
	if parties > len(t.Parties) {
		return divided{err: tooFew(t, parties)}
	}
	d := divided{table: t, met: t.train[:parties], fresh: t.test[:parties]}
	if p.Validates() {
		d.validation = t.validation[:parties]
	}
	switch {
	case t.shared:
		d.share(slices.Concat(slices.Concat(d.fresh...), t.common))
	case len(t.common) > 0:
		d.fresh = p.deal(d.met, t.common, purposeDeal)
	}
	if p.Tests() && !slices.ContainsFunc(d.fresh, func(rows []int) bool { return len(rows) > 0 }) {
		return divided{err: option.Errorf("test", "no row of tests is of the %s that take part, %s; want more nodes, or leave test out", partyCount(parties), Listed(t.Parties[:parties]))}
	}
	return d
}

// share gives every learner the same test rows.
func (d *divided) share(rows []int) {
	d.shared, d.fresh = true, make([][]int, len(d.met))
	for i := range d.fresh {
		d.fresh[i] = rows
	}
}

// partyCount returns a number of parties in words.
func partyCount(n int) string {
	if n == 1 {
		return "1 party"
	}
	return fmt.Sprintf("%d parties", n)
}

// partition divides rows as images are divided, and draws the order in which a learner meets them.
func (p *Problem) partition(t *Table, seed uint64, parties int) divided {
	// Without a column of parties all rows are in one list.
	rows, labels := t.train[0], p.labels(t)
	key := rng.NewKey(seed, dataset.PurposePartition)
	parts, err := dataset.Split(*p.Partition, labels, parties, key)
	if err != nil {
		return divided{err: option.Errorf("partition", "%v", err)}
	}
	d := divided{table: t, met: parts.Shuffle(key)}
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
		rows := t.commonTests()
		if t.shared || p.Drawn() {
			d.share(rows)
		} else {
			d.fresh = p.deal(d.met, rows, purposeDeal)
		}
	}
	switch {
	case p.Validates() && p.Drawn():
		d.validation = slices.Repeat(t.validation[:1], parties)
	case p.Validates():
		d.validation = p.deal(d.met, t.validation[0], purposeValidationDeal)
	}
	return d
}

// labels returns the classes of the training rows of a table without parties, all 0 where labels are quantities.
func (p *Problem) labels(t *Table) []uint8 {
	labels := make([]uint8, len(t.train[0]))
	if p.Data.Labels != vector.Value {
		for k, row := range t.train[0] {
			labels[k] = uint8(t.class(row))
		}
	}
	return labels
}

// commonTests returns the test rows of a table without parties.
func (t *Table) commonTests() []int {
	if len(t.common) > 0 {
		return t.common
	}
	return t.test[0]
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
	if p.Drawn() {
		return nil, option.Errorf("partition.kind", "%s shares rows among clients that keep theirs, and a learner of a stream meets rows that no other meets; want another partition", dataset.PartitionDrawn)
	}
	d := p.divide(seed, shape.Learners)
	if d.err != nil {
		return nil, d.err
	}
	for i, rows := range d.met {
		if len(rows) < shape.Steps() && !p.Cycle {
			return nil, option.Errorf("reuse", "%s has %s to learn from for %d steps, and meets none twice; want fewer steps, or reuse: cycle%s", p.learner(d, i), rowCount(len(rows)), shape.Steps(), p.orLeast(shape.Steps()))
		}
	}
	return p.instance(seed, d)
}

// orLeast returns another remedy where a learner has too few rows.
func (p *Problem) orLeast(wanted int) string {
	if p.Partition == nil || p.Partition.Kind != dataset.PartitionDirichlet {
		return ""
	}
	return "; or " + p.Partition.Least(wanted)
}

// Deals returns the number of rows that a seed divides anew; 0 means that seeds do not decide
// the number of rows of a learner, and that a fault under one is a fault under all.
func (p *Problem) Deals() int {
	varies := p.Partition != nil && p.Partition.Varies()
	if s := p.Splits; s != nil && s.split.Varies() {
		// Divisions by class follow the classes of the training rows.
		varies = varies || s.split.Uneven() || s.Fallible() || p.Partition != nil && p.Partition.ByClass()
	}
	if !varies {
		return 0
	}
	return p.Data.Table.trained()
}

// Cycles returns after how many seeds the numbers of rows of learners come again: 1 if all seeds have
// the same, 0 if there is no such number.
func (p *Problem) Cycles() int {
	switch s := p.Splits; {
	case p.Partition != nil, s != nil && s.split.Seeded && s.split.Parties > 0:
		return 0
	case s != nil && s.split.Folds > 0:
		return s.split.Folds
	}
	return 1
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

// instance returns a division under a seed as data.
func (p *Problem) instance(seed uint64, d divided) (problem.Data, error) {
	data, err := p.data(seed)
	if err != nil {
		return nil, err
	}
	r := &rows{data: data, met: d.met, validation: d.validation, alike: p.Drawn()}
	if !p.Tests() {
		return r, nil
	}
	return &tested{rows: r, fresh: d.fresh, shared: d.shared}, nil
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
			return nil, nil, option.Errorf("file", "%s has %s to learn from; want at least the %d samples of a client%s", p.learner(d, i), rowCount(len(rows)), samples, p.orLeast(samples))
		}
		sizes = append(sizes, cmp.Or(samples, len(rows)))
	}
	data, err = p.instance(seed, d)
	return data, sizes, err
}

// Held returns about the number of bytes of the table and of the splits that are kept.
func (p *Problem) Held() float64 {
	if p.Splits == nil {
		return p.Data.Table.Held()
	}
	return p.Data.Table.Held() + p.Splits.held()
}

// Describe returns a sentence on the numbers of rows and their owners, under the first seed.
func (p *Problem) Describe() string {
	train, least, most, t := 0, math.MaxInt, 0, p.Data.Table
	for _, size := range t.sizes() {
		train += size
		least, most = min(least, size), max(most, size)
	}
	text := fmt.Sprintf("%d to learn from, %d of tests", train, t.testRows())
	if validation := slices.Concat(t.validation...); p.Validates() {
		text += fmt.Sprintf(", %d of validation", len(validation))
	}
	if t.Parties != nil {
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
	alike      bool    // validation is the same for all
}

// Validation implements stream.Validated.
func (r *rows) Validation() stream.Tester {
	if r.validation == nil {
		return nil
	}
	return &tested{rows: r, fresh: r.validation, shared: r.alike}
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
	fresh  [][]int
	shared bool
}

// Shared implements stream.Shared.
func (t *tested) Shared() bool { return t.shared }

// TestSamples implements stream.Tester.
func (t *tested) TestSamples(node messages.NodeID) int { return len(t.fresh[node]) }

// Test implements stream.Tester.
func (t *tested) Test(dst []float64, node messages.NodeID, index int) {
	t.data.Datum(dst, t.fresh[node][index])
}
