package tabular

import (
	"slices"
	"strings"
)

// WithoutEqual returns a table of several rows without the columns after the first that have one value, and these
// columns with their values. A table of such columns only stays as it is.
func (t Table) WithoutEqual() (rest Table, equal []string) {
	if len(t.Rows) < 2 {
		return t, nil
	}
	rest = t
	for i, head := range t.Header {
		first := strings.TrimSpace(t.Rows[0][i])
		if i > 0 && first != "" && !slices.ContainsFunc(t.Rows, func(row []string) bool { return strings.TrimSpace(row[i]) != first }) {
			rest, equal = rest.Without(head), append(equal, head+" "+first)
		}
	}
	if len(rest.Header) == 1 {
		return t, nil
	}
	return rest, equal
}
