package results

import (
	"bytes"
	"fmt"

	"github.com/parquet-go/parquet-go"
)

// checkMetrics compares the rows of the metrics.parquet at path with the lines of their jobs.
// The error names the first job with different rows.
func checkMetrics(path string, lines []digestLine) error {
	c := &check{lines: lines, begin: func(l *digestLine) (*Hash, int, []byte, error) {
		h, err := (&Proof{Machines: l.Machines}).resume()
		return h, l.Rows, l.Digest, err
	}}
	return c.end(eachMetric(path, func(group parquet.RowGroup, names *numbering) error {
		g, err := readMetrics(group, names)
		if err != nil {
			return fmt.Errorf("rows %d to %d, of arms and seeds from %s on, cannot be read: %w", c.row+1, c.row+int(group.NumRows()), c.whose(), err)
		}
		for i, node := range g.Nodes {
			if err := c.next(names.Texts[g.Arms[i]], g.Seeds[i]); err != nil {
				return err
			}
			c.hash.row(g.Steps[i], node, names.Texts[g.Metrics[i]], g.Values[i])
		}
		return nil
	}))
}

// checkPrivacy does the same for the privacy.parquet at path.
func checkPrivacy(path string, lines []digestLine) error {
	c := &check{lines: lines, begin: func(l *digestLine) (*Hash, int, []byte, error) { return NewHash(), l.PrivacyRows, l.Privacy, nil }}
	return c.end(eachPrivacy(path, func(row PrivacyRow) error {
		if err := c.next(row.Arm, row.Seed); err != nil {
			return err
		}
		c.hash.privacy(&row)
		return nil
	}))
}

// check compares the rows of a file, as they come, with the lines of their jobs.
type check struct {
	lines []digestLine
	// begin returns, for a job, the hash before its rows, the number of its rows, and the
	// digest that they must give.
	begin func(*digestLine) (h *Hash, rows int, want []byte, err error)
	// row is the number of rows so far, and at the number of lines that are begun. Of the last
	// line: first is its first row, from 1, and left is the number of rows to come.
	row, at, first, left int
	hash                 *Hash
	want                 []byte
}

// whose names the job of the next row.
func (c *check) whose() string {
	if more, err := c.advance(); !more || err != nil {
		return "the last"
	}
	return fmt.Sprintf("arm %q, seed %d", c.lines[c.at-1].Arm, c.lines[c.at-1].Seed)
}

// next makes ready for a row of a job.
func (c *check) next(arm string, seed uint64) error {
	more, err := c.advance()
	if err != nil {
		return err
	}
	if !more {
		return fmt.Errorf("row %d is one too many: all jobs have their rows before it", c.row+1)
	}
	c.row++
	c.left--
	if line := &c.lines[c.at-1]; arm != line.Arm || seed != line.Seed {
		return fmt.Errorf("row %d is of arm %q, seed %d, in the place of a row of arm %q, seed %d", c.row, arm, seed, line.Arm, line.Seed)
	}
	return nil
}

// advance ends the jobs that have all their rows. It reports whether a job has rows to come.
func (c *check) advance() (more bool, err error) {
	for c.left == 0 {
		if err := c.compare(); err != nil || c.at == len(c.lines) {
			return false, err
		}
		c.at++
		if c.hash, c.left, c.want, err = c.begin(&c.lines[c.at-1]); err != nil {
			return false, fmt.Errorf("line %d: %w", c.at, err)
		}
		c.first = c.row + 1
	}
	return true, nil
}

// compare ends the last job.
func (c *check) compare() error {
	if c.hash == nil {
		return nil
	}
	sum, line := c.hash.Sum(), &c.lines[c.at-1]
	c.hash = nil
	if bytes.Equal(sum[:], c.want) {
		return nil
	}
	rows := fmt.Sprintf("rows %d to %d", c.first, c.row)
	if c.row < c.first {
		rows = "no rows"
	}
	return fmt.Errorf("%s, of arm %q, seed %d, are not those that were written: line %d has another digest", rows, line.Arm, line.Seed, c.at)
}

// end ends a check after the last row, or with an error before it.
func (c *check) end(err error) error {
	if err != nil {
		return err
	}
	more, err := c.advance()
	if more {
		line := &c.lines[c.at-1]
		err = fmt.Errorf("%d rows of arm %q, seed %d, are missing after row %d", c.left, line.Arm, line.Seed, c.row)
	}
	return err
}
