package loading

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/invopop/jsonschema"

	"starling/actors/algorithm"
	"starling/actors/algorithm/dpdonc"
	"starling/actors/algorithm/dpfl"
	"starling/actors/algorithm/ofl"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/scenarios/ledger"
	"starling/scenarios/limits"
	"starling/scenarios/metric"
	"starling/scenarios/problem"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/problem/model"
	"starling/scenarios/section/mechanisms"
	"starling/scenarios/section/problems"
	"starling/scenarios/section/topologies"
	"starling/scenarios/study"
)

// apply applies the rule for a key at a path, and reports whether there is one.
func (s *schema) apply(property *jsonschema.Schema, path, name string) bool {
	section, _, _ := strings.Cut(path, ".")
	for _, at := range []string{Join(path, name), section + ".*." + name} {
		if rule, ok := rules[at]; ok {
			s.ruled[at] = true
			rule(property)
			return true
		}
	}
	return false
}

// rule adds a limit that the code checks and the type of a value does not show.
type rule func(*jsonschema.Schema)

// rules are by path, as in scenario files, with the kind after a section that
// has one, or * for all of its kinds, and [] for the items of a list. The tests
// hold them to what Load refuses.
var rules = map[string]rule{
	"version": func(s *jsonschema.Schema) { s.Const = study.FileVersion },
	"name":    func(s *jsonschema.Schema) { s.Pattern = study.ValidName.String() },

	"paper.title":     func(s *jsonschema.Schema) { s.MinLength = new(uint64(1)) },
	"budget.on":       oneOf(ledger.BudgetActions()...),
	"budget.observer": oneOf(accountant.Observers()...),
	"measure.metrics": notEmpty,
	"plots":           func(s *jsonschema.Schema) { s.MaxItems = new(uint64(study.MostPlots)) },
	"plots[].name":    func(s *jsonschema.Schema) { s.Pattern = study.ValidName.String() },
	"plots[].y":       oneOf(metric.Names()...),
	"plots[].band":    oneOf(study.BandSE, study.BandSD, study.BandNone),

	"sweep.grid":       lists,
	"sweep.zip":        lists,
	"sweep.list":       arms,
	"sweep.list[].set": func(s *jsonschema.Schema) { s.Type = "object" },

	"algorithm.dpdonc.step.scale": positive,
	"algorithm.*.theta":           positive,
	"algorithm.*.gradient_bound":  oneOf(algorithm.OnBounds()...),
	"algorithm.dpdonc.positivity": oneOf(dpdonc.ClipMean, dpdonc.DualAverage),
	"algorithm.dpdonc.floor":      func(s *jsonschema.Schema) { s.ExclusiveMinimum, s.ExclusiveMaximum = "0", "1" },
	"algorithm.*.missing":         oneOf(algorithm.Missings()...),
	"algorithm.dpdonc.consensus":  oneOf(dpdonc.ConsensusAverage, dpdonc.ConsensusPushSum),
	"algorithm.*.late":            oneOf(algorithm.Lates()...),
	"mechanism.laplace.noise":     oneOf(dpdonc.AsPrinted, dpdonc.Shifted),

	"mechanism.gaussian.delta":       func(s *jsonschema.Schema) { s.ExclusiveMinimum, s.ExclusiveMaximum = "0", "1" },
	"mechanism.gaussian.calibration": oneOf(mechanisms.GaussianCalibrations()...),

	"mechanism.*.calibration":      oneOf(mechanisms.Calibrations()...),
	"algorithm.ofl.version":        func(s *jsonschema.Schema) { s.Minimum, s.Maximum = "1", "2" },
	"algorithm.ofl.tau":            atLeast("1"),
	"algorithm.ofl.local_step":     positive,
	"algorithm.ofl.global_step":    positive,
	"algorithm.ofl.gradient_bound": positive,
	"algorithm.ofl.on_bound":       oneOf(ofl.Bounds()...),
	"algorithm.ofl.sensitivity":    oneOf(mechanisms.SensitivityRules()...),

	"algorithm.*.learning_rate":               positive,
	"algorithm.*.samples":                     atLeast("1"),
	"algorithm.dpfl.batch":                    atLeast("1"),
	"algorithm.ali-dpfl.batch":                atLeast("1"),
	"algorithm.*.statistics":                  oneOf(dpfl.StatisticsKinds()...),
	"algorithm.dpfl.tau":                      atLeast("1"),
	"algorithm.ali-dpfl.control":              atLeast("0"),
	"algorithm.ali-dpfl.statistics_samples":   atLeast("0"),
	"algorithm.ali-dpfl.statistics_sigma":     atLeast("0"),
	"algorithm.ali-dpfl.statistics_lipschitz": atLeast("0"),
	"algorithm.ali-dpfl.statistics_clip":      atLeast("0"),
	"mechanism.sampled-gaussian.sigma":        positive,
	"mechanism.sampled-gaussian.delta":        func(s *jsonschema.Schema) { s.ExclusiveMinimum, s.ExclusiveMaximum = "0", "1" },
	"mechanism.sampled-gaussian.accountant":   oneOf(accountant.Methods()...),
	"mechanism.sampled-gaussian.neighbours":   oneOf(accountant.Relations()...),
	"problem.images.train":                    atLeast("0"),
	"problem.images.test":                     atLeast("0"),
	"problem.images.public":                   atLeast("0"),
	"problem.images.model.kind":               oneOf(problems.ModelKinds()...),
	"problem.images.model.filters":            atLeast("1"),
	"problem.images.model.pooling":            oneOf(model.Poolings()...),
	"problem.images.model.padding":            oneOf(model.PaddingValid, model.PaddingSame),
	"problem.images.partition.kind":           oneOf(dataset.PartitionKinds()...),
	"problem.images.partition.labels":         between(0, 256),

	"network.effects.delay.edges[].from":     atLeast("0"),
	"network.effects.delay.edges[].to":       atLeast("0"),
	"network.effects.bandwidth.edges[].from": atLeast("0"),
	"network.effects.bandwidth.edges[].to":   atLeast("0"),
	"network.effects.events[].until":         atLeast("0"),

	"topology.*.weights":           oneOf(topologies.WeightsChecked, topologies.WeightsUnchecked),
	"topology.*.window":            atLeast("1"),
	"topology.circulant.degree":    atLeast("1"),
	"topology.permutations.degree": atLeast("1"),
	"topology.permutations.every":  atLeast("0"),
	"topology.matrices.matrices":   notEmpty,
	"topology.*.events":            func(s *jsonschema.Schema) { *s = jsonschema.Schema{Ref: "#/$defs/events", Description: s.Description} },
	"topology.*.scheme":            oneOf(topology.Schemes()...),
	"topology.cycle.every":         atLeast("1"),
	"topology.cycle.parts":         parts,

	"set.*.dimension":            between(1, limits.Dimension),
	"set.*.radius":               positive,
	"divergence.euclidean.scale": positive,

	"problem.localization.sensors":               exactlyOne,
	"problem.localization.sensors.circle.radius": positive,
	"problem.localization.target.motion":         oneOf(problem.MotionPrinted, problem.MotionStill),
	"problem.localization.measurement_noise":     atLeast("0"),
	"problem.logistic.alpha":                     atLeast("0"),
	"problem.logistic.beta":                      atLeast("0"),
	"problem.logistic.feature_norm":              positive,
	"problem.robust-regression.scale":            positive,
	"problem.robust-regression.noise_deviation":  atLeast("0"),
	"problem.robust-regression.outlier_share":    func(s *jsonschema.Schema) { s.Minimum, s.Maximum = "0", "1" },
	"problem.robust-regression.outlier_size":     atLeast("0"),
	"problem.robust-regression.truth.drift":      atLeast("0"),
}

func between(least, most int64) rule {
	return func(s *jsonschema.Schema) {
		s.Minimum, s.Maximum = json.Number(strconv.FormatInt(least, 10)), json.Number(strconv.FormatInt(most, 10))
	}
}

func atLeast(least json.Number) rule {
	return func(s *jsonschema.Schema) { s.Minimum = least }
}

func positive(s *jsonschema.Schema) { s.ExclusiveMinimum = "0" }

func oneOf[S ~string](values ...S) rule {
	return func(s *jsonschema.Schema) {
		for _, value := range values {
			s.Enum = append(s.Enum, value)
		}
	}
}

func notEmpty(s *jsonschema.Schema) { s.MinItems = new(uint64(1)) }

// exactlyOne demands one of the keys of a mapping, which has no others.
func exactlyOne(s *jsonschema.Schema) {
	for key := s.Properties.Oldest(); key != nil; key = key.Next() {
		s.OneOf = append(s.OneOf, &jsonschema.Schema{Required: []string{key.Key}})
	}
}

// parts is a list of topologies.
func parts(s *jsonschema.Schema) {
	notEmpty(s)
	s.Items = &jsonschema.Schema{Ref: "#/$defs/topology"}
}

// lists is a mapping of any paths to lists of values.
func lists(s *jsonschema.Schema) {
	s.Type, s.MinProperties = "object", new(uint64(1))
	s.AdditionalProperties = &jsonschema.Schema{Type: "array", MinItems: new(uint64(1)), MaxItems: new(uint64(limits.Arms))}
}

// arms are listed ones: one that sets nothing needs a name.
func arms(s *jsonschema.Schema) {
	s.MinItems, s.MaxItems = new(uint64(1)), new(uint64(limits.Arms))
	set := jsonschema.NewProperties()
	set.Set("set", &jsonschema.Schema{MinProperties: new(uint64(1))})
	s.Items.AnyOf = []*jsonschema.Schema{{Required: []string{"name"}}, {Properties: set}}
}
