package mirror

import "fmt"

// The kinds of sets and divergences, as scenarios name them.
const (
	KindL1Ball      = "l1-ball"
	KindL2Ball      = "l2-ball"
	KindBox         = "box"
	KindSimplex     = "simplex"
	KindEuclidean   = "euclidean"
	KindMahalanobis = "mahalanobis"
	KindEntropy     = "entropy"
)

// ParameterError is what is wrong with a parameter of a set or divergence.
type ParameterError struct {
	field string
	err   error
}

// Error implements error.
func (e *ParameterError) Error() string { return e.err.Error() }

// Unwrap gives the cause.
func (e *ParameterError) Unwrap() error { return e.err }

// Field names the parameter as scenarios do, such as radius or matrix[0][1].
func (e *ParameterError) Field() string { return e.field }

func parameterErrorf(field, format string, args ...any) error {
	return &ParameterError{field: field, err: fmt.Errorf(format, args...)}
}
