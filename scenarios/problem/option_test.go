package problem

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"starling/actors/algorithm/mirror"
	"starling/actors/option"
)

// fields lists the key paths of all errors joined in err, sorted.
func fields(err error) []string {
	var fault *option.Error
	var paths []string
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			paths = append(paths, fields(e)...)
		}
	} else if errors.As(err, &fault) {
		paths = append(paths, fault.Path)
	}
	slices.Sort(paths)
	return paths
}

func localizationOptions(change func(*LocalizationOptions)) LocalizationOptions {
	o := DefaultLocalizationOptions()
	o.Sensors.Circle = &CircleOptions{Radius: 4}
	change(&o)
	return o
}

func TestLocalizationOptionErrors(t *testing.T) {
	nan := math.NaN()
	box3 := must(mirror.NewBox([]float64{0, 0, 0}, []float64{1, 1, 1}))
	for name, c := range map[string]struct {
		change func(*LocalizationOptions)
		set    mirror.Set
		want   []string
	}{
		"fine":        {func(o *LocalizationOptions) {}, nil, nil},
		"no sensors":  {func(o *LocalizationOptions) { o.Sensors = SensorOptions{} }, nil, []string{"sensors"}},
		"two layouts": {func(o *LocalizationOptions) { o.Sensors.Same = &SameOptions{Position: []float64{1, 1}} }, nil, []string{"sensors"}},
		"radius":      {func(o *LocalizationOptions) { o.Sensors.Circle.Radius = 0 }, nil, []string{"sensors.circle.radius"}},
		"centre":      {func(o *LocalizationOptions) { o.Sensors.Circle.Center = []float64{1} }, nil, []string{"sensors.circle.center"}},
		"centre NaN":  {func(o *LocalizationOptions) { o.Sensors.Circle.Center = []float64{1, nan} }, nil, []string{"sensors.circle.center[1]"}},
		"same":        {func(o *LocalizationOptions) { o.Sensors = SensorOptions{Same: &SameOptions{}} }, nil, []string{"sensors.same.position"}},
		"same NaN": {func(o *LocalizationOptions) {
			o.Sensors = SensorOptions{Same: &SameOptions{Position: []float64{nan, 0}}}
		}, nil, []string{"sensors.same.position[0]"}},
		"positions":    {func(o *LocalizationOptions) { o.Sensors = SensorOptions{Positions: [][]float64{{1, 1}}} }, nil, []string{"sensors.positions"}},
		"position dim": {func(o *LocalizationOptions) { o.Sensors = SensorOptions{Positions: [][]float64{{1, 1}, {1}}} }, nil, []string{"sensors.positions[1]"}},
		"position Inf": {func(o *LocalizationOptions) {
			o.Sensors = SensorOptions{Positions: [][]float64{{1, 1}, {1, math.Inf(1)}}}
		}, nil, []string{"sensors.positions[1][1]"}},
		"random order": {func(o *LocalizationOptions) {
			o.Sensors = SensorOptions{Random: &RandomOptions{Low: []float64{0, 1}, High: []float64{1, 0}}}
		}, nil, []string{"sensors.random.high[1]"}},
		"random lengths": {func(o *LocalizationOptions) {
			o.Sensors = SensorOptions{Random: &RandomOptions{Low: []float64{0, 1}, High: []float64{1}}}
		}, nil, []string{"sensors.random.high"}},
		"random dim": {func(o *LocalizationOptions) {
			o.Sensors = SensorOptions{Random: &RandomOptions{Low: []float64{0}, High: []float64{1}}}
		}, nil, []string{"sensors.random.low"}},
		"topology order": {func(o *LocalizationOptions) {
			o.Sensors = SensorOptions{Topology: &TopologyOptions{Low: []float64{0, 1}, High: []float64{1, 0}}}
		}, nil, []string{"sensors.topology.high[1]"}},
		"topology dim": {func(o *LocalizationOptions) {
			o.Sensors = SensorOptions{Topology: &TopologyOptions{Low: []float64{0}, High: []float64{1}}}
		}, nil, []string{"sensors.topology.low"}},
		"topology in space": {func(o *LocalizationOptions) {
			o.Sensors = SensorOptions{Topology: &TopologyOptions{Low: []float64{0, 0, 0}, High: []float64{1, 1, 1}}}
			o.Target = TargetOptions{Start: []float64{0, 0, 0}, Motion: MotionStill}
		}, box3, []string{"sensors.topology"}},
		"several": {func(o *LocalizationOptions) {
			o.MeasurementNoise, o.Target.Motion, o.Sensors.Circle.Radius = -1, "jumpy", nan
		}, nil, []string{"measurement_noise", "sensors.circle.radius", "target.motion"}},
		"outside":       {func(o *LocalizationOptions) { o.Target.Start = []float64{2, 2} }, nil, []string{"target.start"}},
		"start missing": {func(o *LocalizationOptions) { o.Target.Start = nil }, nil, []string{"target.start"}},
		"start NaN":     {func(o *LocalizationOptions) { o.Target.Start = []float64{0, nan} }, nil, []string{"target.start[1]"}},
		"in space":      {func(o *LocalizationOptions) {}, box3, []string{"sensors.circle", "target.motion"}},
		"start in space": {func(o *LocalizationOptions) {
			o.Target.Motion = MotionStill
		}, box3, []string{"sensors.circle", "target.start"}},
	} {
		if c.set == nil {
			c.set = printedSet()
		}
		_, err := NewLocalization(localizationOptions(c.change), 2, c.set)
		if diff := cmp.Diff(c.want, fields(err)); diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

func TestOtherOptionErrors(t *testing.T) {
	nan, set := math.NaN(), must(mirror.NewL2Ball(2, 1, nil))
	for name, c := range map[string]struct {
		options interface{ Validate() error }
		want    []string
	}{
		"logistic":         {DefaultLogisticOptions(), nil},
		"logistic scaled":  {LogisticOptions{FeatureNorm: 2}, nil},
		"logistic no norm": {LogisticOptions{Alpha: -1, Beta: nan}, []string{"alpha", "beta", "feature_norm"}},
		"logistic both":    {LogisticOptions{Normalise: true, FeatureNorm: 1}, []string{"feature_norm"}},
		"robust":           {DefaultRobustRegressionOptions(), nil},
		"robust several": {RobustRegressionOptions{NoiseDeviation: -1, OutlierShare: nan, OutlierSize: -1, Truth: TruthOptions{Start: []float64{nan}, Drift: -1}},
			[]string{"noise_deviation", "outlier_share", "outlier_size", "scale", "truth.drift", "truth.start[0]"}},
		"robust share": {RobustRegressionOptions{Scale: 1, OutlierShare: 1.1}, []string{"outlier_share"}},
	} {
		if diff := cmp.Diff(c.want, fields(c.options.Validate())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for _, start := range [][]float64{{1}, {1, 1}} {
		_, err := NewRobustRegression(robustOptions(func(o *RobustRegressionOptions) { o.Truth.Start = start }), 2, set)
		if diff := cmp.Diff([]string{"truth.start"}, fields(err)); diff != "" {
			t.Errorf("start %v (-want +got):\n%s", start, diff)
		}
	}
	_, err := NewRobustRegression(RobustRegressionOptions{}, 2, set)
	if want := "scale: is 0, want a finite number above 0"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %v", err, want)
	}
	if _, err := NewLogistic(LogisticOptions{}, 2, set); !slices.Equal(fields(err), []string{"feature_norm"}) {
		t.Errorf("error %v, want one of feature_norm", err)
	}
	if _, err := NewLogistic(DefaultLogisticOptions(), 0, set); err == nil {
		t.Error("a problem of no nodes")
	}
	if _, err := NewLogistic(DefaultLogisticOptions(), 2, nil); err == nil {
		t.Error("a problem without a set")
	}
}

// A scenario file decodes over the defaults: what it leaves out keeps them.
func TestOptionsDecodeOverDefaults(t *testing.T) {
	localization := DefaultLocalizationOptions()
	decode(t, "sensors: {circle: {radius: 4}}\ntarget: {motion: still}", &localization)
	if diff := cmp.Diff(LocalizationOptions{
		Sensors:          SensorOptions{Circle: &CircleOptions{Radius: 4}},
		Target:           TargetOptions{Start: []float64{0.8, 0.95}, Motion: MotionStill},
		MeasurementNoise: 0.001,
	}, localization); diff != "" {
		t.Errorf("localization (-want +got):\n%s", diff)
	}
	logistic := DefaultLogisticOptions()
	decode(t, "normalise: false\nfeature_norm: 2\nalpha: 1", &logistic)
	if diff := cmp.Diff(LogisticOptions{Alpha: 1, Beta: 0.1, FeatureNorm: 2}, logistic); diff != "" {
		t.Errorf("logistic (-want +got):\n%s", diff)
	}
	robust := DefaultRobustRegressionOptions()
	decode(t, "outlier_share: 0\ntruth: {drift: 0.5}", &robust)
	want := RobustRegressionOptions{Scale: 1, NoiseDeviation: 0.1, OutlierSize: 10, Truth: TruthOptions{Drift: 0.5}}
	if diff := cmp.Diff(want, robust); diff != "" {
		t.Errorf("robust (-want +got):\n%s", diff)
	}
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := yaml.UnmarshalWithOptions([]byte(text), into, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
}

// Options are copied: changing them later changes no problem.
func TestOptionsAreCopied(t *testing.T) {
	o := localizationOptions(func(o *LocalizationOptions) {
		o.Sensors = SensorOptions{Random: &RandomOptions{Low: []float64{5, 5}, High: []float64{6, 6}}}
	})
	p := must(NewLocalization(o, 2, printedSet()))
	before := evaluate(must(p.Draw(1, 2)), 2, 2, []float64{0, 0})
	o.Sensors.Random.Low[0], o.Sensors.Random.High[1], o.Target.Start[0] = 0, 9, 0
	if after := evaluate(must(p.Draw(1, 2)), 2, 2, []float64{0, 0}); !sameBits(before, after) {
		t.Errorf("values %v, before the options changed %v", after, before)
	}
}
