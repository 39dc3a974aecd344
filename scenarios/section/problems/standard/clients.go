package standard

import (
	"cmp"
	"slices"

	"starling/scenarios/document"
	"starling/scenarios/limits"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/problem/stream"
	"starling/scenarios/problem/table"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// checkPassing refuses keys that take all rows at once, for rows that are read when a client takes part.
func (s *tableSection) checkPassing(section *document.Node) error {
	var found study.Faults
	refuse := func(given bool, key, why string) {
		if given {
			found.At(key, "rows of a client are read when it takes part, and are not held: %s; or want algorithm.draw: clients", why)
		}
	}
	refuse(s.Missing.Default != table.MissingRefuse || len(s.Missing.Columns) > 0, "missing", "fill the cells in the files, and leave missing out")
	refuse(s.Rare > 0, "rare", "leave rare out")
	refuse(s.Levels > 0, "levels", "leave levels out")
	refuse(s.Least > 0, "least", "leave least and small out")
	refuse(s.Validation > 0, "validation", "leave validation out")
	if t := s.Test; t != nil {
		for _, way := range t.ways() {
			refuse(way.given && way.key != "file", "test."+way.key, "want test.file, with rows that test all")
		}
	}
	return section.Resolve(found.Err())
}

// Population implements problems.AsPopulation: clients that draw their rows from all training rows, or that are the
// parties, with values over a panel of them. Test rows are the same for all, and accuracy on them is no estimate.
func (r Table) Population(b *study.Builder, section *document.Node, clients, samples, panel int) (*problems.Corpus, error) {
	if of, ok := section.Get("party"); ok && of.Kind() == document.Mapping {
		if _, ok := of.Get("of"); ok {
			return r.parties(b, section, clients, samples, panel, true)
		}
	}
	rows, err := newRows(b, section)
	if err != nil {
		return nil, err
	}
	data := rows.problem
	if data.Partition == nil {
		return r.parties(b, section, clients, samples, panel, false)
	}
	if !data.Drawn() {
		return nil, section.Resolve(document.At("partition.kind", "all rows are divided among the clients at once; want partition: {kind: %s}, by which a client draws its own, or algorithm.draw: clients", dataset.PartitionDrawn))
	}
	if samples > data.Size() {
		return nil, document.At("algorithm.samples", "%d samples of a client that has %s; want at most that", samples, document.Counted(data.Size(), "row"))
	}
	samples = cmp.Or(samples, data.Size())
	if err := checkPanel(panel, limits.Product(panel, samples), data.Data.Width()); err != nil {
		return nil, err
	}
	c, err := r.population(b, section, rows, clients, samples, panel)
	if err == nil {
		c.Overlaps = true
	}
	return c, err
}

// parties returns the population with the parties of the rows as its clients.
func (r Table) parties(b *study.Builder, section *document.Node, clients, samples, panel int, passing bool) (*problems.Corpus, error) {
	rows, err := sharedRows(b, section, passing)
	if err != nil {
		return nil, err
	}
	t := rows.problem.Data.Table
	if rows.section.Validation > 0 {
		return nil, section.Resolve(document.At("validation", "clients that come and go have no validation rows of their own; leave this out, or want algorithm.draw: clients"))
	}
	if rows.problem.Splits.Varies() {
		return nil, section.Resolve(document.At("test", "clients of a population have the same rows under every seed; want test.draw: fixed, or test.file"))
	}
	if clients <= len(t.Parties) { // else Passing has the error
		sizes := t.Sizes()[:clients]
		if least := slices.Min(sizes); samples > least {
			return nil, document.At("algorithm.samples", "%d samples of a client, and %q has %s; want at most that, or leave samples out", samples, t.Parties[slices.Index(sizes, least)], document.Counted(least, "row"))
		}
		numbers := 0.0
		for _, node := range problems.Panel(b.Seeds.Base, clients, panel) {
			numbers += float64(cmp.Or(samples, sizes[node]))
		}
		if err := checkPanel(panel, numbers, rows.problem.Data.Width()); err != nil {
			return nil, err
		}
	}
	return r.population(b, section, rows, clients, samples, panel)
}

// checkPanel refuses a panel with too many numbers, by its rows and their width.
func checkPanel(panel int, rows float64, width int) error {
	numbers := rows * float64(width)
	if numbers <= limits.Coordinates {
		return nil
	}
	return document.At("algorithm.panel", "the data of a panel of %d clients have %.3g numbers; want at most %d, which %d clients have", panel, numbers, limits.Coordinates, int(limits.Coordinates/(numbers/float64(panel))))
}

// population returns the clients of rows.
func (Table) population(b *study.Builder, section *document.Node, rows *rowsTable, clients, samples, panel int) (*problems.Corpus, error) {
	source := ForRows(func(*study.Builder, *document.Node, *study.ArmFile) (*Rows, error) { return rows.rows(b), nil }, "feature_bound", UnboundedRows)
	p, err := source.Stream(b, section, nil)
	if err != nil {
		return nil, err
	}
	draw := func(seed uint64) (stream.Tester, error) { return rows.problem.Passing(seed, clients) }
	if _, err := draw(b.Seeds.Base); err != nil {
		return nil, section.Resolve(err)
	}
	return p.Population(draw, clients, samples, panel), nil
}
