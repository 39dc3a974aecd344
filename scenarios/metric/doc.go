// Package metric is the form in which metrics are declared: name, text, unit, axis and
// direction. The code that records a metric declares it, and the catalog gathers the
// declarations of kinds.
//
// A name has a family and a quantity, such as regret.expected. A pattern such as regret.*
// stands for a family. Lists, axes of figures, the choice of a linear or logarithmic axis, the
// usual figures, and the refusal of a metric that no arm records all follow from the
// declarations.
package metric
