package mirror

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
