package accounts

import (
	"math"
	"slices"
	"strings"
	"testing"

	"starling/scenarios/results"
)

// TestVerdicts holds losses against claims, to the last bits of arithmetic.
func TestVerdicts(t *testing.T) {
	claim := 2.0
	for _, test := range []struct {
		epsilon float64
		claimed *float64
		want    Verdict
	}{{1, &claim, Kept}, {2, &claim, Kept}, {2 * (1 + 1e-12), &claim, Kept}, {2.001, &claim, Exceeded}, {math.Inf(1), &claim, Exceeded}, {1, nil, ""}, {math.Inf(1), nil, ""}} {
		if got := VerdictOf(test.epsilon, test.claimed); got != test.want {
			t.Errorf("%g against %v: %q, want %q", test.epsilon, test.claimed, got, test.want)
		}
	}
}

// made is a matrix of made-up losses: of two observers, in three arms of which two are alike.
func made() *Matrix {
	m := &Matrix{Observers: []string{"wire", "server"}}
	four, one := 4.0, 1.0
	for _, arm := range []struct {
		name         string
		wire, server float64
		claimed      *float64
	}{{"a", 5, 3, &four}, {"b", 5, 3, &four}, {"c", math.Inf(1), 0.5, &one}, {"none", math.Inf(1), math.Inf(1), nil}} {
		c := MatrixColumn{Arms: []string{arm.name}, Claimed: math.NaN(), Cells: make([]MatrixCell, 2)}
		for i, epsilon := range []float64{arm.wire, arm.server} {
			c.add(i, &results.LedgerEntry{Arm: arm.name, Unit: "a datum", Relation: "replace", ClaimedEpsilon: arm.claimed}, &results.PrivacyRow{Epsilon: epsilon, Delta: 1e-5})
		}
		m.join(c)
	}
	return m
}

// TestMatrix has equal arms in one column, signs beside numbers, and arms as rows where columns
// are too wide.
func TestMatrix(t *testing.T) {
	m := made()
	wide := m.Table(80)
	want := [][]string{{"claimed", "4", "1", "-"}, {"delta", "1e-05", "1e-05", "-"}, {"eavesdropper (wire)", "5 ✗", "inf ✗", "inf"}, {"server", "3 ✓", "0.5 ✓", "inf"}}
	if strings.Join(wide.Header, "|") != "epsilon of the run|a; b|c|none" || !slices.EqualFunc(wide.Rows, want, slices.Equal[[]string]) {
		t.Errorf("%q, %q", wide.Header, wide.Rows)
	}
	narrow := m.Table(30)
	if strings.Join(narrow.Header, "|") != "epsilon of the run|claimed|delta|eavesdropper (wire)|server" || len(narrow.Rows) != 3 || strings.Join(narrow.Rows[1], "|") != "c|1|1e-05|inf ✗|0.5 ✓" {
		t.Errorf("%q, %q", narrow.Header, narrow.Rows)
	}
	texts := strings.Join(m.Texts(), " ")
	if texts != "Protected: a datum (replace). ✓ within the claim of the paper, ✗ above the claim. Largest finite excess: a, 5 to eavesdropper (wire), 1.25 times its claim." {
		t.Error(texts)
	}
	if text := m.ClaimsText(); text != "Claims kept against every observer: 1 of 3. Exceeded: a; b." && text != "Claims kept against every observer: 0 of 3. Exceeded: a; b; c." {
		t.Error(text)
	}
	m.Columns = m.Columns[2:]
	if text := m.ClaimsText(); text != "" {
		t.Errorf("without a claim: %q", text)
	}
}

// TestClaimsText holds the sentence on claims to the observers that the claims are about.
func TestClaimsText(t *testing.T) {
	one, inf := 1.0, math.Inf(1)
	none := (*float64)(nil)
	for _, test := range []struct {
		wire, server float64
		claims       [2]*float64
		want         string
	}{
		{0.5, 1, [2]*float64{&one, &one}, "Claims kept against every observer: all 2."},
		{inf, 1, [2]*float64{none, &one}, "Claims kept against the observers that they name: all 2; no finite epsilon bounds the loss to wire (2)."},
		{3, 1, [2]*float64{none, &one}, "Claims kept against the observers that they name: all 2."},
		{inf, 3, [2]*float64{none, &one}, "Claims kept against the observers that they name: 0 of 2; no finite epsilon bounds the loss to wire (2). Exceeded: a; b."},
		{inf, inf, [2]*float64{none, none}, ""},
	} {
		c := MatrixColumn{Arms: []string{"a", "b"}, Claimed: math.NaN(), Cells: make([]MatrixCell, 2)}
		for k, epsilon := range []float64{test.wire, test.server} {
			c.add(k, &results.LedgerEntry{ClaimedEpsilon: test.claims[k]}, &results.PrivacyRow{Epsilon: epsilon})
		}
		m := &Matrix{Observers: []string{"wire", "server"}, Columns: []MatrixColumn{c}}
		if text := m.ClaimsText(); text != test.want {
			t.Errorf("%v: %q, want %q", test, text, test.want)
		}
	}
}

// TestMatrixFigure draws a row for each column of the table, frames losses within claims, and leaves a
// cell empty where there is no observer.
func TestMatrixFigure(t *testing.T) {
	m := made()
	m.Columns[1].Cells[1].There = false
	f := m.Figure("losses")
	if err := f.Validate(); err != nil {
		t.Fatal(err)
	}
	c := f.Cells
	if strings.Join(c.Rows, "|") != "a; b (claimed 4)|c (claimed 1)|none" || strings.Join(c.Columns, "|") != "eavesdropper|server" {
		t.Errorf("%q, %q", c.Rows, c.Columns)
	}
	if c.Values[0][0] != 5 || !math.IsInf(c.Values[1][0], 1) || !math.IsNaN(c.Values[1][1]) || c.Best[0][0] || !c.Best[0][1] || c.Best[2][0] {
		t.Errorf("%v, framed %v", c.Values, c.Best)
	}
	if !strings.HasPrefix(f.Note, "Protected: a datum (replace-one). Framed: within the claim.") || c.Blocks != nil {
		t.Errorf("%q, blocks %q", f.Note, c.Blocks)
	}
	m.Columns[1].Unit = "a node's costs" // a block between two rows of the other one, which come first
	f = m.Figure("losses")
	if c = f.Cells; strings.Join(c.Rows, "|") != "a; b (claimed 4)|none|c (claimed 1)" || c.Blocks[0] != c.Blocks[1] || c.Blocks[2] != "Protected: a node's costs (replace-one)" || !strings.HasPrefix(f.Note, "Losses of blocks do not compare") {
		t.Errorf("%q, blocks %q, note %q", c.Rows, c.Blocks, f.Note)
	}
}

// TestCondensed has one entry for observers to whom all arms lose the same, and says by how much a loss is above its
// claim. The matrix stays as it was.
func TestCondensed(t *testing.T) {
	m := made()
	m.Observers = append(m.Observers, "peer")
	for i := range m.Columns {
		m.Columns[i].Cells = append(m.Columns[i].Cells, m.Columns[i].Cells[0])
	}
	before := m.Table(80)
	c := m.Condensed().Table(80)
	want := [][]string{{"claimed", "4", "1", "-"}, {"delta", "1e-05", "1e-05", "-"}, {"wire, peer", "5 ✗ +25 %", "inf ✗", "inf"}, {"server", "3 ✓", "0.5 ✓", "inf"}}
	if !slices.EqualFunc(c.Rows, want, slices.Equal[[]string]) {
		t.Errorf("%q", c.Rows)
	}
	if after := m.Table(80); !slices.EqualFunc(before.Rows, after.Rows, slices.Equal[[]string]) {
		t.Errorf("%q, before %q", after.Rows, before.Rows)
	}
	for ratio, want := range map[float64]string{1.004: " +0.4 %", 1.5: " +50 %", 2.5: " × 2.5", math.Inf(1): ""} {
		if got := degreeText(ratio); got != want {
			t.Errorf("a loss of %v claims: %q, want %q", ratio, got, want)
		}
	}
}

// TestAlikeColumns joins arms that read the same, where none is above its claim, and names the arms of each unit.
func TestAlikeColumns(t *testing.T) {
	column := func(arm, unit string, epsilon float64, verdict Verdict) MatrixColumn {
		return MatrixColumn{Arms: []string{arm}, Claimed: math.NaN(), Unit: unit, Relation: "replace", Delta: 1e-5, Cells: []MatrixCell{{There: true, Epsilon: epsilon, Verdict: verdict}}}
	}
	m := &Matrix{Observers: []string{"wire"}}
	for _, c := range []MatrixColumn{column("a", "a record", 8, ""), column("b", "a record", 8.00001, ""), column("c", "a node", 9, Exceeded), column("d", "a node", 9.00001, Exceeded)} {
		m.join(c)
	}
	if len(m.Columns) != 3 || !slices.Equal(m.Columns[0].Arms, []string{"a", "b"}) {
		t.Errorf("%+v", m.Columns)
	}
	if got, want := strings.Join(m.Protected(), " "), "Protected in a; b: a record (replace). Protected in c; d: a node (replace)."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
