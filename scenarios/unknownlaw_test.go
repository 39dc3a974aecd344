package scenarios_test

import (
	"math"
	"strings"
	"testing"

	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/scenarios"
	"starling/scenarios/document"
	"starling/scenarios/kind"
	"starling/scenarios/loading"
	"starling/scenarios/scenariotest"
	"starling/scenarios/section/mechanisms"
	"starling/scenarios/study/pairing"
)

// A mechanism of a law that no algorithm knows by name is refused by all that take noise of
// its own on what they send: none runs it as the noise that it knows. Without noise there is
// no law.
func TestUnknownLawsAreRefused(t *testing.T) {
	type section struct {
		Kind    string           `yaml:"kind,required"`
		Epsilon document.Epsilon `yaml:"epsilon,required" unit:"nats" doc:"epsilon of a release"`
	}
	build := func(node *document.Node) (mechanisms.Additive, error) {
		var s section
		err := document.Decode(node, &s)
		return mechanisms.Additive{Calibration: noise.Calibration{Law: "cauchy", Level: float64(s.Epsilon)}, Schedule: noise.Shifted, Epsilon: float64(s.Epsilon), Accountant: accountant.PLD}, err
	}
	catalog, err := scenarios.Catalog().With(kind.Catalog{Mechanisms: []kind.Kind{
		kind.New("third", "noise of a third law", section{Epsilon: document.Epsilon(math.NaN())}, mechanisms.AdditiveBuilder(build), mechanisms.NormalBuilder(build), mechanisms.AdditivePhases(build)),
	}})
	if err != nil {
		t.Fatal(err)
	}
	tried := map[string]bool{}
	for _, p := range pairing.Of(&catalog) {
		if p.Section != "mechanism" || p.Kind != "third" || !p.Fits || p.Algorithm == "python" {
			continue
		}
		for _, text := range named(t, catalog.Algorithms, p.Algorithm).Examples {
			file := scenariotest.File(t, text)
			_, err := loading.Loader{Kinds: &catalog}.Load(file, parseSets(t, "mechanism={kind: third, epsilon: 1}")...)
			if err == nil || !strings.Contains(err.Error(), `unknown law of noise "cauchy"`) {
				t.Errorf("%s: %v", p.Algorithm, err)
			}
			tried[p.Algorithm] = true
		}
	}
	for _, algorithm := range []string{"dpdonc", "dsgd", "ofl", "opestoch", "decor", "muffliato"} {
		if !tried[algorithm] {
			t.Errorf("%s was not tried: %v", algorithm, tried)
		}
	}
}
