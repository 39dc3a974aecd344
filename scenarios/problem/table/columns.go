package table

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/problem/dataset"
)

// Columns has the uses of the columns of a file.
type Columns struct {
	// Party says who owns a row.
	Party Parties
	// Step is the column of numbers or times that orders the rows of a party; it may be empty.
	// Label is the column that is learned, the only one that must be there.
	Step, Label string
	// Features are the columns of the features of a datum, in their order. nil means the
	// columns of Words, and every column of numbers that has no other use and is no row
	// number.
	Features []string
	// Words are features, and maybe the label, that are read as words whatever they look like.
	Words []string
	// Booleans are columns of yes and no, which are 1 and 0, and Times columns of dates or times,
	// with the parts that are features. They are features where Features is nil.
	Booleans []string
	Times    []TimeColumn
	// Exclude are columns without a use, where Features is nil.
	Exclude []string
	// Missing has the treatment of cells without a value.
	Missing Missing
	// Format is the notation of the files; it is valid.
	Format dataset.Format
	// Parameters are columns with one value for each party, which are no features.
	Parameters []string
	// Split is the column with the words train and test; empty if there is none.
	Split string
	// From is a number or a time: rows of which Step is not before it are test rows; empty is none.
	From string
	// Classes is true if labels are classes, whole numbers or words, and not quantities.
	Classes bool
}

// Header implements dataset.RowReader. The error names all columns that do not exist, or the
// first that does not suit its use.
func (r *reader) Header(at dataset.Place, columns []dataset.Column) error {
	if r.began != "" && !r.second {
		return r.again(at, columns)
	}
	r.columns = columns
	names := make([]string, len(columns))
	index := make(map[string]int, len(columns))
	for i, c := range columns {
		names[i], index[c.Name] = c.Name, i
	}
	var missing []string
	find := func(key, name string) int {
		i, ok := index[name]
		if !ok {
			missing = append(missing, fmt.Sprintf("%s: there is no column %q%s", key, name, document.Suggest(name, names, "the columns are")))
			return -1
		}
		return i
	}
	maybe := func(key, name string) int {
		if name == "" { // a column may have an empty name, too
			return -1
		}
		return find(key, name)
	}
	owned := func(name string) bool { _, ok := index[name]; return ok }
	if r.party = nil; !r.second || r.Party.Of == "" && slices.ContainsFunc(r.Party.Columns, owned) { // else its rows are divided among all
		for _, name := range r.Party.Columns {
			r.party = append(r.party, find("party", name))
		}
	}
	r.step, r.label, r.split = maybe("step", r.Step), find("label", r.Label), maybe("test.column", r.Split)
	if r.parameters = nil; !r.second { // which the parties of tests have already
		for _, name := range r.Parameters {
			r.parameters = append(r.parameters, find("parameters", name))
		}
		r.values = make([][]Value, len(r.parameters))
	}
	// The second file must have the features of the first, however those were chosen.
	if r.second {
		r.others = nil
		for i, f := range r.table.features {
			r.features[i] = find("features", f.column.Name)
		}
	}
	if r.listed = nil; !r.second { // else the first row decides where none are listed
		for _, name := range r.Features {
			r.listed = append(r.listed, find("features", name))
		}
		for _, list := range append(r.keyed(), r.treated()) {
			for _, name := range list.names {
				find(list.key, name)
			}
		}
	}
	if len(missing) > 0 {
		return at.Errorf("%s", strings.Join(missing, "; "))
	}
	if err := r.uses(); err != nil {
		return at.Errorf("%w", err)
	}
	return nil
}

// again refuses the columns of a further file of a folder unless they are the columns of the first.
func (r *reader) again(at dataset.Place, columns []dataset.Column) error {
	name := func(c dataset.Column) string { return fmt.Sprintf("%q of type %s", c.Name, c.Type) }
	for i := range min(len(columns), len(r.columns)) {
		if columns[i] != r.columns[i] {
			return at.Errorf("column %d is %s, and column %d of %s is %s; want the same columns in all files", i+1, name(columns[i]), i+1, r.began, name(r.columns[i]))
		}
	}
	switch n := len(r.columns); {
	case len(columns) > n:
		return at.Errorf("column %d is %s, and %s has %d columns; want the same columns in all files", n+1, name(columns[n]), r.began, n)
	case len(columns) < n:
		return at.Errorf("%d columns, and column %d of %s is %s; want the same columns in all files", len(columns), len(columns)+1, r.began, name(r.columns[len(columns)]))
	}
	return nil
}

// keyed are columns that a key of the section names.
type keyed struct {
	key   string
	names []string
}

// keyed returns the columns with a reading of their own, and those that are left out.
func (r *reader) keyed() []keyed {
	return []keyed{{"words", r.Words}, {"booleans", r.Booleans}, {"times", r.timed()}, {"exclude", r.Exclude}}
}

// treated returns the columns whose cells without a value have a treatment of their own.
func (r *reader) treated() keyed {
	return keyed{"missing", slices.Sorted(maps.Keys(r.Missing.Columns))}
}

// timed returns the columns of times.
func (r *reader) timed() (names []string) {
	for _, t := range r.Times {
		names = append(names, t.Name)
	}
	return names
}

// uses refuses a column with two uses, or of a type that does not suit its use.
func (r *reader) uses() error {
	taken := map[int]bool{r.step: true, r.label: true, r.split: true}
	for i, column := range r.party {
		if taken[column] {
			return fmt.Errorf("party: the column %q is something else already", r.Party.Columns[i])
		}
		taken[column] = r.Party.Quantiles == 0
		if err := usable(r.columns[column], true); err != nil {
			return fmt.Errorf("party: %w", err)
		}
	}
	for i, column := range r.parameters {
		if taken[column] {
			return fmt.Errorf("parameters: the column %q is something else already", r.Parameters[i])
		}
		taken[column] = true
	}
	for i, column := range r.listed {
		if taken[column] {
			return fmt.Errorf("features: the column %q is something else already", r.Features[i])
		}
		taken[column] = true
		if err := usable(r.columns[column], r.forced(column) || slices.Contains(r.timed(), r.Features[i])); err != nil {
			return fmt.Errorf("features: %w", err)
		}
	}
	if err := r.readings(); err != nil {
		return err
	}
	for _, use := range []struct {
		key    string
		column int
		times  bool
	}{{"step", r.step, true}, {"label", r.label, r.forced(r.label)}, {"test.column", r.split, true}} {
		if use.column < 0 {
			continue
		}
		if err := usable(r.columns[use.column], use.times); err != nil {
			return fmt.Errorf("%s: %w", use.key, err)
		}
	}
	return nil
}

// readings refuses a column with two readings, or with one although it is no feature.
func (r *reader) readings() error {
	read := map[string]string{}
	for _, list := range r.keyed() {
		for _, name := range list.names {
			if other, ok := read[name]; ok {
				return fmt.Errorf("%s: the column %q is in %s already", list.key, name, other)
			}
			read[name] = list.key
			switch listed := slices.Contains(r.Features, name); {
			case list.key == "exclude" && (listed || name == r.Label):
				return fmt.Errorf("exclude: the column %q is in use", name)
			case list.key != "exclude" && r.Features != nil && !listed && (name != r.Label || list.key == "times"):
				return fmt.Errorf("%s: the column %q is not among the features", list.key, name)
			}
		}
	}
	for _, name := range r.treated().names {
		if r.Features != nil && !slices.Contains(r.Features, name) && name != r.Label {
			return fmt.Errorf("missing: the column %q is neither the label nor among the features", name)
		}
	}
	return nil
}

// forced reports whether a column is of words whatever it looks like.
func (r *reader) forced(column int) bool {
	return len(r.Words) > 0 && slices.Contains(r.Words, r.columns[column].Name)
}

// start finds the features by the first row, where they are not listed. A column with a number
// in its first cell is taken for a column of numbers, and a row that shows otherwise is
// refused.
func (r *reader) start(at dataset.Place, cells []dataset.Cell) error {
	r.started = true
	add := func(column int, optional bool) {
		for _, f := range r.featuresOf(column, cells[column], optional) {
			r.table.features, r.features = append(r.table.features, f), append(r.features, column)
		}
	}
	for _, column := range r.listed {
		add(column, false)
	}
	if r.Features == nil {
		if err := r.choose(at, cells, add); err != nil {
			return err
		}
	}
	r.bare = at // the place of the error if no feature is left
	r.table.label = r.featuresOf(r.label, cells[r.label], false)[0]
	if r.table.label.missing != MissingDrop {
		r.table.label.missing, r.table.label.open = MissingRefuse, false
	}
	r.table.width = len(r.features) + 1
	return nil
}

// choose adds the columns that may be features, and leaves the others out.
func (r *reader) choose(at dataset.Place, cells []dataset.Cell, add func(column int, optional bool)) error {
	for i, c := range r.columns {
		if r.owns(i) || i == r.step || i == r.label || i == r.split || r.isParameter(c.Name) {
			continue
		}
		// A column of words would need a feature for each word, which must be asked for:
		// names and identifiers are left out, and the notes of a run say so. A row number
		// says nothing about the row.
		forced, read := r.forced(i), slices.Contains(r.Booleans, c.Name) || slices.Contains(r.timed(), c.Name)
		look := cells[i].Look()
		switch {
		case slices.Contains(r.Exclude, c.Name):
			r.table.leave(whyExcluded, c.Name)
		case forced && usable(c, true) != nil:
			return at.Errorf("words: %w", usable(c, true))
		case c.Index() && !forced && !read:
			r.table.leave(whyIndex, c.Name)
		case c.Identifies() && !forced && !read:
			r.table.leave(whyIdentifier, c.Name)
		case forced, read:
			add(i, false)
		case c.Sort == dataset.Numbers, look == dataset.Number, look == dataset.Gap && c.Sort == dataset.Texts && r.Missing.Of(c.Name) != MissingRefuse:
			if c.MayCount() {
				r.counters = append(r.counters, len(r.features))
			}
			add(i, true)
		default:
			r.others = append(r.others, other{i, &sight{column: c}})
		}
	}
	return nil
}

// owns reports whether a column has the owners of rows, and no other use.
func (r *reader) owns(column int) bool {
	return r.Party.Quantiles == 0 && slices.Contains(r.party, column)
}

// isParameter reports whether a column is one of parameters.
func (r *reader) isParameter(name string) bool { return slices.Contains(r.Parameters, name) }
