// Package metric lists the metrics: name, meaning, unit, and which direction is better.
// Packages under meter compute them, and runs record them by name.
//
// A name has a family and a quantity, such as regret.expected. A pattern such as regret.*
// stands for a family. Lists, axes of figures, the choice of a linear or logarithmic
// axis, and the refusal of a metric that no arm records all read this one list.
package metric
