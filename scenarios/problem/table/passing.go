package table

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"starling/scenarios/problem/dataset"
)

// passing are the training rows of clients that are read when a client takes part, and dropped after. Beside
// the rows themselves they have all that is known of a table: the first reading decides the columns, and the
// codes of words and classes.
type passing struct {
	format dataset.Format
	// folder has a file for each client, of which files are the sums by code; or groups are the row groups of one
	// file, and of has the groups of each client by code.
	folder string
	files  []dataset.Sum
	groups *dataset.RowGroups
	of     [][]int
	// sizes are the numbers of rows of clients, by code and, once all are read, by place; codes are by place,
	// and names by code.
	sizes, codes []int
	names        []string
	// step is the column that orders the rows of a client, -1 without one; columns has the column of
	// each feature. features and label know the codes of their words.
	step     int
	columns  []int
	label    int
	features []feature
	labels   feature
	words    []map[string]int // of each feature, and of the label last
	classes  map[uint64]float64
	// row is memory for a row of the first reading. follows are its last numbers, and breaks is true for
	// features that do not count the rows.
	row, follows []float64
	breaks       []bool
	decoders     sync.Pool // of *decoder
	mu           sync.Mutex
	failed       error // of a reading of all clients
}

// ReadPassing is Read for clients with rows that are read when they take part: only the facts of all rows are kept
// of them. The file of row groups stays open. Rows of test are held, and have no owner.
func ReadPassing(c Columns, train File, test *File) (t *Table, digests []string, err error) {
	p := &passing{format: c.Format, folder: train.Path}
	return (&reader{Columns: c, table: &Table{passing: p}, path: train.Path}).read(train, test)
}

// readTrain reads the training rows.
func (r *reader) readTrain(train File) (digest string, err error) {
	switch {
	case train.Clients != nil:
		digest, err = r.readFolder(train)
	case r.Party.Of == OfGroups:
		digest, err = r.readGroups(train)
	default:
		digest, err = r.Format.ReadRows(train, train.Path, r)
	}
	if err == nil && r.came == 0 {
		err = fmt.Errorf("%s: %s", train.Path, noRows)
	}
	return digest, err
}

// readFolder reads a folder with a file for each client, each once. The digest is the SHA-256 of the lines that
// sha256sum prints for the files in the order of their names.
func (r *reader) readFolder(train File) (digest string, err error) {
	all := sha256.New()
	for _, client := range train.Clients {
		path, came := dataset.ClientFile(train.Path, client), r.came
		r.client = client
		sum, err := r.Format.ReadClient(train.Path, client, nil, r)
		if err == nil && r.came == came {
			err = fmt.Errorf("%s: %s", path, noRows)
		}
		if err != nil {
			return "", err
		}
		if r.began == "" {
			r.began = path
		}
		if p := r.table.passing; p != nil {
			p.files = append(p.files, sum)
		}
		fmt.Fprintf(all, "%x  %s\n", sum, filepath.Base(path))
	}
	return hex.EncodeToString(all.Sum(nil)), nil
}

// readGroups reads a file with a client in each row group.
func (r *reader) readGroups(train File) (digest string, err error) {
	groups, digest, err := r.Format.OpenRowGroups(train.File, train.Path)
	if err != nil {
		return "", err
	}
	if err := groups.Header(r); err != nil {
		return "", err
	}
	for k := range groups.Len() {
		if r.group, r.client = k+1, ""; r.party == nil {
			r.client = strconv.Itoa(k + 1)
		}
		came := r.came
		if err := groups.Read(k, r); err != nil {
			return "", err
		}
		if r.came == came {
			return "", groups.Place().Errorf("row group %d has no rows", k+1)
		}
		if p := r.table.passing; p != nil {
			code := r.owners.codes[r.client]
			if code == len(p.of) {
				p.of = append(p.of, nil)
			}
			p.of[code] = append(p.of[code], k)
		}
	}
	if p := r.table.passing; p != nil {
		p.groups = groups
	}
	return digest, nil
}

// clientOf returns the code of the client of the file or row group of a row.
func (r *reader) clientOf(at dataset.Place, cells []dataset.Cell) (code int, err error) {
	if len(r.party) > 0 {
		switch name, err := r.owner(at, cells); {
		case err != nil:
			return 0, err
		case r.client == "":
			r.client = strings.Clone(name)
		case name != r.client:
			return 0, at.Errorf("party: got %q, and the rows of row group %d before are of %q; want rows of one client in a row group", name, r.group, r.client)
		}
	}
	return r.known(at, cells, r.client)
}

// pass takes note of a row that is not held.
func (r *reader) pass(at dataset.Place, cells []dataset.Cell, row []float64) error {
	p := r.table.passing
	code, err := r.clientOf(at, cells)
	if err != nil {
		return err
	}
	if code == len(p.sizes) {
		p.sizes = append(p.sizes, 0)
	}
	p.sizes[code]++
	if r.step >= 0 {
		if _, err := r.stepOf(at, cells); err != nil {
			return err
		}
	}
	for k, v := range row {
		p.breaks[k] = p.breaks[k] || r.came > 1 && v != p.follows[k]+1
		p.follows[k] = v
	}
	return nil
}

// scratch returns memory for a row of so many numbers.
func (p *passing) scratch(width int) []float64 {
	if len(p.row) != width {
		p.row, p.follows, p.breaks = make([]float64, width), make([]float64, width), make([]bool, width)
	}
	return p.row
}

// counts reports whether each number of a feature is one more than the last.
func (p *passing) counts(feature int) bool { return !p.breaks[feature] && p.many() }

// many reports whether there are so many rows that numbers that count them are no accident.
func (p *passing) many() bool {
	rows := 0
	for _, size := range p.sizes {
		rows += size
	}
	return rows > 2
}

// keep keeps the codes of words, which no table needs once all rows are read. A nil passing keeps nothing.
func (p *passing) keep(r *reader) {
	if p == nil {
		return
	}
	t := r.table
	for _, f := range t.features {
		p.words = append(p.words, f.levels.codes)
	}
	p.words = append(p.words, t.label.levels.codes)
	p.classes, p.names = maps.Clone(r.classes), slices.Clone(r.owners.names)
}

// locate keeps the columns of the training rows, before a file of tests with others is read. A nil passing keeps
// none.
func (p *passing) locate(r *reader) {
	if p != nil {
		p.step, p.label, p.columns = r.step, r.label, slices.Clone(r.features)
	}
}

// drop leaves out features, given in their order.
func (p *passing) drop(features []int) {
	for k := len(features) - 1; p != nil && k >= 0; k-- {
		p.columns = slices.Delete(p.columns, features[k], features[k]+1)
	}
}

// order puts clients in their order, by the place of each by its code, and ends the first reading. All rows that
// are held are test rows without an owner.
func (p *passing) order(rank []int, r *reader) {
	t := r.table
	sizes := make([]int, len(t.Parties))
	p.codes = make([]int, len(t.Parties))
	for code, place := range rank {
		p.codes[place], sizes[place] = code, p.sizes[code]
	}
	p.sizes = sizes
	p.features, p.labels = t.features, t.label
	for i := range t.rows {
		t.common = append(t.common, i)
	}
	t.owners, t.tests = nil, nil
	p.decoders.New = func() any { return p.newDecoder() }
}

// decoder reads the rows of a client. It implements dataset.RowReader.
type decoder struct {
	*passing
	features []feature // with memory of its own for times
	rows     []float64 // cells of all rows, and the label of each
	steps    []dataset.Order
	places   []int // of the rows in their order
}

// newDecoder returns a decoder that has read nothing.
func (p *passing) newDecoder() *decoder {
	d := &decoder{passing: p, features: slices.Clone(p.features)}
	var moments *momentOf
	for k := range d.features {
		f := &d.features[k]
		if f.part == nil {
			continue
		}
		if !f.again {
			moments = &momentOf{}
		}
		f.of = moments.number(f.part)
	}
	return d
}

// Header implements dataset.RowReader: the columns are those of the first reading.
func (d *decoder) Header(dataset.Place, []dataset.Column) error { return nil }

// Row implements dataset.RowReader.
func (d *decoder) Row(at dataset.Place, cells []dataset.Cell) error {
	for k, column := range d.columns {
		v, ok := d.cell(&d.features[k], k, cells[column])
		if !ok {
			return at.Errorf("column %q: got %s, which no row had at first", d.features[k].name, cells[column])
		}
		d.rows = append(d.rows, v)
	}
	label, ok := d.cell(&d.labels, len(d.columns), cells[d.label])
	if ok && d.classes != nil {
		label, ok = d.classes[math.Float64bits(label)]
	}
	if !ok {
		return at.Errorf("column %q: got %s, which no row had at first", d.labels.name, cells[d.label])
	}
	if d.rows = append(d.rows, label); d.step < 0 {
		return nil
	}
	step, _, err := cells[d.step].Step()
	d.steps = append(d.steps, step)
	return err
}

// cell returns the number of a cell, or the code of its word.
func (d *decoder) cell(f *feature, k int, c dataset.Cell) (v float64, ok bool) {
	switch {
	case f.of != nil:
		v, err := f.of(c)
		return v, err == nil
	case f.words:
		text, err := c.Name()
		code, ok := d.words[k][text]
		return float64(code), ok && err == nil
	}
	v, ok = c.Number()
	return v, ok && v-v == 0
}

// width is the number of cells of a row, with the label.
func (p *passing) width() int { return len(p.columns) + 1 }

// client reads the rows of a client, by its place, and hands them over in their order.
func (p *passing) client(place int, each func(k int, cells []float64)) error {
	d := p.decoders.Get().(*decoder)
	defer p.decoders.Put(d)
	d.rows, d.steps, d.places = d.rows[:0], d.steps[:0], d.places[:0]
	code := p.codes[place]
	if p.groups == nil {
		if _, err := p.format.ReadClient(p.folder, p.names[code], &p.files[code], d); err != nil {
			return err
		}
	} else {
		for _, group := range p.of[code] {
			if err := p.groups.Read(group, d); err != nil {
				return err
			}
		}
	}
	width, size := p.width(), p.sizes[place]
	if len(d.rows) != size*width {
		return fmt.Errorf("client %q has %d rows, and had %d at first", p.names[code], len(d.rows)/width, size)
	}
	for k := range size {
		d.places = append(d.places, k)
	}
	if p.step >= 0 {
		slices.SortStableFunc(d.places, func(a, b int) int { return d.steps[a].Compare(d.steps[b]) })
	}
	for k, row := range d.places {
		each(k, d.rows[row*width:(row+1)*width:(row+1)*width])
	}
	return nil
}

// each reads the rows of all clients, one client after the other in their order, and hands them over. The first
// error ends it, and is kept.
func (p *passing) each(use func(cells []float64)) {
	for place := range p.codes {
		err := p.client(place, func(_ int, cells []float64) { use(cells) })
		if err != nil {
			p.mu.Lock()
			p.failed = cmp.Or(p.failed, err)
			p.mu.Unlock()
			return
		}
	}
}

// failure is the error of the readings of all clients, if one failed. A nil passing has none.
func (p *passing) failure() error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failed
}
