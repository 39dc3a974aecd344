package scenarios

import (
	"errors"
	"math"
	"regexp"
	"strconv"

	"starling/actors/algorithm/mirror"
	"starling/scenarios/document"
	"starling/scenarios/problem"
)

// fraction is the form of a fraction: two integers that float64 holds exactly.
var fraction = regexp.MustCompile(`^([-+]?[0-9]{1,15})/([0-9]{1,15})$`)

// number is a finite number, written as one or as a fraction such as 1/3.
type number float64

// DecodeNode implements document.NodeDecoder.
func (x *number) DecodeNode(node *document.Node) error {
	if node.Kind() == document.String {
		parts := fraction.FindStringSubmatch(node.Value())
		if parts == nil {
			return node.Issuef("expected a number or a fraction such as 1/3, got %s", node.Text())
		}
		// Integers of 15 digits are exact, and so the quotient rounds once.
		var terms [2]float64
		for i := range terms {
			terms[i], _ = strconv.ParseFloat(parts[1+i], 64)
		}
		if terms[1] == 0 {
			return node.Issuef("%s divides by zero", node.Text())
		}
		*x = number(terms[0] / terms[1])
		return nil
	}
	var value float64
	if err := document.Decode(node, &value); err != nil {
		return err
	}
	if math.IsInf(value, 0) {
		return node.Issuef("expected a finite number, got %s", node.Text())
	}
	*x = number(value)
	return nil
}

// noEpsilon is what a scenario says to run without noise.
const noEpsilon = "none"

// epsilonValue is a privacy parameter: a number > 0, or none.
type epsilonValue float64

// DecodeNode implements document.NodeDecoder.
func (e *epsilonValue) DecodeNode(node *document.Node) error {
	if node.Kind() == document.String && node.Value() == noEpsilon {
		*e = epsilonValue(math.Inf(1))
		return nil
	}
	if node.Kind() == document.String {
		return node.Issuef("expected a number > 0 or none, got %s", node.Text())
	}
	var value float64
	if err := document.Decode(node, &value); err != nil {
		return err
	}
	if !(value > 0) || math.IsInf(value, 1) {
		return node.Issuef("epsilon = %s; it must be a finite number > 0, or none", node.Text())
	}
	*e = epsilonValue(value)
	return nil
}

// matrix is a list of rows of numbers.
type matrix [][]number

func (m matrix) rows() [][]float64 {
	rows := make([][]float64, len(m))
	for i, row := range m {
		rows[i] = make([]float64, len(row))
		for k, v := range row {
			rows[i][k] = float64(v)
		}
	}
	return rows
}

// setBuilder builds a decision set, and divergenceBuilder a Bregman divergence.
type (
	setBuilder        = func(section *document.Node) (mirror.Set, error)
	divergenceBuilder = func(section *document.Node) (mirror.Divergence, error)
)

// The sections of decision sets.
type (
	ballSection struct {
		Kind      string    `yaml:"kind,required"`
		Dimension int       `yaml:"dimension,required" doc:"d, the dimension of decisions"`
		Radius    float64   `yaml:"radius,required" doc:"radius of the ball"`
		Center    []float64 `yaml:"center" doc:"d numbers; absent, the origin"`
	}
	boxSection struct {
		Kind  string    `yaml:"kind,required"`
		Lower []float64 `yaml:"lower,required" doc:"smallest value of each coordinate, d numbers"`
		Upper []float64 `yaml:"upper,required" doc:"largest value of each coordinate, d numbers"`
	}
	simplexSection struct {
		Kind      string `yaml:"kind,required"`
		Dimension int    `yaml:"dimension,required" doc:"d, the number of entries"`
	}
)

// buildSet builds a decision set.
func buildSet(kinds *catalog, section *document.Node) (mirror.Set, error) {
	build, err := find[setBuilder](kinds.sets, section, "decisions")
	if err != nil {
		return nil, err
	}
	return build(section)
}

func buildBox(section *document.Node) (mirror.Set, error) {
	var o boxSection
	if err := document.Decode(section, &o); err != nil {
		return nil, err
	}
	return typed[mirror.Set](section)(mirror.NewBox(o.Lower, o.Upper))
}

func buildSimplex(section *document.Node) (mirror.Set, error) {
	var o simplexSection
	if err := document.Decode(section, &o); err != nil {
		return nil, err
	}
	if err := checkDimension(section, o.Dimension); err != nil {
		return nil, err
	}
	return typed[mirror.Set](section)(mirror.NewSimplex(o.Dimension))
}

// ballOf returns the builder of a kind of ball from its constructor.
func ballOf[S mirror.Set](construct func(dimension int, radius float64, center []float64) (S, error)) setBuilder {
	return func(section *document.Node) (mirror.Set, error) {
		var o ballSection
		if err := document.Decode(section, &o); err != nil {
			return nil, err
		}
		if err := checkDimension(section, o.Dimension); err != nil {
			return nil, err
		}
		return typed[mirror.Set](section)(construct(o.Dimension, o.Radius, o.Center))
	}
}

var (
	buildL1Ball = ballOf(mirror.NewL1Ball)
	buildL2Ball = ballOf(mirror.NewL2Ball)
)

func checkDimension(section *document.Node, dimension int) error {
	if dimension < 1 || dimension > mostDimension {
		return section.Resolve(document.At("dimension", "dimension %d; want 1 to %d", dimension, mostDimension))
	}
	return nil
}

// typed adapts a constructor's results: the value as an interface, the error
// at its place in the section.
func typed[I any](section *document.Node) func(value any, err error) (I, error) {
	return func(value any, err error) (result I, _ error) {
		if err != nil {
			return result, section.Resolve(err)
		}
		return value.(I), nil
	}
}

// The sections of divergences.
type (
	euclideanSection struct {
		Kind  string  `yaml:"kind,required"`
		Scale float64 `yaml:"scale,required" doc:"c of phi(x) = c ||x||^2; 0.5 makes omega = 1"`
	}
	mahalanobisSection struct {
		Kind   string `yaml:"kind,required"`
		Matrix matrix `yaml:"matrix,required" doc:"Q of phi(x) = x'Qx: d rows of d numbers or fractions, symmetric, positive definite"`
	}
	entropySection struct {
		Kind string `yaml:"kind,required"`
	}
)

// buildDivergence builds a Bregman divergence.
func buildDivergence(kinds *catalog, section *document.Node) (mirror.Divergence, error) {
	build, err := find[divergenceBuilder](kinds.divergences, section, "mirror steps")
	if err != nil {
		return nil, err
	}
	return build(section)
}

func buildEuclidean(section *document.Node) (mirror.Divergence, error) {
	var o euclideanSection
	if err := document.Decode(section, &o); err != nil {
		return nil, err
	}
	return typed[mirror.Divergence](section)(mirror.NewEuclidean(o.Scale))
}

func buildMahalanobis(section *document.Node) (mirror.Divergence, error) {
	var o mahalanobisSection
	if err := document.Decode(section, &o); err != nil {
		return nil, err
	}
	return typed[mirror.Divergence](section)(mirror.NewMahalanobis(o.Matrix.rows()))
}

func buildEntropy(section *document.Node) (mirror.Divergence, error) {
	return mirror.Entropy{}, document.Decode(section, &entropySection{})
}

// problemSection is what every problem's section has besides its options.
type problemSection[O any] struct {
	Kind    string         `yaml:"kind,required"`
	Set     *document.Node `yaml:"set,required" doc:"Omega, the convex set that decisions are from"`
	Options O              `yaml:",inline"`
}

func defaultProblem[O any](defaults func() O) problemSection[O] {
	return problemSection[O]{Options: defaults()}
}

// problemOf returns a problem's builder from its default options and its
// constructor.
func problemOf[O any, P problem.Problem](defaults func() O, construct func(O, int, mirror.Set) (P, error)) problemBuilder {
	return func(b *builder, section *document.Node, nodes int) (problem.Problem, error) {
		s := defaultProblem(defaults)
		err := document.Decode(section, &s)
		if s.Set == nil {
			return nil, err
		}
		set, setErr := buildSet(b.kinds, s.Set)
		if err = errors.Join(err, setErr); err != nil {
			return nil, section.Resolve(err)
		}
		if product(nodes, set.Dim()) > mostCoordinates {
			return nil, s.Set.Issuef("%d nodes in %d dimensions; want at most %d coordinates in all", nodes, set.Dim(), mostCoordinates)
		}
		p, err := construct(s.Options, nodes, set)
		if err != nil {
			return nil, section.Resolve(err)
		}
		return p, nil
	}
}

var (
	buildLocalization     = problemOf(problem.DefaultLocalizationOptions, problem.NewLocalization)
	buildLogistic         = problemOf(problem.DefaultLogisticOptions, problem.NewLogistic)
	buildRobustRegression = problemOf(problem.DefaultRobustRegressionOptions, problem.NewRobustRegression)
)
