package pyproblem

import (
	"fmt"
	"math"
	"slices"
)

// Measure is measure(x): a dictionary with a number for each metric of the scenario, of a model x of shape (d,).
const Measure = "measure"

// Measure returns the numbers of a model, len d, by the class, in the order of CostOptions.Metrics. NaN is a number
// that is not known.
func (c *Corpus) Measure(x []float64) ([]float64, error) {
	o := &c.problem.o
	what := fmt.Sprintf("%s: %s.%s", o.File, o.Class, Measure)
	arrays, err := c.object.Call(&Call{Method: Measure, What: what, Arrays: []Array{{Name: "x", Shape: []int{len(x)}, Values: x}}})
	if err != nil {
		return nil, err
	}
	values := make([]float64, len(o.Metrics))
	for i, name := range o.Metrics {
		k := slices.IndexFunc(arrays, func(a Array) bool { return a.Name == name })
		switch {
		case k < 0:
			return nil, &Error{What: what, Cause: fmt.Errorf("it returned no %q; want a dictionary with a number for each of %q", name, o.Metrics)}
		case len(arrays[k].Values) != 1 || math.IsInf(arrays[k].Values[0], 0):
			return nil, &Error{What: what, Cause: fmt.Errorf("it returned %v as %s; want a number", arrays[k].Values, name)}
		}
		values[i] = arrays[k].Values[0]
	}
	if len(arrays) > len(values) {
		return nil, &Error{What: what, Cause: fmt.Errorf("it returned %d numbers, and problem.metrics names %d", len(arrays), len(values))}
	}
	return values, nil
}
