package accounts

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/mechanisms/accountant"
	"starling/scenarios/ledger"
	"starling/scenarios/results"
	"starling/scenarios/results/tabular"
)

// Matrix is the knowledge of the observers of a run: the accounted loss of each arm to each observer, for the
// unit that pays the most, held against the claim of the paper.
type Matrix struct {
	// Observers are in the order of the ledger.
	Observers []string
	// Columns are arms; those with equal cells, claims and units share one.
	Columns []MatrixColumn
	degrees bool // cells above a claim say by how much
}

// MatrixColumn has the arms of a column and its cells.
type MatrixColumn struct {
	Arms []string
	// Claimed is the claimed loss of the run, NaN where there is no such number, and Claim its words.
	Claimed float64
	Claim   string
	// Delta is the delta of the losses, 0 where none is finite. Unit and Relation are of the
	// strongest observer.
	Delta          float64
	Unit, Relation string
	entry          results.LedgerEntry // of the delta
	// Cells are by observer.
	Cells []MatrixCell
}

// MatrixCell is the loss of an arm to an observer; it is empty where the observer is none of the
// arm's.
type MatrixCell struct {
	There   bool
	Epsilon float64
	// Verdict is Kept, Exceeded, or empty where there is no claim to hold the loss against.
	Verdict Verdict
}

// Verdict is the relation of an accounted loss to the paper's claim.
type Verdict string

// The verdicts.
const (
	Kept     Verdict = "kept"
	Exceeded Verdict = "exceeded"
)

// slack is the relative difference between a loss and its claim that is arithmetic.
const slack = 1e-9

// VerdictOf holds a loss against a claim, which may be nil.
func VerdictOf(epsilon float64, claimed *float64) Verdict {
	switch {
	case claimed == nil:
		return ""
	case epsilon <= *claimed*(1+slack):
		return Kept
	}
	return Exceeded
}

// MatrixOf returns the matrix of a finished run; it has no columns where nothing is accounted.
func MatrixOf(run *results.Run) (*Matrix, error) {
	worst, err := WorstRows(run)
	if err != nil {
		return nil, err
	}
	m := &Matrix{}
	for _, entry := range run.Manifest.Ledger {
		if !slices.Contains(m.Observers, entry.Observer) {
			m.Observers = append(m.Observers, entry.Observer)
		}
	}
	for _, arm := range run.Manifest.Arms {
		c := MatrixColumn{Arms: []string{arm.Name}, Claimed: math.NaN(), Cells: make([]MatrixCell, len(m.Observers))}
		some := false
		for _, entry := range run.Manifest.Ledger {
			row, ok := worst[[2]string{entry.Arm, entry.Observer}]
			if entry.Arm != arm.Name || !ok {
				continue
			}
			some = true
			c.add(slices.Index(m.Observers, entry.Observer), &entry, &row)
		}
		if some {
			m.join(c)
		}
	}
	return m, nil
}

// Losses are, by arm and observer, the final loss of the unit that pays the most under the seed in
// which it pays the most.
type Losses map[[2]string]results.PrivacyRow

// Add adds a row; rows that are not final are left out.
func (l Losses) Add(row results.PrivacyRow) {
	key := [2]string{row.Arm, row.Observer}
	if before, ok := l[key]; row.Final && (!ok || row.Epsilon > before.Epsilon) {
		l[key] = row
	}
}

// WorstRows returns the losses of a finished run.
func WorstRows(run *results.Run) (Losses, error) {
	worst := Losses{}
	err := run.Privacy(func(row results.PrivacyRow) error {
		worst.Add(row)
		return nil
	})
	return worst, err
}

// Protected describes the unit of an entry and its neighbours: by their extents, since families have
// words of their own for the same unit; older runs have their words alone.
func Protected(entry results.LedgerEntry) string {
	unit := map[string]string{string(ledger.ProtectsRecord): "a record", string(ledger.ProtectsParticipant): "all data of a participant"}[entry.Protects]
	deltas := ""
	if own := ownDeltas(&entry); own != "" {
		deltas = ", deltas of their " + own
	}
	if unit == "" || entry.Relation == "" {
		return fmt.Sprintf("%s (%s)%s", entry.Unit, entry.Neighbours, deltas)
	}
	return fmt.Sprintf("%s (%s)%s", unit, entry.Relation, deltas)
}

// add fills in the cell of an observer.
func (c *MatrixColumn) add(observer int, entry *results.LedgerEntry, row *results.PrivacyRow) {
	if entry.ClaimedEpsilon != nil && math.IsNaN(c.Claimed) {
		c.Claimed = *entry.ClaimedEpsilon
	}
	if c.Claim == "" {
		c.Claim, c.Unit, c.Relation = entry.Claimed, entry.Unit, entry.Relation
	}
	if !math.IsInf(row.Epsilon, 1) {
		c.Delta, c.entry = row.Delta, *entry
	}
	c.Cells[observer] = MatrixCell{There: true, Epsilon: row.Epsilon, Verdict: VerdictOf(row.Epsilon, entry.ClaimedEpsilon)}
}

// join adds a column, or its arm to an equal one.
func (m *Matrix) join(c MatrixColumn) {
	same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
	for i := range m.Columns {
		if other := &m.Columns[i]; same(other.Claimed, c.Claimed) && other.Claim == c.Claim && other.deltaText() == c.deltaText() && other.Delta == c.Delta && other.Unit == c.Unit && other.Relation == c.Relation && slices.EqualFunc(other.Cells, c.Cells, alike) {
			other.Arms = append(other.Arms, c.Arms...)
			return
		}
	}
	m.Columns = append(m.Columns, c)
}

// alike reports whether readers see two cells as one: a loss above its claim counts with all its digits.
func alike(a, b MatrixCell) bool {
	return a == b || a.There && b.There && a.Verdict == b.Verdict && a.Verdict != Exceeded && a.text() == b.text()
}

// observerNames are observers as readers know them.
var observerNames = map[string]string{
	string(accountant.Wire): "eavesdropper (wire)", string(accountant.Peer): "another participant (peer)",
	string(accountant.Server): "server", string(accountant.Public): "everybody (public)",
}

// ObserverName is the name of an observer for people: an eavesdropper for wire. Others keep theirs.
func ObserverName(observer string) string { return cmp.Or(observerNames[observer], observer) }

// Named gives the arms of the matrix other names, for people; those without one keep theirs.
func (m *Matrix) Named(labels map[string]string) {
	for i := range m.Columns {
		arms := slices.Clone(m.Columns[i].Arms)
		for k, arm := range arms {
			arms[k] = cmp.Or(labels[arm], arm)
		}
		m.Columns[i].Arms = arms
	}
}

// ArmsText names arms that are alike: two of them, by the values that they share, or the first with the number of the others. Semicolons
// are between them, since their names have commas.
func ArmsText(arms []string) string {
	if len(arms) <= 2 {
		return strings.Join(arms, "; ")
	}
	if shared := sharedParts(arms); shared != "" {
		return fmt.Sprintf("%d arms of %s", len(arms), shared)
	}
	return fmt.Sprintf("%s and %d others", arms[0], len(arms)-1)
}

// namesOfGroups names groups that divide the arms of a run: the one that has no name of its own has the other arms.
func namesOfGroups(groups [][]string) (names []string, others int) {
	others = -1
	unnamed := 0
	for i, arms := range groups {
		names = append(names, ArmsText(arms))
		if len(arms) > 2 && sharedParts(arms) == "" {
			others = i
			unnamed++
		}
	}
	if unnamed != 1 {
		return names, -1
	}
	names[others] = fmt.Sprintf("%d other arms", len(groups[others]))
	if len(groups) == 1 {
		names[others] = fmt.Sprintf("all %d arms", len(groups[others]))
	}
	return names, others
}

// names are the columns as tables name them, and the place of the column of other arms; below 0 for none.
func (m *Matrix) names() (names []string, others int) {
	groups := make([][]string, len(m.Columns))
	for i := range m.Columns {
		groups[i] = m.Columns[i].Arms
	}
	return namesOfGroups(groups)
}

// sharedParts are the parts of names, between commas, that all arms share.
func sharedParts(arms []string) string {
	shared := strings.Split(arms[0], ", ")
	for _, arm := range arms[1:] {
		parts := strings.Split(arm, ", ")
		shared = slices.DeleteFunc(shared, func(part string) bool { return !slices.Contains(parts, part) })
	}
	return strings.Join(shared, ", ")
}

// text is a cell with its sign.
func (c MatrixCell) text() string {
	if !c.There {
		return ""
	}
	text := tabular.FormatValue(c.Epsilon)
	switch c.Verdict {
	case Kept:
		text += " ✓"
	case Exceeded:
		text += " ✗"
	}
	return text
}

// claimText is the claimed loss; a dash where there is none.
func (c *MatrixColumn) claimText() string {
	if math.IsNaN(c.Claimed) {
		return none
	}
	return tabular.FormatValue(c.Claimed)
}

// deltaText is the delta of the losses; a dash where no loss is finite.
func (c *MatrixColumn) deltaText() string {
	if !slices.ContainsFunc(c.Cells, func(cell MatrixCell) bool { return cell.There && !math.IsInf(cell.Epsilon, 1) }) {
		return none
	}
	return ownDeltaText(c.Delta, &c.entry)
}

// Table returns the matrix with a column for each arm, or, where that is wider than a number of
// columns of a terminal, with a row for each arm.
func (m *Matrix) Table(width int) tabular.Table {
	t := tabular.Table{Header: []string{"epsilon of the run"}}
	claims, deltas := []string{"claimed"}, []string{"delta"}
	names, others := m.names()
	for i := range m.Columns {
		c := &m.Columns[i]
		t.Header, claims, deltas = append(t.Header, names[i]), append(claims, c.claimText()), append(deltas, c.deltaText())
	}
	t.Rows = [][]string{claims, deltas}
	for i, observer := range m.Observers {
		line := []string{ObserverName(observer)}
		for k := range m.Columns {
			line = append(line, m.text(&m.Columns[k], i))
		}
		t.Rows = append(t.Rows, line)
	}
	if t.Width() <= width {
		return t
	}
	t = tabular.Table{Header: []string{"epsilon of the run", "claimed", "delta"}}
	for _, observer := range m.Observers {
		t.Header = append(t.Header, ObserverName(observer))
	}
	for i := range m.Columns {
		c := &m.Columns[i]
		line := []string{names[i], c.claimText(), c.deltaText()}
		for k := range c.Cells {
			line = append(line, m.text(c, k))
		}
		t.Rows = append(t.Rows, line)
	}
	if others >= 0 {
		row := t.Rows[others]
		t.Rows = append(slices.Delete(t.Rows, others, others+1), row)
	}
	return t
}

// Texts explain the matrix: the protected units, the signs, and the largest excess.
func (m *Matrix) Texts() []string { return append(m.Protected(), m.Verdicts()...) }

// Verdicts explain the signs, and state the largest excess; empty where no cell has a claim.
func (m *Matrix) Verdicts() (list []string) {
	kept, exceeded := false, false
	excess, arm, observer, claimed := 1.0, "", "", 0.0
	for i := range m.Columns {
		c := &m.Columns[i]
		for k, cell := range c.Cells {
			kept, exceeded = kept || cell.Verdict == Kept, exceeded || cell.Verdict == Exceeded
			if ratio := cell.Epsilon / c.Claimed; cell.Verdict == Exceeded && !math.IsInf(ratio, 0) && ratio > excess {
				excess, arm, observer, claimed = ratio, c.Arms[0], m.Observers[k], c.Claimed
			}
		}
	}
	var signs []string
	if kept {
		signs = append(signs, "✓ within the claim of the paper")
	}
	if exceeded {
		signs = append(signs, "✗ above the claim")
	}
	if len(signs) > 0 {
		list = append(list, strings.Join(signs, ", ")+".")
	}
	if arm != "" {
		list = append(list, fmt.Sprintf("Largest finite excess: %s, %s to %s, %s times its claim.", arm, tabular.FormatValue(claimed*excess), ObserverName(observer), tabular.FormatValue(excess)))
	}
	return list
}

// Protected states the protected unit, or the units with their arms where there are several.
func (m *Matrix) Protected() (list []string) {
	var units []string
	arms := map[string][]string{}
	for i := range m.Columns {
		c := &m.Columns[i]
		text := fmt.Sprintf("%s (%s)", c.Unit, c.Relation)
		if arms[text] == nil {
			units = append(units, text)
		}
		arms[text] = append(arms[text], c.Arms...)
	}
	for _, unit := range units {
		of := ""
		if len(units) > 1 {
			of = " in " + ArmsText(arms[unit])
		}
		list = append(list, fmt.Sprintf("Protected%s: %s.", of, unit))
	}
	return list
}

// mostExceeded is the largest number of arms with an exceeded claim that a text names.
const mostExceeded = 8

// ClaimsText states how many of the claims of arms hold, and which are exceeded; empty where no arm has a claim.
// Where claims are about some observers alone, it says so, and counts the arms with a loss without bound to
// each of the others.
func (m *Matrix) ClaimsText() string {
	kept, all := 0, 0
	var exceeded []string
	partial, unbounded := false, make([]int, len(m.Observers))
	for i := range m.Columns {
		c := &m.Columns[i]
		stated := slices.ContainsFunc(c.Cells, func(cell MatrixCell) bool { return cell.Verdict != "" })
		above := slices.ContainsFunc(c.Cells, func(cell MatrixCell) bool { return cell.Verdict == Exceeded })
		for k, cell := range c.Cells {
			if stated && cell.There && cell.Verdict == "" {
				partial = true
				if math.IsInf(cell.Epsilon, 1) {
					unbounded[k] += len(c.Arms)
				}
			}
		}
		switch {
		case above:
			exceeded = append(exceeded, c.Arms...)
		case stated:
			kept += len(c.Arms)
		}
	}
	if all = kept + len(exceeded); all == 0 {
		return ""
	}
	against, rest := "every observer", ""
	if partial {
		against, rest = "the observers that they name", m.unboundedText(unbounded)
	}
	if len(exceeded) == 0 {
		return fmt.Sprintf("Claims kept against %s: all %d%s.", against, all, rest)
	}
	names := ArmsText(exceeded)
	if len(exceeded) <= mostExceeded {
		names = strings.Join(exceeded, "; ")
	}
	return fmt.Sprintf("Claims kept against %s: %d of %d%s. Exceeded: %s.", against, kept, all, rest, names)
}

// unboundedText names the observers to whom arms lose without bound, with the numbers of these arms.
func (m *Matrix) unboundedText(arms []int) string {
	var list []string
	for k, n := range arms {
		if n > 0 {
			list = append(list, fmt.Sprintf("%s (%d)", m.Observers[k], n))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return "; no finite epsilon bounds the loss to " + strings.Join(list, ", ")
}
