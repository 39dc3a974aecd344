package results

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// SummaryRow is a statistic of one metric over the seeds of an arm, as
// summary.parquet holds it.
type SummaryRow struct {
	Arm    string
	Step   int64
	Metric string
	Mean   float64
	// SE is the standard error of Mean; NaN where it is undefined, and then null in the
	// file.
	SE float64
	// N is the number of seeds behind Mean.
	N int64
}

// Summarizer accumulates, for every (arm, step, metric), the mean and standard
// error over seeds of the run-level metrics (Row.Node nil). Node-level metrics
// are left out: a mean over nodes and seeds mixes two kinds of spread, and
// belongs to the scenario, which can record it as a run-level metric.
//
// The standard error is s/√n with s² = Σ(x-mean)²/(n-1), accumulated online
// (Welford 1962) in the order of AddJob, so that equal jobs in equal order give
// equal bits. Its edges:
//   - n = 1: NaN, for one value says nothing about the spread;
//   - equal values: 0, also when all of them are the same infinity;
//   - an infinity among other values: the mean is the infinite or NaN sum, the
//     standard error NaN;
//   - a NaN among the values: both NaN;
//   - values farther apart than about 1e154: the squares overflow and the
//     standard error is +Inf.
type Summarizer struct {
	arms    map[string]int32 // order of the arm in the run
	metrics map[string]int32
	index   map[cellKey]int32 // position in cells; looked up, never iterated
	cells   []cell
	jobs    int32
	// like are the places of the cells of the last job, in the order of its rows: mostly they
	// are the places of the next job of the arm, too.
	like []int32
}

type cellKey struct {
	step        int64
	arm, metric int32
}

// cell is a summary row in the making.
type cell struct {
	// row has Mean and N up to date; SE is set by extra rows only.
	row SummaryRow
	// squares is the sum of (x - mean)^2.
	squares float64
	// job is the last job that added to the cell, from 1; 0 for an extra row.
	job int32
}

// NewSummarizer returns an empty summary of a run with the given arms.
func NewSummarizer(arms []string) *Summarizer {
	s := &Summarizer{
		arms:    make(map[string]int32, len(arms)),
		metrics: make(map[string]int32),
		index:   make(map[cellKey]int32),
	}
	for i, arm := range arms {
		s.arms[arm] = int32(i)
	}
	return s
}

// AddJob adds the run-level rows of a job. A job that gives two values for one
// (step, metric) is an error, after which the summary is of no use.
func (s *Summarizer) AddJob(job *Job) error {
	if err := job.LoadRunLevel(); err != nil {
		return err
	}
	samples := job.samples
	if job.unread {
		samples = job.runLevel
	}
	s.jobs++
	row := 0
	for i := range samples {
		sample := &samples[i]
		if sample.node != noNode {
			continue
		}
		metric := job.metrics[sample.metric]
		c, fresh, err := s.next(row, job.arm, sample.step, metric)
		if err != nil {
			return fmt.Errorf("%v: %w", job, err)
		}
		row++
		if c.job == s.jobs {
			return fmt.Errorf("%v: metric %q has two values at step %d", job, metric, sample.step)
		}
		if !fresh && c.job == 0 {
			return fmt.Errorf("%v: metric %q has a reducer's summary row at step %d", job, metric, sample.step)
		}
		c.job = s.jobs
		c.add(sample.value)
	}
	return nil
}

// AddSummary adds a row that a reducer computed: a statistic over seeds that is
// no mean of per-run numbers, with a standard error of its own. There must be
// no other row for its (arm, step, metric).
func (s *Summarizer) AddSummary(row SummaryRow) error {
	if err := validName(row.Metric); err != nil {
		return fmt.Errorf("summary row: metric %q: %w", row.Metric, err)
	}
	if row.N < 1 {
		return fmt.Errorf("summary row: metric %q of arm %q: n = %d is less than 1", row.Metric, row.Arm, row.N)
	}
	c, fresh, err := s.at(row.Arm, row.Step, row.Metric)
	if err != nil {
		return fmt.Errorf("summary row: %w", err)
	}
	if !fresh {
		return fmt.Errorf("summary row: metric %q of arm %q has a row at step %d already", row.Metric, row.Arm, row.Step)
	}
	c.row = row
	return nil
}

// Rows returns the summary, sorted by arm (in the order of the run), step and
// metric.
func (s *Summarizer) Rows() []SummaryRow {
	rows := make([]SummaryRow, len(s.cells))
	for i := range s.cells {
		rows[i] = s.cells[i].result()
	}
	slices.SortFunc(rows, func(a, b SummaryRow) int {
		return cmp.Or(
			cmp.Compare(s.arms[a.Arm], s.arms[b.Arm]),
			cmp.Compare(a.Step, b.Step),
			cmp.Compare(a.Metric, b.Metric),
		)
	})
	return rows
}

// next is at for the cell of the n-th row of a job. It looks the cell up only where it differs
// from the cell of the n-th row of the job before.
func (s *Summarizer) next(n int, arm string, step int64, metric string) (c *cell, fresh bool, err error) {
	if n < len(s.like) {
		c = &s.cells[s.like[n]]
		if c.row.Step == step && c.row.Metric == metric && c.row.Arm == arm {
			return c, false, nil
		}
	}
	i, fresh, err := s.find(arm, step, metric)
	if err != nil {
		return nil, false, err
	}
	s.like = append(s.like[:min(n, len(s.like))], i)
	return &s.cells[i], fresh, nil
}

// at returns the cell of (arm, step, metric) and whether it is new. The
// pointer is valid until the next call.
func (s *Summarizer) at(arm string, step int64, metric string) (c *cell, fresh bool, err error) {
	i, fresh, err := s.find(arm, step, metric)
	if err != nil {
		return nil, false, err
	}
	return &s.cells[i], fresh, nil
}

// find is at for the place of the cell.
func (s *Summarizer) find(arm string, step int64, metric string) (i int32, fresh bool, err error) {
	a, ok := s.arms[arm]
	if !ok {
		return 0, false, fmt.Errorf("arm %q is not one of the run", arm)
	}
	m, ok := s.metrics[metric]
	if !ok {
		m = int32(len(s.metrics))
		s.metrics[metric] = m
	}
	key := cellKey{step: step, arm: a, metric: m}
	i, ok = s.index[key]
	if !ok {
		i = int32(len(s.cells))
		s.index[key] = i
		s.cells = append(s.cells, cell{row: SummaryRow{Arm: arm, Step: step, Metric: metric}})
	}
	return i, !ok, nil
}

// add takes in one more value (Welford's recurrence).
func (c *cell) add(x float64) {
	c.row.N++
	delta := x - c.row.Mean
	switch {
	case c.row.N == 1:
		c.row.Mean = x
	case x == c.row.Mean: // also Inf = Inf, where delta is NaN
	case math.IsInf(x, 0) || math.IsInf(c.row.Mean, 0):
		c.row.Mean += x
		c.squares = math.NaN()
	default:
		c.row.Mean += delta / float64(c.row.N)
		c.squares += float64(delta * (x - c.row.Mean))
	}
}

// result is the row with its standard error.
func (c *cell) result() SummaryRow {
	row := c.row
	if c.job == 0 {
		return row
	}
	row.SE = math.NaN()
	if n := float64(row.N); n > 1 {
		row.SE = math.Sqrt(c.squares / (n - 1) / n)
	}
	return row
}

// MeanSE returns the mean of values and its standard error, as summaries have them.
func MeanSE(values []float64) (mean, se float64) {
	c := cell{job: 1} // as if of a job: result then computes the standard error
	for _, x := range values {
		c.add(x)
	}
	row := c.result()
	return row.Mean, row.SE
}

// writeSummary writes summary.parquet.
func writeSummary(path string, rows []SummaryRow, notes []tableNote) (*tableWriter[summaryRecord], error) {
	file, err := createTable[summaryRecord](path, "mean", "se")
	if err != nil {
		return nil, err
	}
	defer file.Abort()
	records := make([]summaryRecord, 0, rowsPerBatch)
	for batch := range slices.Chunk(rows, rowsPerBatch) {
		records = records[:0]
		for i := range batch {
			r := &batch[i]
			record := summaryRecord{Arm: r.Arm, Step: r.Step, Metric: r.Metric, Mean: r.Mean, N: r.N}
			if !math.IsNaN(r.SE) {
				record.SE = &r.SE
			}
			records = append(records, record)
		}
		if err := file.Write(records); err != nil {
			return nil, err
		}
	}
	file.Annotate(notes)
	return file, file.Commit()
}
