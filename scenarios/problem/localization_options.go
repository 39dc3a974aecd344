package problem

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"starling/actors/option"
	"starling/mechanisms/portable"
)

// The motions of a target.
const (
	// MotionPrinted is the motion of DPDO-NC, section 5; d = 2 only.
	MotionPrinted = "printed"
	// MotionStill leaves the target at its start.
	MotionStill = "still"
)

// LocalizationOptions describe a localization problem. Start from
// DefaultLocalizationOptions, and choose the sensors.
type LocalizationOptions struct {
	// Sensors are the places of the nodes; there is no default.
	Sensors SensorOptions `yaml:"sensors,required" example:"{circle: {radius: 4}}" doc:"where the nodes stand: one of positions, circle, same, random and topology"`
	// Target is the start and the motion of the target.
	Target TargetOptions `yaml:"target" doc:"where the target starts and how it moves"`
	// MeasurementNoise is the largest error of a measured distance: errors are
	// uniform on [0, MeasurementNoise].
	MeasurementNoise float64 `yaml:"measurement_noise" min:"0" unit:"distance" doc:"errors of measured distances are uniform from 0 to this"`
}

// SensorOptions place the sensors. Exactly one field is given.
type SensorOptions struct {
	// Positions are N points of R^d.
	Positions [][]float64 `yaml:"positions" unit:"coordinates" range:"any point" doc:"a point for each node; absent, one of the others"`
	// Circle spreads the sensors evenly on a circle; d = 2 only.
	Circle *CircleOptions `yaml:"circle" doc:"sensors evenly on a circle; dimension 2 only"`
	// Same puts all sensors at one point.
	Same *SameOptions `yaml:"same" doc:"all sensors at one point"`
	// Random draws the sensors per seed, uniformly from a box.
	Random *RandomOptions `yaml:"random" doc:"sensors drawn for each seed, uniformly from a box"`
	// Topology puts the sensors at the nodes of a topology, and moves them with the nodes; d =
	// 2 only.
	Topology *TopologyOptions `yaml:"topology" doc:"sensors where the nodes of a geometric topology are, moving with them; dimension 2 only"`
}

// CircleOptions place sensor i of 0..N-1 at
// center + radius (cos(2 pi i/N), sin(2 pi i/N)).
type CircleOptions struct {
	Radius float64   `yaml:"radius,required" over:"0" unit:"distance" doc:"radius of the circle"`
	Center []float64 `yaml:"center" unit:"coordinates" range:"points of the space" doc:"2 numbers; absent, the origin"`
}

// SameOptions put every sensor at Position.
type SameOptions struct {
	Position []float64 `yaml:"position,required" unit:"coordinates" range:"any point" doc:"the point, d numbers"`
}

// RandomOptions draw sensors from the box Low <= s <= High.
type RandomOptions struct {
	Low  []float64 `yaml:"low,required" unit:"coordinates" range:"any numbers" doc:"smallest value of each coordinate, d numbers"`
	High []float64 `yaml:"high,required" unit:"coordinates" range:"at least low" doc:"largest value of each coordinate, d numbers, none below that of low"`
}

// TopologyOptions map the unit square in which a topology has its nodes to the box
// Low <= s <= High.
type TopologyOptions struct {
	Low  []float64 `yaml:"low,required" unit:"coordinates" range:"any numbers" doc:"where in the plane the corner (0, 0) of the topology's box is, 2 numbers"`
	High []float64 `yaml:"high,required" unit:"coordinates" range:"at least low" doc:"its corner (1, 1), 2 numbers, each at least as large as in low"`
}

// TargetOptions describe the path of the target.
type TargetOptions struct {
	Start  []float64 `yaml:"start" unit:"coordinates" range:"a point of the set" doc:"first position, a point of the set, d numbers"`
	Motion string    `yaml:"motion" oneof:"printed still" doc:"printed moves as in DPDO-NC, section 5 (dimension 2 only), still stays at the start"`
}

// DefaultLocalizationOptions returns the printed target and measurement noise of DPDO-NC,
// section 5, without sensors: the paper puts all sensors at the start of the target, from
// where it cannot be located.
func DefaultLocalizationOptions() LocalizationOptions {
	return LocalizationOptions{
		Target:           TargetOptions{Start: []float64{0.8, 0.95}, Motion: MotionPrinted},
		MeasurementNoise: 0.001,
	}
}

// Validate reports every option that is wrong whatever the set and the number
// of nodes, each as an [option.Error].
func (o LocalizationOptions) Validate() error {
	return errors.Join(
		o.Sensors.validate(),
		o.Target.validate(),
		requireNonNegative("measurement_noise", o.MeasurementNoise),
	)
}

func (o SensorOptions) validate() error {
	given := 0
	var errs []error
	if o.Positions != nil {
		given++
		for i, p := range o.Positions {
			errs = append(errs, requireFinite(positionPath(i), p))
		}
	}
	if o.Circle != nil {
		given++
		errs = append(errs, requirePositive("sensors.circle.radius", o.Circle.Radius),
			requireFinite("sensors.circle.center", o.Circle.Center))
	}
	if o.Same != nil {
		given++
		errs = append(errs, requireFinite("sensors.same.position", o.Same.Position))
	}
	if o.Random != nil {
		given++
		errs = append(errs, o.Random.validate("sensors.random"))
	}
	if o.Topology != nil {
		given++
		errs = append(errs, RandomOptions(*o.Topology).validate("sensors.topology"))
	}
	if given != 1 {
		errs = append(errs, option.Errorf("sensors", "has %d layouts, want exactly one of positions, circle, same, random, topology", given))
	}
	return errors.Join(errs...)
}

// positionPath returns the key path of the position of one sensor, 0-based like every index
// into a list of a scenario file.
func positionPath(i int) string { return fmt.Sprintf("sensors.positions[%d]", i) }

// validate checks a box with its options at a path.
func (o RandomOptions) validate(at string) error {
	err := errors.Join(requireFinite(at+".low", o.Low), requireFinite(at+".high", o.High))
	if err != nil {
		return err
	}
	if len(o.Low) != len(o.High) {
		return option.Errorf(at+".high", "has %d entries, want %d like low", len(o.High), len(o.Low))
	}
	for k, low := range o.Low {
		if o.High[k] < low {
			return option.Errorf(fmt.Sprintf("%s.high[%d]", at, k), "is %v, below low, %v", o.High[k], low)
		}
	}
	return nil
}

func (o TargetOptions) validate() error {
	errs := []error{requireFinite("target.start", o.Start)}
	if o.Motion != MotionPrinted && o.Motion != MotionStill {
		errs = append(errs, option.Errorf("target.motion", "is %q, want %s or %s", o.Motion, MotionPrinted, MotionStill))
	}
	return errors.Join(errs...)
}

// layout has the places of sensors that are neither drawn nor moved.
type layout interface {
	// places returns the largest number of different places: sensor i stands at the i-th of
	// them, and all further sensors at the last.
	places(nodes int) int
	// at writes the place of sensor i to dst, len d.
	at(dst []float64, i int)
}

// allPlaces returns the N x d positions of a layout.
func allPlaces(l layout, nodes, dim int) []float64 {
	points := make([]float64, nodes*dim)
	for i := range nodes {
		l.at(points[i*dim:][:dim], i)
	}
	return points
}

// layout returns the layout of the sensors, nil if they are drawn or follow a topology.
func (o SensorOptions) layout(nodes, dim int) (layout, error) {
	switch {
	case o.Circle != nil:
		return o.Circle.layout(nodes, dim)
	case o.Same != nil:
		return onePlace(slices.Clone(o.Same.Position)), requireDim("sensors.same.position", o.Same.Position, dim)
	case o.Random != nil:
		return nil, requireDim("sensors.random.low", o.Random.Low, dim)
	case o.Topology != nil:
		if dim != 2 {
			return nil, option.Errorf("sensors.topology", "needs a set of dimension 2, not %d", dim)
		}
		return nil, requireDim("sensors.topology.low", o.Topology.Low, dim)
	}
	if len(o.Positions) != nodes {
		return nil, option.Errorf("sensors.positions", "has %d points, want %d, one for each node", len(o.Positions), nodes)
	}
	for i, p := range o.Positions {
		if err := requireDim(positionPath(i), p, dim); err != nil {
			return nil, err
		}
	}
	list := make(listedPlaces, nodes)
	for i, p := range o.Positions {
		list[i] = slices.Clone(p)
	}
	return list, nil
}

func (o CircleOptions) layout(nodes, dim int) (layout, error) {
	if dim != 2 {
		return nil, option.Errorf("sensors.circle", "needs a set of dimension 2, not %d", dim)
	}
	c := circle{radius: o.Radius, nodes: nodes}
	if len(o.Center) > 0 {
		if err := requireDim("sensors.circle.center", o.Center, dim); err != nil {
			return nil, err
		}
		copy(c.center[:], o.Center)
	}
	return c, nil
}

// circle is the layout of CircleOptions.
type circle struct {
	radius float64
	center [2]float64
	nodes  int
}

func (c circle) places(nodes int) int { return nodes }

func (c circle) at(dst []float64, i int) {
	sin, cos := portable.Sincos(2 * math.Pi * float64(i) / float64(c.nodes))
	dst[0], dst[1] = c.center[0]+float64(c.radius*cos), c.center[1]+float64(c.radius*sin)
}

// onePlace is the layout of SameOptions.
type onePlace []float64

func (p onePlace) places(int) int          { return 1 }
func (p onePlace) at(dst []float64, _ int) { copy(dst, p) }

// listedPlaces is the layout of positions, one for each node.
type listedPlaces [][]float64

func (p listedPlaces) places(nodes int) int    { return nodes }
func (p listedPlaces) at(dst []float64, i int) { copy(dst, p[i]) }
