package table

import (
	"runtime"
	"slices"
	"sync"
)

// chunkNumbers and chunkRows bound the rows that are copied before their cells are taken, a column
// after the other: all stay in the cache of a core.
const (
	chunkNumbers = 1 << 13
	chunkRows    = 1 << 9
)

// eachTrained hands over the cells of some columns of all training rows, party by party: use is
// called with the place of a column in the list, and with its cells in some rows, which follow the
// rows of the last call. Calls for one column follow each other in the order of rows, so that sums have the
// same bits on any number of cores; calls for several columns may come at once.
func (t *Table) eachTrained(columns []int, use func(at int, cells []float64)) {
	groups := min(runtime.GOMAXPROCS(0), len(columns), 1+t.rows/(1<<12))
	if t.passing != nil {
		groups = min(1, len(columns)) // each would read all files
	}
	var group sync.WaitGroup
	for g := range groups {
		first, end := g*len(columns)/groups, (g+1)*len(columns)/groups
		group.Go(func() { t.eachOf(columns[first:end], first, use) })
	}
	group.Wait()
}

// eachOf is eachTrained for the columns of one goroutine, of which the first has the place first.
// The rows of a party lie far apart. A plain copy of one after the other lets the machine fetch many
// at once; a loop over their cells waits for each.
func (t *Table) eachOf(columns []int, first int, use func(at int, cells []float64)) {
	low, high := slices.Min(columns), slices.Max(columns)+1
	width, inBlock := high-low, t.inBlock()
	most := max(1, min(chunkRows, chunkNumbers/width))
	rows, cells := make([]float64, 0, most*width), make([]float64, most)
	if t.passing != nil {
		t.passing.each(func(row []float64) {
			for k, column := range columns {
				use(first+k, row[column:column+1])
			}
		})
		return
	}
	pass := func() {
		for k, column := range columns {
			taken := cells[:0]
			for at := column - low; at < len(rows); at += width {
				taken = append(taken, rows[at])
			}
			use(first+k, taken)
		}
		rows = rows[:0]
	}
	for _, list := range t.train {
		for _, i := range list {
			row := t.blocks[i/inBlock][i%inBlock*t.width:]
			if rows = append(rows, row[low:high]...); len(rows) == cap(rows) {
				pass()
			}
		}
	}
	pass()
}

// trained returns the number of training rows.
func (t *Table) trained() (rows int) {
	for _, size := range t.sizes() {
		rows += size
	}
	return rows
}
