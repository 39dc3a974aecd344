package plot

import (
	"slices"
	"strings"

	"starling/scenarios/results"
)

// Factors has the arms of a study by the keys that tell them apart, for tables with a column for each.
type Factors struct {
	// Heads names the keys for readers.
	Heads []string
	// Cells has the values of an arm by its name, one for each head; "" is a key that the arm does not
	// set. An arm that the keys do not tell from another has its label first, and nothing besides.
	Cells map[string][]string
}

// Bounds of the factors of a table: the most columns, and the least number of arms that each tells apart
// besides those before it.
const (
	mostFactors = 4
	leastApart  = 3
)

// FactorsOf returns the factors of some arms. The boolean is false where fewer than two keys tell nearly
// all arms apart.
func FactorsOf(arms []results.ArmEntry) (f Factors, ok bool) {
	keys := telling(arms)
	if len(keys) < 2 {
		return f, false
	}
	f.Cells = map[string][]string{}
	labels, seen, besides := ArmLabels(arms), map[string]bool{}, 0
	for i := range arms {
		arm := &arms[i]
		values := valuesOf(arm, keys)
		cells := make([]string, len(keys))
		for k, key := range keys {
			cells[k] = cellOf(arm, key)
		}
		if text := strings.Join(values, "\n"); seen[text] || strings.Trim(text, "\n") == "" {
			clear(cells)
			cells[0] = labels[arm.Name]
			besides++
		} else {
			seen[text] = true
		}
		f.Cells[arm.Name] = cells
	}
	for _, key := range keys {
		f.Heads = append(f.Heads, factorHead(key, keys))
	}
	return f, besides <= mostBaselines
}

// telling returns the keys that tell the most arms apart, in the order in which the arms set them.
func telling(arms []results.ArmEntry) (keys []string) {
	all := keysOf(arms)
	apart := func(keys []string) int {
		seen := map[string]bool{}
		for i := range arms {
			seen[strings.Join(valuesOf(&arms[i], keys), "\n")] = true
		}
		return len(seen)
	}
	for len(keys) < mostFactors {
		best, most := "", apart(keys)+leastApart-1
		for _, key := range all {
			if n := apart(append(slices.Clone(keys), key)); legible(arms, key) && n > most {
				best, most = key, n
			}
		}
		if best == "" {
			break
		}
		keys = append(keys, best)
	}
	slices.SortFunc(keys, func(a, b string) int { return slices.Index(all, a) - slices.Index(all, b) })
	return keys
}

// valuesOf returns the values that an arm gives to keys; "" for one that it does not set.
func valuesOf(arm *results.ArmEntry, keys []string) (values []string) {
	for _, key := range keys {
		value, _ := arm.Value(key)
		values = append(values, value)
	}
	return values
}

// cellOf returns the value that an arm gives to a key, below the head of the key.
func cellOf(arm *results.ArmEntry, key string) string {
	value, ok := arm.Value(key)
	if _, number := AxisNumber(value); !ok || number {
		return value
	}
	return strings.TrimPrefix(valueLabel(key, lastElement(key), value), strings.ReplaceAll(lastElement(key), "_", " ")+" = ")
}

// factorHead names a key for readers, by its last word, or by more where another key has the same.
func factorHead(key string, keys []string) string {
	same := func(other string) bool { return other != key && axisKey(other) == axisKey(key) }
	switch {
	case isEpsilon(key) && !slices.ContainsFunc(keys, func(other string) bool { return other != key && isEpsilon(other) }):
		return "ε"
	case slices.ContainsFunc(keys, same):
		return key
	}
	return axisKey(key)
}
