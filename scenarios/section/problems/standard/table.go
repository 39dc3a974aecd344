package standard

import (
	"errors"
	"fmt"

	"starling/actors/option"
	"starling/mechanisms/factorization"
	"starling/scenarios/document"
	"starling/scenarios/inputs"
	"starling/scenarios/personal"
	"starling/scenarios/problem"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/problem/stream"
	"starling/scenarios/problem/table"
	"starling/scenarios/problem/vector"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// KindTable is the kind of problems with rows of a file.
const KindTable = "table"

// tableSection is a problem that learns from rows of a file.
type tableSection struct {
	Kind         string            `yaml:"kind,required"`
	File         string            `yaml:"file,required" range:"a path" doc:"CSV or Parquet file, also compressed by gzip, whose first line names the columns, or a folder with a Parquet file for each client: beside the scenario, in the folder of --data, or where the program runs"`
	Party        Party             `yaml:"party" doc:"column of the party of a row, or a list of columns that name it together, or {column, quantiles}, which divides the rows by a number, or {of: files} and {of: row-groups}, where each client has a Parquet file or a row group; nodes are the parties in their order, numbers by value and else as text; absent, partition divides the rows"`
	Least        int               `yaml:"least" min:"1" says:"least %v" unit:"training rows" doc:"least training rows of a party; absent, 1"`
	Small        string            `yaml:"small" oneof:"drop merge" doc:"parties with fewer rows than least: drop leaves their rows out, merge gives them to one party, the last; absent, a party without training rows is refused"`
	Step         string            `yaml:"step" range:"a column of numbers" doc:"column of numbers that orders the rows of a party; absent, they are in the order of the file"`
	Label        string            `yaml:"label,required" range:"a column" doc:"column that is learned: numbers for linear and huber, two classes for logistic and hinge, classes for softmax and mlp, which are whole numbers or words"`
	Features     []string          `yaml:"features" min:"1" says:"%v features" range:"columns" doc:"columns with the features: numbers, or words, with a feature of 0 or 1 for each word; a column is of words where any row has one; absent, all other columns except row numbers"`
	Words        []string          `yaml:"words" min:"1" says:"%v columns of words" range:"columns" doc:"features, or the label, that are words though they look like numbers or times, such as codes and grades; absent, a column is of words where no cell is a number"`
	Booleans     []string          `yaml:"booleans" min:"1" says:"%v columns of yes and no" range:"columns" doc:"features, or the label, that are 1 for yes, true, on, y, t and 1, and 0 for no, false, off, n, f and 0; absent, none"`
	Times        Times             `yaml:"times" doc:"features of columns of dates or times: number, the days since 1970; parts, the year, month, day and weekday; cyclic, the year, and sine and cosine of the day in the year and in the week; or a list of days, year, month, day, weekday, hour, year-cycle, month-cycle, weekday-cycle and hour-cycle; absent, none"`
	Exclude      []string          `yaml:"exclude" min:"1" says:"%v columns" range:"columns" doc:"columns that are no features; absent, none"`
	Missing      Missing           `yaml:"missing" doc:"treatment of cells without a value, for all columns or as a mapping of columns with default for the others: refuse, an error; drop, the row is left out; mean, median or mode of the training rows, for words their most frequent one; indicator, the mean, and a feature that is 1 for such cells; absent, refuse"`
	Rare         int               `yaml:"rare" min:"1" says:"rare %v" unit:"training rows" doc:"levels of a column of words with fewer training rows are one level; absent, each has its own"`
	Levels       int               `yaml:"levels" min:"2" says:"%v levels" unit:"levels" doc:"most levels of a column of words, the most frequent ones and one for all others; absent, all"`
	Format       *formatSection    `yaml:"format" doc:"notation of a text file; absent, UTF-8, numbers as 1234.5, dates as 2024-01-31"`
	Parameters   []string          `yaml:"parameters" min:"1" says:"%v columns of parameters" range:"columns" doc:"columns with a public parameter of each party, such as its epsilon: one value for all of its rows, and no feature; absent, none"`
	Intercept    bool              `yaml:"intercept" doc:"have a feature that is always 1; softmax and mlp have offsets of their own"`
	Test         *tableTest        `yaml:"test" doc:"which rows test and are not learned from; absent, none, and there is no accuracy"`
	Validation   float64           `yaml:"validation" over:"0" under:"1" says:"a validation share of %v" unit:"share of rows" doc:"share of the training rows of each party that are held out for the choice of keys, one at least, drawn at random as test.draw says, none of them a test row; nothing is fitted to them; absent, none"`
	Standardise  Standardise       `yaml:"standardise" doc:"standardisation of columns of numbers: none; rows, by mean and deviation over all training rows, which is not private; or {mean: [..], scale: [..]}, by public constants, one for each column in the order of the features; absent, none"`
	FeatureBound float64           `yaml:"feature_bound" over:"0" says:"feature bound %v" unit:"2-norm of features" doc:"largest 2-norm of the features of a row, standardised and without the intercept: longer ones are scaled down to it, so that gradients have a bound of their own; absent, they have none"`
	LabelBound   float64           `yaml:"label_bound" over:"0" says:"label bound %v" unit:"that of the label" doc:"largest size of a label of linear and huber: others are held to it; absent, there is none"`
	Set          *document.Node    `yaml:"set" doc:"Omega, the compact convex set that decisions are from, whose dimension follows from the data: nodes without a server need it, others project on it where it is given; absent, all of R^d"`
	Model        *document.Node    `yaml:"model,required" doc:"model to learn"`
	Partition    *partitionSection `yaml:"partition" doc:"division of the rows among parties, where no column of parties has it"`
	Reuse        string            `yaml:"reuse" oneof:"error cycle" doc:"of a run that is longer than a party has rows: error refuses it; cycle begins with the first row again, so that a row takes part several times"`
}

// Standardise is the key standardise: a word, or public constants.
type Standardise struct {
	rows        bool
	Mean, Scale []float64
}

// The words of Standardise.
const (
	StandardiseNone = "none"
	StandardiseRows = "rows"
)

// StandardiseConstants are the keys of constants.
type StandardiseConstants struct {
	Mean  []float64 `yaml:"mean,required" unit:"of the column" range:"any numbers" doc:"numbers to subtract"`
	Scale []float64 `yaml:"scale,required" unit:"of the column" range:"above 0" doc:"numbers to divide by then, above 0"`
}

// DecodeNode implements document.NodeDecoder.
func (s *Standardise) DecodeNode(node *document.Node) error {
	switch {
	case node.Kind() == document.Mapping:
		var c StandardiseConstants
		err := document.Decode(node, &c)
		s.Mean, s.Scale = c.Mean, c.Scale
		return err
	case node.Kind() == document.String && node.Value() == StandardiseNone:
		return nil
	case node.Kind() == document.String && node.Value() == StandardiseRows:
		s.rows = true
		return nil
	}
	return node.Issuef("expected %s, %s, or {mean: [..], scale: [..]}, got %s", StandardiseNone, StandardiseRows, node.Text())
}

// The values of reuse: the behaviour of a run that has more steps than a party has rows.
const (
	reuseError = "error"
	reuseCycle = "cycle"
)

// DefaultTable returns the section problem of a table with the values of keys that are
// absent.
func DefaultTable() tableSection {
	return tableSection{Reuse: reuseError, Intercept: true}
}

// rowsTable is a checked problem with rows of a file.
type rowsTable struct {
	// section has the defaults of keys that are absent; notes and warnings are about the files
	// that were read.
	section  tableSection
	passing  bool // training rows are read when a client takes part
	learner  Learner
	problem  *table.Problem
	notes    []study.Note
	warnings []study.Warning
}

// newRows reads the rows that a section describes. Arms with the same section share them.
func newRows(b *study.Builder, section *document.Node) (*rowsTable, error) {
	return sharedRows(b, section, false)
}

// sharedRows is newRows. Training rows that pass are read when a client takes part, and not held.
func sharedRows(b *study.Builder, section *document.Node, passing bool) (*rowsTable, error) {
	var err error
	p := study.Shared(b, rowsKey{section.Position().File, section.Text(), passing}, func() (p *rowsTable, ok bool) {
		p, err = readRows(b, section, passing)
		return p, err == nil
	})
	return p, err
}

// rowsKey identifies rows by the file of the section, which relative paths start from, and the
// section's text.
type rowsKey struct {
	file, text string
	passing    bool
}

// readRows reads the files of a section and does not divide the rows yet, since that takes a
// seed. The section is checked whole before a file is opened.
func readRows(b *study.Builder, section *document.Node, passing bool) (*rowsTable, error) {
	p := &rowsTable{section: DefaultTable(), passing: passing}
	s := &p.section
	err := document.Decode(section, s)
	if err == nil { // else its values are refused already
		err = section.Resolve(option.Under("format", s.Format.format().Validate()))
	}
	if s.Model != nil {
		var wrong error
		p.learner, wrong = ReadLearner(b, s.Model)
		err = errors.Join(err, wrong)
	}
	if err = errors.Join(err, s.check(section, p.learner.Model != nil && p.learner.Model.Label() == vector.Value)); err != nil {
		return nil, err
	}
	if passing {
		if err := s.checkPassing(section); err != nil {
			return nil, err
		}
	}
	labels := p.learner.Model.Label()
	t, digests, err := s.read(b, section, labels, passing)
	if err != nil {
		return nil, err
	}
	splits := table.NewSplits(t, s.split(), table.DataOptions{
		Labels: labels, Intercept: s.Intercept && labels != vector.Class,
		Mean: s.Standardise.Mean, Scale: s.Standardise.Scale, Rows: s.Standardise.rows,
		Rare: s.Rare, Levels: s.Levels, Bound: s.FeatureBound, LabelBound: s.LabelBound,
	}, b.Seeds.Base)
	data, err := splits.Data(b.Seeds.Base)
	if err != nil {
		return nil, section.Resolve(err)
	}
	o := table.Options{Data: data, Splits: splits, Cycle: s.Reuse == reuseCycle}
	if s.Partition != nil {
		options := s.Partition.options()
		o.Partition = &options
	}
	if p.problem, err = table.New(o); err != nil {
		return nil, section.Resolve(err)
	}
	p.remark(digests, b.Seeds)
	return p, nil
}

// check refuses sections that contradict themselves, before anything is read. quantities is true
// for labels that are numbers.
func (s *tableSection) check(section *document.Node, quantities bool) error {
	errs := append(s.checkColumns(), s.checkTests(quantities)...)
	if !s.Party.given() && s.Partition == nil {
		errs = append(errs, document.At("", "give party, the column of the party of a row, or partition, which divides the rows"))
	}
	if (s.Least > 0) != (s.Small != "") {
		errs = append(errs, document.At("least", "give least and small together: the rows that a party needs, and the rule for parties with fewer"))
	}
	if s.Small != "" && !s.Party.given() {
		errs = append(errs, document.At("small", "small is of parties; give party, the column of the party of a row"))
	}
	if s.Small == table.SmallMerge && s.Parameters != nil {
		errs = append(errs, document.At("small", "parties that are merged have no parameters in common; give small: drop, or leave parameters out"))
	}
	if s.Parameters != nil && !s.Party.given() {
		errs = append(errs, document.At("parameters", "parameters are of parties; give party, the column of the party of a row"))
	}
	return section.Resolve(errors.Join(errs...))
}

// fileKey identifies the data that are read from files.
type fileKey struct {
	// path and test are the paths of the files that were found; test is empty without a test
	// file. columns lists the wanted columns, as text.
	path, test string
	columns    string
	passing    bool
}

// fileRead is a table that was read.
type fileRead struct {
	*table.Table
	digests []inputs.Digest
}

// read reads the files. Arms that read the same columns of the same files share the table.
func (s *tableSection) read(b *study.Builder, section *document.Node, labels vector.Label, passing bool) (*table.Table, []inputs.Digest, error) {
	columns := table.Columns{
		Party: s.parties(), Step: s.Step, Label: s.Label, Features: s.Features, Words: s.Words, Parameters: s.Parameters, Classes: labels != vector.Value,
		Booleans: s.Booleans, Times: s.Times.columns, Exclude: s.Exclude, Missing: s.Missing.Missing, Format: s.Format.format(),
	}
	if s.Test != nil {
		columns.Split, columns.From = s.Test.Column, s.Test.From.text
	}
	// Errors name the key of the file that cannot be opened.
	names, keys := []string{s.File}, []string{"file"}
	if s.Test != nil && s.Test.File != "" {
		names, keys = append(names, s.Test.File), append(keys, "test.file")
	}
	var files []table.File
	kept := false // row groups that pass are read from an open file
	for i, name := range names {
		at, key := section, keys[i]
		if i > 0 {
			at, _ = section.Get("test")
			key = "file"
		}
		open := s.open
		if i == 0 && s.Party.of == table.OfFiles {
			open = s.openClients
		}
		file, err := open(b, at, key, name)
		if err != nil {
			return nil, nil, err
		}
		if file.File != nil {
			defer func() {
				if i > 0 || !kept {
					file.Close()
				}
			}()
		}
		files = append(files, file)
	}
	var second *table.File
	key := fileKey{path: files[0].Path, columns: fmt.Sprintf("%#v", columns), passing: passing}
	if len(files) > 1 {
		second, key.test = &files[1], files[1].Path
	}
	var err error
	read := study.Shared(b, key, func() (r fileRead, ok bool) {
		var sums []string
		read := table.Read
		if passing {
			read = table.ReadPassing
		}
		r.Table, sums, err = read(columns, files[0], second)
		kept = passing && err == nil
		for i, sum := range sums {
			r.digests = append(r.digests, inputs.Digest{Name: names[i], Sha256: sum})
			b.Data.Use(r.digests[i])
		}
		return r, err == nil
	})
	if err != nil {
		return nil, nil, section.Resolve(document.At("file", "%v", err))
	}
	return read.Table, read.digests, nil
}

// open opens a file.
func (*tableSection) open(b *study.Builder, at *document.Node, key, name string) (table.File, error) {
	file, path, err := b.Data.Open(at, key, name)
	return table.File{File: file, Path: path}, err
}

// openClients lists the folder of the files of clients.
func (*tableSection) openClients(b *study.Builder, at *document.Node, key, name string) (table.File, error) {
	var clients []string
	path, err := b.Data.OpenFolder(at, key, name, func(path string) (files []string, err error) {
		clients, err = dataset.ClientsIn(path)
		for _, client := range clients {
			files = append(files, dataset.ClientFile("", client))
		}
		return files, err
	})
	return table.File{Path: path, Clients: clients}, err
}

// remark notes the files that were read and the use of their rows and columns.
func (p *rowsTable) remark(digests []inputs.Digest, seeds study.Seeds) {
	add := func(key, format string, args ...any) {
		p.notes = append(p.notes, study.Note{Key: key, Value: fmt.Sprintf(format, args...)})
	}
	for i, d := range digests {
		note := study.NoteOfData(d)
		if i > 0 { // beside the note on the file of training rows
			note.Key = "test-data"
		}
		p.notes = append(p.notes, note)
	}
	data := p.problem.Data
	rows := p.problem.Describe()
	if p.passing {
		rows += "; rows of a client are read when it takes part, and dropped after"
	}
	add("rows", "%s", rows)
	if text := p.section.describeTests(seeds); text != "" {
		add("split", "%s", text)
	}
	features := fmt.Sprintf("%d: %s", len(data.Names()), table.Listed(data.Names()))
	if data.Intercept {
		features += "; and an intercept"
	}
	add("features", "%s", features)
	if columns, _ := data.Table.Levels(); columns != nil { // else all are numbers
		add("types", "%s; as all rows say", data.Table.Types())
	}
	if left := data.Table.Left(); left != "" {
		add("left-out", "%s", left)
	}
	p.remarkFitted(add)
	columns, levels := data.Table.Levels()
	for i, column := range columns {
		add("levels", "%s: %s; read from all rows, and taken as public", column, table.Listed(levels[i]))
	}
	if classes := data.Table.Classes(); classes != nil {
		text := table.Listed(classes)
		if data.Labels == vector.Sign {
			text = fmt.Sprintf("%q is -1, %q is 1", classes[0], classes[1])
		}
		add("classes", "%s; read from all rows, and taken as public", text)
	}
	switch {
	case p.passing && data.Bound > 0:
		add("feature-bound", "%.6g; longer rows are scaled down to it", data.Bound)
	case p.passing:
		add("feature-bound", "none")
	case data.Bound > 0:
		add("feature-bound", "%.6g; %d training rows were longer, %.6g at most, and are scaled down to it", data.Bound, data.Scaled(), data.Longest())
	default:
		add("feature-bound", "none; the longest training row has %.6g, which is measured and bounds no row that there could be", data.Longest())
	}
	if data.Rows {
		add("standardised", "mean %.6g, scale %.6g", data.Mean, data.Scale)
		p.warnings = append(p.warnings, study.Warning{Code: "data", Message: "standardise: rows computes means and deviations from all training rows without noise, and no epsilon covers that; for a private run, give public constants"})
	}
}

// remarkFitted notes the treatment of cells without a value and of rare levels.
func (p *rowsTable) remarkFitted(add func(key, format string, args ...any)) {
	data := p.problem.Data
	if small := data.Table.Small; small != nil {
		verb := "left out"
		if p.section.Small == table.SmallMerge {
			verb = "merged"
		}
		add("small", "%d parties with fewer than %d training rows are %s: %s", len(small), p.section.Least, verb, table.Listed(small))
	}
	if n := data.Table.Dropped; n > 0 {
		add("dropped", "%d rows, which lack a value in a column with missing: drop", n)
	}
	filled, merged := data.Filled(), data.Merged()
	if filled != "" {
		add("filled", "%s; computed from training rows", filled)
	}
	if merged != "" {
		add("merged", "%s; by the frequency in training rows", merged)
	}
	if filled != "" || merged != "" {
		p.warnings = append(p.warnings, study.Warning{Code: "data", Message: "missing, rare and levels are computed from all training rows without noise, and no epsilon covers that; for a private run, write the values in the file"})
	}
}

// repeats returns the number and distance of the steps in which a row is met, under any seed
// of a scenario.
func (p *rowsTable) repeats(seeds study.Seeds, learners, steps int) (all factorization.Participation, err error) {
	all = factorization.Once
	count := seeds.Count
	if cycle := p.problem.Cycles(); cycle > 0 {
		count = min(count, cycle)
	}
	for k := range count {
		met, err := p.problem.Repeats(seeds.Base+uint64(k), learners, steps)
		if err != nil {
			return all, err
		}
		all = all.Or(met)
	}
	return all, nil
}

// newTableRows is a RowsBuilder of learners that meet the rows of a party, one a step.
func newTableRows(b *study.Builder, section *document.Node, _ *study.ArmFile) (*Rows, error) {
	p, err := newRows(b, section)
	if err != nil {
		return nil, err
	}
	return p.rows(b), nil
}

// rows are the rows of a table as learners meet them.
func (p *rowsTable) rows(b *study.Builder) *Rows {
	data := p.problem.Data
	r := &Rows{
		Learner: p.learner,
		Data:    vector.Data{Features: data.Inputs(), FeatureNorm: data.Norm(), LabelSize: data.LabelSize(), Classes: len(data.Table.Classes())},
		Stream:  problems.Stream{Tests: p.problem.Tests(), Validates: p.problem.Validates(), Held: p.problem.Held(), Notes: p.notes, Warnings: p.warnings, Draw: p.problem.Stream},
	}
	if p.problem.Cycle {
		r.Stream.Repeats = func(learners, steps int) (factorization.Participation, error) {
			return p.repeats(b.Seeds, learners, steps)
		}
	}
	r.Stream.Check = func(shape stream.Shape) error {
		return study.CheckSeeds(b, p.problem, dealing{p.problem, shape.Learners}, shape)
	}
	return r
}

// dealing identifies the divisions of rows of a problem, which remembers them for all seeds.
type dealing struct {
	problem  *table.Problem
	learners int
}

// Table is the piece of table in the catalog: rows of a file.
type Table struct{ RowSource }

// ForTable returns the piece of table.
func ForTable() Table { return Table{ForRows(newTableRows, "feature_bound", UnboundedRows)} }

// Begin implements study.FileBeginner.
func (Table) Begin(path string, given map[string]string) ([]study.Setting, error) {
	return beginTable(path, given)
}

// Corpus implements problems.AsCorpus: all training rows of each party, or the first of
// them.
func (r Table) Corpus(b *study.Builder, section *document.Node, samples int) (*problems.Corpus, error) {
	p, err := r.Stream(b, section, nil)
	if err != nil {
		return nil, err
	}
	rows, err := newRows(b, section)
	if err != nil {
		return nil, err
	}
	c := p.Corpus(func(seed uint64, clients int) (problem.Data, []int, error) {
		return rows.problem.Corpus(seed, clients, samples)
	})
	c.Held, c.Deals, c.Overlaps = 2*p.Held, rows.problem.Deals(), rows.problem.Drawn()
	return c, nil
}

// PartyValues implements study.PartyValued, for the columns of parameters.
func (Table) PartyValues(b *study.Builder, section *document.Node, column string) ([]personal.Value, error) {
	rows, err := newRows(b, section)
	if err != nil {
		return nil, err
	}
	values, ok := rows.problem.Data.Table.Parameter(column)
	if !ok {
		return nil, fmt.Errorf("problem.parameters does not list the column %q; listed columns are no features", column)
	}
	list := make([]personal.Value, len(values))
	for k, v := range values {
		list[k] = personal.Value{Text: v.Text, Errorf: v.At.Errorf}
	}
	return list, nil
}
