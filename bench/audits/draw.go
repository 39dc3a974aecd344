package main

import (
	"fmt"
	"slices"
	"strings"

	"starling/mechanisms/rng"
	"starling/scenarios"
	"starling/scenarios/kind"
	"starling/scenarios/loading"
	"starling/scenarios/study"
)

// purpose keys the draws.
var purpose = rng.PurposeOf("random scenarios for audits")

// drawn is one scenario.
type drawn struct {
	// title names the algorithm and the values that were drawn and fit.
	title    string
	text     string
	scenario *study.Scenario
}

// most is the number of parts of one scenario that may be drawn without fitting, before it is
// an error.
const most = 100

// draw draws a scenario. Every value that the pool offers is tried, and stays where the
// scenario still loads with it: the catalog alone knows which values fit together.
func draw(seed uint64, number int) (*drawn, error) {
	var stream rng.Stream
	r := stream.Open(rng.NewKey(seed, purpose), 0, number, 0)
	for range most {
		base, ok := algorithm(r)
		if !ok {
			continue
		}
		d := &drawn{text: base.text, title: base.name}
		var kept []string
		for _, values := range pool(r, base.star) {
			with := append(slices.Clone(kept), values...)
			if s, err := load(base.text, with); err == nil {
				d.scenario, kept = s, with
			}
		}
		if d.scenario == nil {
			continue
		}
		d.title += " " + strings.Join(kept, " ")
		d.text = string(d.scenario.Document.Bytes())
		return d, nil
	}
	return nil, fmt.Errorf("scenario %d of seed %d: nothing that was drawn %d times fits", number, seed, most)
}

// base is the example of an algorithm.
type base struct {
	name, text string
	// star is true if it has a server.
	star bool
}

// algorithm draws an algorithm and one of its examples; ok is false for one without noise.
func algorithm(r *rng.Rand) (b base, ok bool) {
	catalog := scenarios.Catalog()
	k := one(r, catalog.Algorithms)
	b.name, b.text = k.Kind, one(r, k.Examples)
	b.star = strings.Contains(b.text, "topology: {kind: star}")
	// A class in Python answers at the speed of a process beside.
	return b, !noiseless(b.text) && !strings.Contains(b.text, ".py,")
}

// noiseless reports whether a text has no noise: there is nothing to refute.
func noiseless(text string) bool { return strings.Contains(text, "{kind: none}") }

// load reads a scenario with values set.
func load(text string, sets []string) (*study.Scenario, error) {
	var overrides []loading.Override
	for _, set := range sets {
		o, err := loading.ParseOverride(set)
		if err != nil {
			return nil, err
		}
		overrides = append(overrides, o)
	}
	return scenarios.NewLoader("").LoadText("drawn", []byte(text), overrides...)
}

// one draws one of a list.
func one[E any](r *rng.Rand, list []E) E { return list[r.IntN(len(list))] }

// chance is true with a probability.
func chance(r *rng.Rand, probability float64) bool { return r.Float64() < probability }

// examples returns the examples of all kinds of a section.
func examples(kinds []kind.Kind) (list []string) {
	for _, k := range kinds {
		list = append(list, k.Examples...)
	}
	return list
}

// pool draws the values to try, in order; the values of an element are set together.
func pool(r *rng.Rand, star bool) (list [][]string) {
	catalog := scenarios.Catalog()
	add := func(values ...string) { list = append(list, values) }
	maybe := func(probability float64, values ...string) {
		if chance(r, probability) {
			add(values...)
		}
	}
	nodes, horizon := 3+r.IntN(6), 4+2*r.IntN(6)
	add("problem=" + one(r, []string{
		"{kind: synthetic-logistic, dimension: 3, test_samples: 5}",
		"{kind: synthetic-logistic, dimension: 2, test_samples: 5, set: {kind: l2-ball, dimension: 2, radius: 1}}",
		"{kind: logistic, set: {kind: l2-ball, dimension: 3, radius: 2}}",
	}))
	add(fmt.Sprintf("horizon=%d", horizon))
	add(fmt.Sprintf("nodes=%d", nodes))
	for range 3 { // most mechanisms do not fit most algorithms
		if mechanism := one(r, examples(catalog.Mechanisms)); !noiseless(mechanism) {
			add("mechanism=" + mechanism)
		}
	}
	maybe(0.3, "mechanism.noise=shifted")
	if !star {
		for range 2 {
			add("topology=" + one(r, examples(catalog.Topologies)))
		}
		maybe(0.6, "topology={kind: "+one(r, []string{"ring", "complete", "path", "exponential"})+", weights: unchecked, weighting: {scheme: "+
			one(r, []string{"uniform-in", "uniform-out"})+", self_loops: true}, schedule: "+schedule(r)+"}")
		maybe(0.3, clusters(r)...)
		maybe(0.2, "algorithm.consensus=push-sum", "topology={kind: exponential, weighting: {scheme: uniform-out, self_loops: true}}")
	}
	if star {
		maybe(0.7, aggregation(r, nodes)...)
		maybe(0.3, fmt.Sprintf("mechanism={kind: sampled-gaussian, epsilon: %.3g, delta: 1e-3}", 0.5+5*r.Float64()))
	}
	if star {
		maybe(0.4, "topology={kind: star, schedule: "+schedule(r)+"}")
	}
	if star && chance(r, 0.5) {
		list = append(list, tiers(r)...)
	}
	for _, values := range keys(r, nodes) {
		add(values...)
	}
	add(fmt.Sprintf("mechanism.epsilon=%.3g", 0.5+5*r.Float64()))
	add(fmt.Sprintf("mechanism.sigma=%.3g", 0.5+2*r.Float64()))
	maybe(0.3, fmt.Sprintf("mechanism.groups=[{first: 1, last: %d, epsilon: %.3g}]", 1+r.IntN(2), 0.3+3*r.Float64()))
	maybe(0.3, "mechanism.over_time="+one(r, []string{"{law: inverse-sqrt}", "{law: geometric, to: 0.5}", "{law: linear, to: 3}"}))
	maybe(0.8, "network="+network(r, nodes, horizon))
	maybe(0.3, "adversaries="+one(r, examples(catalog.Adversaries)))
	maybe(0.4, "algorithm.combine="+one(r, examples(catalog.Combines)))
	maybe(0.4, fmt.Sprintf("budget={epsilon: %.3g, delta: %s, on: stop}", 0.3+8*r.Float64(), one(r, []string{"0", "1e-6", "1e-3"})))
	maybe(0.3, "budget.observer="+one(r, []string{"wire", "server", "peer", "public"}))
	return list
}

// clusters draws clusters of nodes below edge servers and a cloud.
func clusters(r *rng.Rand) []string {
	sizes, nodes := []int{2 + r.IntN(3)}, 0
	for range 1 + r.IntN(2) {
		sizes = append(sizes, 2+r.IntN(3))
	}
	for _, size := range sizes {
		nodes += size
	}
	edge := one(r, []string{"", "edge: {every: 2}, ", "edge: {every: 3}, ", "edge: {probability: 0.4}, "})
	cloud := one(r, []string{"{every: 2}", "{every: 3}", "{phases: [{from: 2, every: 2}]}", "{probability: 0.4}"})
	inside := one(r, []string{"{kind: complete, self_loops: true}", "{kind: path}", "{kind: empty}"})
	return []string{fmt.Sprintf("nodes=%d", nodes), fmt.Sprintf("topology={kind: clusters, sizes: [%s], inside: %s, %scloud: %s, weights: unchecked}", joined(sizes), inside, edge, cloud)}
}

// tiers draws levels of servers, for clients that add noise and for servers that do: where the one
// fits, the other does not.
func tiers(r *rng.Rand) [][]string {
	fan, lowest := []int{1 + r.IntN(3), 1 + r.IntN(3)}, 1
	if chance(r, 0.4) {
		fan, lowest = append(fan, 1+r.IntN(2)), 2
	}
	clients := 1
	for _, n := range fan {
		clients *= n
	}
	names := []string{"top", "middle", "bottom", "client"}
	names = append(names[:lowest:lowest], names[2:]...) // two levels of servers, or three
	of := fmt.Sprintf("{kind: tiers, fan: [%s], levels: [%s]", joined(fan), strings.Join(names, ", "))
	schedules := make([]string, lowest)
	for level := range schedules {
		schedules[level] = one(r, []string{"{every: 1}", "{every: 2}", "{every: 3}", "{phases: [{from: 1, every: 1}, {from: 4, every: 2}]}", "{probability: 0.5}", "{every: 1, doubling: 3}"})
	}
	seldom := fmt.Sprintf("%s, schedule: [%s]", of, strings.Join(schedules, ", "))
	noise := r.IntN(lowest + 1)
	for level := noise; level < lowest; level++ {
		schedules[level] = "{every: 1}"
	}
	section, nodes := fmt.Sprintf("%s, schedule: [%s], noise: %s}", of, strings.Join(schedules, ", "), names[noise]), fmt.Sprintf("nodes=%d", clients)
	return [][]string{
		{nodes, "topology=" + section},
		{nodes, "topology=" + section, "mechanism={kind: sampled-gaussian, sigma: 1, delta: 1e-3}", "algorithm.aggregation=null"},
		{nodes, "topology=" + seldom + "}", "algorithm.level=record", "algorithm.batch=3"},
	}
}

// joined lists numbers.
func joined(list []int) string {
	text := make([]string, len(list))
	for i, n := range list {
		text[i] = fmt.Sprint(n)
	}
	return strings.Join(text, ", ")
}

// schedule draws the steps in which nodes send.
func schedule(r *rng.Rand) string {
	return one(r, []string{
		"{every: 2}", "{every: 3}", "{phases: [{from: 1, every: 1}, {from: 4, every: 2}]}", "{every: 1, doubling: 3}",
		"{probability: 0.5}", "{probability: 0.5, each: true}", "{every: 3, offsets: [0, 1]}",
	})
}

// aggregation draws the way in which the noise of a round is added, with a mechanism that
// fits.
func aggregation(r *rng.Rand, nodes int) []string {
	noise := one(r, []string{"{kind: gaussian, epsilon: 2, delta: 1e-3}", "{kind: sampled-gaussian, sigma: 2, delta: 1e-3}"})
	section := fmt.Sprintf("{kind: %s, survivors: %d, dropout: %.1f}", one(r, []string{"secure", "local", "shuffle"}), 1+r.IntN(nodes/2), 0.3*r.Float64())
	if chance(r, 0.2) {
		noise, section = "{kind: laplace, epsilon: 2}", "{kind: local}"
	}
	return []string{"mechanism=" + noise, "algorithm.aggregation=" + section}
}

// keys draws keys of algorithms, of which each takes those that it has.
func keys(r *rng.Rand, nodes int) [][]string {
	all := [][]string{
		{fmt.Sprintf("algorithm.tau=%d", 1+r.IntN(3))},
		{"algorithm.version=1"},
		{fmt.Sprintf("algorithm.rounds=%d", 1+r.IntN(4))},
		{"algorithm.missing=" + one(r, []string{"drop", "renormalise", "hold", "running-sum"})},
		{"algorithm.late=" + one(r, []string{"drop", "use"})},
		{"algorithm.feedback=" + one(r, []string{"{kind: one-point, radius: 0.1}", "{kind: two-point, radius: 0.1}"})},
		{"algorithm.level=record", fmt.Sprintf("algorithm.batch=%d", 2+r.IntN(3))},
		{fmt.Sprintf("algorithm.batch=%d", 1+r.IntN(4))},
		{fmt.Sprintf("algorithm.rate=%.2f", 0.3+0.7*r.Float64())},
		{fmt.Sprintf("algorithm.groups=%d", 1+r.IntN(3))},
		{fmt.Sprintf("algorithm.apart=%d", 1+r.IntN(3))},
		{fmt.Sprintf("algorithm.times=%d", 1+r.IntN(3))},
		{"algorithm.amplified=true"},
		{"algorithm.stragglers=" + one(r, []string{"{share: 0.5}", "{share: 0.9, steps: 1}", "{share: 0.4, update: drop}", "{share: 1, fraction: 0.5}"})},
		{"algorithm.aggregation.weights=inverse-variance"},
		{"algorithm.weights=inverse-variance"},
		{fmt.Sprintf("algorithm.buffer=%d", 1+r.IntN(nodes))},
		{"algorithm.staleness=constant"},
		{"algorithm.momentum=0.5"},
		{"algorithm.variant=" + one(r, []string{"pure", "approximate", "local", "central"})},
		{fmt.Sprintf("algorithm.interval=%d", 1+r.IntN(2))},
		{"network={kind: ideal, compression: " + one(r, examples(scenarios.Catalog().Codecs)) + "}"},
	}
	return slices.DeleteFunc(all, func([]string) bool { return chance(r, 0.5) })
}

// network draws the effects on messages and nodes.
func network(r *rng.Rand, nodes, horizon int) string {
	parts := []string{"kind: effects"}
	maybe := func(probability float64, format string, args ...any) {
		if chance(r, probability) {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	maybe(0.4, "loss: {probability: %.1f}", 0.1+0.4*r.Float64())
	maybe(0.4, "delay: {longest: %d}", 1+r.IntN(3))
	maybe(0.3, "churn: {fail: %.2f, recover: %.2f}", 0.05+0.3*r.Float64(), 0.3+0.6*r.Float64())
	maybe(0.7, "patience: %d", 1+r.IntN(6))
	// The first participant is the audited one, more often than not.
	who, from := 1, 2+r.IntN(horizon-2)
	if chance(r, 0.3) {
		who = 1 + r.IntN(nodes)
	}
	maybe(0.7, "events: [{at: %d, until: %d, crash: %d}%s]", from, from+1+r.IntN(4), who, second(r, who, from+6, horizon))
	return "{" + strings.Join(parts, ", ") + "}"
}

// second draws a second crash, or none.
func second(r *rng.Rand, who, from, horizon int) string {
	if from >= horizon || chance(r, 0.5) {
		return ""
	}
	return fmt.Sprintf(", {at: %d, until: %d, crash: %d}", from, from+2, who)
}
