package sets

import (
	"cmp"

	"starling/actors/algorithm/mirror"
	"starling/scenarios/document"
	"starling/scenarios/kind"
)

// setBuilder builds a decision set. dimension is the default where the section names none; 0
// means that there is no default. divergenceBuilder builds a Bregman divergence.
type (
	setBuilder        = func(section *document.Node, dimension int) (mirror.Set, error)
	divergenceBuilder = func(section *document.Node) (mirror.Divergence, error)
)

// The sections of decision sets.
type (
	BallSection struct {
		Kind      string    `yaml:"kind,required"`
		Dimension int       `yaml:"dimension" min:"1" max:"1000000" says:"dimension %v" unit:"coordinates" doc:"d, the dimension of decisions; absent, that of the problem, where its data say it"`
		Radius    float64   `yaml:"radius,required" over:"0" says:"radius %v" unit:"norm of the ball" doc:"radius of the ball"`
		Center    []float64 `yaml:"center" unit:"coordinates" range:"points of the space" doc:"d numbers; absent, the origin"`
	}
	BoxSection struct {
		Kind  string    `yaml:"kind,required"`
		Lower []float64 `yaml:"lower,required" unit:"coordinates" range:"any numbers" doc:"smallest value of each coordinate, d numbers"`
		Upper []float64 `yaml:"upper,required" unit:"coordinates" range:"above lower" doc:"largest value of each coordinate, d numbers"`
	}
	SimplexSection struct {
		Kind      string `yaml:"kind,required"`
		Dimension int    `yaml:"dimension" min:"1" max:"1000000" says:"dimension %v" unit:"coordinates" doc:"d, the number of entries; absent, that of the problem, where its data say it"`
	}
)

// Build builds a decision set. dimension is the dimension of decisions, if the data of a
// problem determine it; a section may then leave it out. Otherwise it is 0.
func Build(kinds *kind.Catalog, section *document.Node, dimension int) (mirror.Set, error) {
	build, err := kind.Find[setBuilder](kinds.Sets, section, "decisions")
	if err != nil {
		return nil, err
	}
	return build(section, dimension)
}

// following returns the dimension that a section names, or else the problem's.
func following(section *document.Node, named, dimension int) (int, error) {
	if named == 0 && dimension == 0 {
		return 0, document.Issue{Position: section.KeyPosition(), Path: section.Path(), Message: `missing required key "dimension"`}
	}
	return cmp.Or(named, dimension), nil
}

// BuildBox reads the section of a box, with its lower and upper bounds.
func BuildBox(section *document.Node, _ int) (mirror.Set, error) {
	var o BoxSection
	if err := document.Decode(section, &o); err != nil {
		return nil, err
	}
	return document.Typed[mirror.Set](section)(mirror.NewBox(o.Lower, o.Upper))
}

// BuildSimplex reads the section of a probability simplex, with its dimension.
func BuildSimplex(section *document.Node, dimension int) (mirror.Set, error) {
	var o SimplexSection
	if err := document.Decode(section, &o); err != nil {
		return nil, err
	}
	d, err := following(section, o.Dimension, dimension)
	if err != nil {
		return nil, err
	}
	return document.Typed[mirror.Set](section)(mirror.NewSimplex(d))
}

// ballOf returns the builder of a kind of ball from its constructor.
func ballOf[S mirror.Set](construct func(dimension int, radius float64, center []float64) (S, error)) setBuilder {
	return func(section *document.Node, dimension int) (mirror.Set, error) {
		var o BallSection
		if err := document.Decode(section, &o); err != nil {
			return nil, err
		}
		d, err := following(section, o.Dimension, dimension)
		if err != nil {
			return nil, err
		}
		return document.Typed[mirror.Set](section)(construct(d, o.Radius, o.Center))
	}
}

var (
	// BuildL1Ball reads a ball of the 1-norm: dimension, radius and centre.
	BuildL1Ball = ballOf(mirror.NewL1Ball)
	// BuildL2Ball reads a ball of the 2-norm: dimension, radius and centre.
	BuildL2Ball = ballOf(mirror.NewL2Ball)
)

// The sections of divergences.
type (
	EuclideanSection struct {
		Kind  string  `yaml:"kind,required"`
		Scale float64 `yaml:"scale,required" over:"0" says:"scale %v" unit:"none" doc:"c of phi(x) = c ||x||^2; 0.5 makes omega = 1"`
	}
	MahalanobisSection struct {
		Kind   string          `yaml:"kind,required"`
		Matrix document.Matrix `yaml:"matrix,required" unit:"none" range:"symmetric, positive definite" doc:"Q of phi(x) = x'Qx: d rows of d numbers or fractions, symmetric, positive definite"`
	}
	EntropySection struct {
		Kind string `yaml:"kind,required"`
	}
)

// BuildDivergence builds a Bregman divergence.
func BuildDivergence(kinds *kind.Catalog, section *document.Node) (mirror.Divergence, error) {
	build, err := kind.Find[divergenceBuilder](kinds.Divergences, section, "mirror steps")
	if err != nil {
		return nil, err
	}
	return build(section)
}

// BuildEuclidean reads the section of the squared Euclidean distance, times a
// scale.
func BuildEuclidean(section *document.Node) (mirror.Divergence, error) {
	var o EuclideanSection
	if err := document.Decode(section, &o); err != nil {
		return nil, err
	}
	return document.Typed[mirror.Divergence](section)(mirror.NewEuclidean(o.Scale))
}

// BuildMahalanobis reads the section of the Mahalanobis divergence, with its matrix.
func BuildMahalanobis(section *document.Node) (mirror.Divergence, error) {
	var o MahalanobisSection
	if err := document.Decode(section, &o); err != nil {
		return nil, err
	}
	return document.Typed[mirror.Divergence](section)(mirror.NewMahalanobis(o.Matrix.Rows()))
}

// BuildEntropy reads the section of the divergence of the negative entropy.
func BuildEntropy(section *document.Node) (mirror.Divergence, error) {
	return mirror.Entropy{}, document.Decode(section, &EntropySection{})
}
