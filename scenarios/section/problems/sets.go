package problems

import (
	"cmp"

	"starling/actors/algorithm/mirror"
	"starling/scenarios/document"
	"starling/scenarios/kind"
)

// The interfaces of sections. Each method gets its own section, which has been decoded, for
// the places of errors.
type (
	// Set is the section of a decision set. dimension is the default where the section names
	// none; 0 means that there is no default.
	Set interface {
		Set(section *document.Node, dimension int) (mirror.Set, error)
	}
	// Divergence is the section of a Bregman divergence.
	Divergence interface {
		Divergence(section *document.Node) (mirror.Divergence, error)
	}
)

// Build builds a decision set. dimension is the dimension of decisions, if the data of a
// problem determine it; a section may then leave it out. Otherwise it is 0.
func Build(kinds *kind.Catalog, section *document.Node, dimension int) (mirror.Set, error) {
	s, err := kind.As[Set](kinds.Sets, section, "decisions")
	if err != nil {
		return nil, err
	}
	return s.Set(section, dimension)
}

// BuildDivergence builds a Bregman divergence.
func BuildDivergence(kinds *kind.Catalog, section *document.Node) (mirror.Divergence, error) {
	s, err := kind.As[Divergence](kinds.Divergences, section, "mirror steps")
	if err != nil {
		return nil, err
	}
	return s.Divergence(section)
}

// Ball has the keys of balls.
type Ball struct {
	Kind      string    `yaml:"kind,required"`
	Dimension int       `yaml:"dimension" min:"1" max:"1000000" says:"dimension %v" unit:"coordinates" doc:"d, the dimension of decisions; absent, the problem's, where its data have one"`
	Radius    float64   `yaml:"radius,required" example:"3" over:"0" says:"radius %v" unit:"norm of the ball" doc:"radius of the ball"`
	Center    []float64 `yaml:"center" unit:"coordinates" range:"points of the space" doc:"d numbers; absent, the origin"`
}

// The sections of decision sets.
type (
	// L1Ball is a ball of the 1-norm.
	L1Ball struct {
		Ball `yaml:",inline"`
	}
	// L2Ball is a ball of the 2-norm.
	L2Ball struct {
		Ball `yaml:",inline"`
	}
	// Box has a lower and an upper bound on each coordinate.
	Box struct {
		Kind  string    `yaml:"kind,required"`
		Lower []float64 `yaml:"lower,required" unit:"coordinates" range:"any numbers" doc:"smallest value of each coordinate, d numbers"`
		Upper []float64 `yaml:"upper,required" unit:"coordinates" range:"above lower" doc:"largest value of each coordinate, d numbers"`
	}
	// Simplex is the probability simplex.
	Simplex struct {
		Kind      string `yaml:"kind,required"`
		Dimension int    `yaml:"dimension" min:"1" max:"1000000" says:"dimension %v" unit:"coordinates" doc:"d, the number of entries; absent, the problem's, where its data have one"`
	}
)

// following returns the dimension that a section names, or else the problem's.
func following(section *document.Node, named, dimension int) (int, error) {
	if named == 0 && dimension == 0 {
		return 0, document.Issue{Position: section.KeyPosition(), Path: section.Path(), Message: `missing required key "dimension"`, Fault: document.MissingKey, Help: "dimension: number of coordinates of a decision, such as dimension: 2"}
	}
	return cmp.Or(named, dimension), nil
}

// Set implements Set.
func (s *L1Ball) Set(section *document.Node, dimension int) (mirror.Set, error) {
	d, err := following(section, s.Dimension, dimension)
	if err != nil {
		return nil, err
	}
	return document.Typed[mirror.Set](section)(mirror.NewL1Ball(d, s.Radius, s.Center))
}

// Set implements Set.
func (s *L2Ball) Set(section *document.Node, dimension int) (mirror.Set, error) {
	d, err := following(section, s.Dimension, dimension)
	if err != nil {
		return nil, err
	}
	return document.Typed[mirror.Set](section)(mirror.NewL2Ball(d, s.Radius, s.Center))
}

// Set implements Set.
func (s *Box) Set(section *document.Node, _ int) (mirror.Set, error) {
	return document.Typed[mirror.Set](section)(mirror.NewBox(s.Lower, s.Upper))
}

// Set implements Set.
func (s *Simplex) Set(section *document.Node, dimension int) (mirror.Set, error) {
	d, err := following(section, s.Dimension, dimension)
	if err != nil {
		return nil, err
	}
	return document.Typed[mirror.Set](section)(mirror.NewSimplex(d))
}

// The sections of divergences.
type (
	// Euclidean is the squared Euclidean distance, times a scale.
	Euclidean struct {
		Kind  string  `yaml:"kind,required"`
		Scale float64 `yaml:"scale,required" example:"0.5" over:"0" says:"scale %v" unit:"none" doc:"c of phi(x) = c ||x||^2; 0.5 makes omega = 1"`
	}
	// Mahalanobis is the Mahalanobis divergence of a matrix.
	Mahalanobis struct {
		Kind   string          `yaml:"kind,required"`
		Matrix document.Matrix `yaml:"matrix,required" unit:"none" range:"symmetric, positive definite" doc:"Q of phi(x) = x'Qx: d rows of d numbers or fractions, symmetric, positive definite"`
	}
	// Entropy is the divergence of the negative entropy.
	Entropy struct {
		Kind string `yaml:"kind,required"`
	}
)

// Divergence implements Divergence.
func (s *Euclidean) Divergence(section *document.Node) (mirror.Divergence, error) {
	return document.Typed[mirror.Divergence](section)(mirror.NewEuclidean(s.Scale))
}

// Divergence implements Divergence.
func (s *Mahalanobis) Divergence(section *document.Node) (mirror.Divergence, error) {
	return document.Typed[mirror.Divergence](section)(mirror.NewMahalanobis(s.Matrix.Rows()))
}

// Divergence implements Divergence.
func (*Entropy) Divergence(*document.Node) (mirror.Divergence, error) { return mirror.Entropy{}, nil }
