package loading_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"starling/scenarios"

	"github.com/google/go-cmp/cmp"

	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/scenariotest"
	"starling/scenarios/testneeds"
)

// jsonObject is a part of the schema.
type jsonObject = map[string]any

// schemaWalk goes through the schema of scenarios that extend nothing.
type schemaWalk struct {
	definitions jsonObject
	// mapping is called for every mapping with keys of its own: its path in a
	// scenario, its schema, and the overrides that put the sections around it
	// in place.
	mapping func(w *schemaWalk, path string, object jsonObject, around []string)
	seen    map[string]bool // definitions that are gone through once
}

func walkSchema(t testing.TB, mapping func(w *schemaWalk, path string, object jsonObject, around []string)) {
	t.Helper()
	var root jsonObject
	decoder := json.NewDecoder(bytes.NewReader(scenariotest.SchemaText(t)))
	decoder.UseNumber() // float64 does not hold the largest seed
	if err := decoder.Decode(&root); err != nil {
		t.Fatal(err)
	}
	w := schemaWalk{definitions: root["$defs"].(jsonObject), mapping: mapping, seen: map[string]bool{}}
	w.visit("", jsonObject{"$ref": "#/$defs/scenario"}, nil)
}

// alternatives are the schemas that a value may have, null apart.
func (w *schemaWalk) alternatives(value jsonObject) (list []jsonObject) {
	if ref, ok := value["$ref"].(string); ok {
		return w.alternatives(w.definitions[strings.TrimPrefix(ref, "#/$defs/")].(jsonObject))
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		for _, one := range slice(value[key]) {
			if one := one.(jsonObject); one["type"] != "null" && value["properties"] == nil {
				list = append(list, w.alternatives(one)...)
			}
		}
	}
	if list == nil {
		return []jsonObject{value}
	}
	return list
}

func slice(value any) []any {
	list, _ := value.([]any)
	return list
}

func (w *schemaWalk) visit(path string, value jsonObject, around []string) {
	for _, object := range w.alternatives(value) {
		if items, ok := object["items"].(jsonObject); ok && items["properties"] != nil {
			w.visit(path+"[0]", items, append(slices.Clone(around), fmt.Sprintf("%s=[%s]", path, w.sample(items))))
			continue
		}
		properties, ok := object["properties"].(jsonObject)
		if !ok {
			continue
		}
		within := slices.Clone(around)
		if path != "" && !strings.HasSuffix(path, "]") {
			within = append(within, path+"="+w.sample(object))
		}
		w.mapping(w, path, object, within)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			property := properties[name].(jsonObject)
			switch property["$ref"] {
			case "#/$defs/topology":
				if path != "" {
					continue // one inside another has the same kinds
				}
			case "#/$defs/events":
				if w.seen[name] {
					continue // they are the same in all kinds
				}
				w.seen[name] = true
			}
			w.visit(joined(path, name), property, within)
		}
	}
}

// sample is a value, in flow text, with the least that its schema demands.
func (w *schemaWalk) sample(value jsonObject) string {
	value = w.alternatives(value)[0]
	switch {
	case value["const"] != nil:
		return fmt.Sprint(value["const"])
	case value["enum"] != nil:
		return fmt.Sprint(slice(value["enum"])[0])
	}
	switch value["type"] {
	case "integer", "number":
		return "2"
	case "boolean":
		return "true"
	case "string":
		return "a"
	case "array":
		return "[]"
	}
	required := slice(value["required"])
	if one := slice(value["oneOf"]); len(one) > 0 {
		required = append(slices.Clone(required), slice(one[0].(jsonObject)["required"])...)
	}
	var entries []string
	for _, name := range required {
		property := value["properties"].(jsonObject)[name.(string)].(jsonObject)
		entries = append(entries, fmt.Sprintf("%s: %s", name, w.sample(property)))
	}
	return "{" + strings.Join(entries, ", ") + "}"
}

// issuesOf are what Load has against the base scenario with overrides, each with its file, line
// and column.
func issuesOf(t testing.TB, file string, overrides []string) (issues document.Issues) {
	t.Helper()
	_, err := scenarios.Load(file, scenariotest.ParseSets(t, overrides...)...)
	if err != nil && !errors.As(err, &issues) {
		t.Fatalf("%q: %v", overrides, err)
	}
	for _, i := range issues {
		if i.Position.File == "" || i.Position.Line < 1 || i.Position.Column < 1 {
			t.Errorf("%q: %s has no place", overrides, i)
		}
	}
	return issues
}

// TestSchemaHasTheKeysOfLoad asks Load itself: its message on an unknown key lists the known keys, or their number where
// they are many. The two lists are equal for every mapping of the schema, and the schema has no mapping that Load
// does not take. Of a long list Load takes each key of the schema, and has as many.
func TestSchemaHasTheKeysOfLoad(t *testing.T) {
	files := familyFiles(t)
	const unknown = "qqqqqqqqqqqq"
	mappings := 0
	walkSchema(t, func(_ *schemaWalk, path string, object jsonObject, around []string) {
		mappings++
		want := slices.Sorted(maps.Keys(object["properties"].(jsonObject)))
		var issues document.Issues
		for _, file := range files {
			issues = append(issues, issuesOf(t, file, append(slices.Clone(around), joined(path, unknown)+"=1"))...)
		}
		for _, issue := range issues {
			if !strings.Contains(issue.Message, unknown) {
				continue
			}
			if number, ok := numberOfKeys(issue.Message); ok {
				if number != len(want) {
					t.Errorf("%s: %d keys of the schema, %d of Load: %v", around, len(want), number, want)
				}
				for _, key := range want {
					taken(t, files, around, path, key)
				}
				return
			}
			_, list, ok := strings.Cut(issue.Message, "; valid keys: ")
			if !ok {
				continue
			}
			if got := slices.Sorted(slices.Values(strings.Split(list, ", "))); !cmp.Equal(want, got) {
				t.Errorf("%s: keys of the schema (-) and of Load (+):\n%s", around, cmp.Diff(want, got))
			}
			return
		}
		t.Errorf("%q: Load does not list the keys of %s: %v", around, path, issues)
	})
	t.Logf("%d mappings", mappings)
}

// numberOfKeys reads the number of known keys from a message that does not list all of them.
func numberOfKeys(message string) (number int, ok bool) {
	found := regexp.MustCompile(`; (?:the nearest|none) of ([0-9]+)(?::| is near;) `).FindStringSubmatch(message)
	if found == nil {
		return 0, false
	}
	number, err := strconv.Atoi(found[1])
	return number, err == nil
}

// taken fails unless Load, in some file, does not call a key unknown.
func taken(t *testing.T, files, around []string, path, key string) {
	t.Helper()
	known := func(file string) bool {
		return !slices.ContainsFunc(issuesOf(t, file, append(slices.Clone(around), joined(path, key)+"=null")), func(i document.Issue) bool {
			return strings.HasPrefix(i.Message, fmt.Sprintf("unknown key %q", key))
		})
	}
	if !slices.ContainsFunc(files, known) {
		t.Errorf("%q: Load does not know %q", around, joined(path, key))
	}
}

// familyFiles are small scenarios of every family of algorithms: Load looks at a
// section of a family in a scenario of that family only.
func familyFiles(t testing.TB) []string {
	t.Helper()
	return []string{scenariotest.File(t, scenariotest.Base), scenariotest.File(t, scenariotest.Learning), scenariotest.File(t, scenariotest.Stochastic), scenariotest.File(t, scenariotest.Realizable), scenariotest.File(t, scenariotest.Trained), scenariotest.File(t, rounds)}
}

// rounds is a small scenario of clients that come back in rounds, whose noise takes no search.
const rounds = `version: 1
name: rounds
horizon: 16
nodes: 8
algorithm: {kind: dp-ftrl, learning_rate: 4, clip: 0.5, samples: 20, groups: 4}
problem: {kind: synthetic-logistic, dimension: 3, test_samples: 5, alpha: 1, beta: 0, shared: 1}
topology: {kind: star}
mechanism: {kind: none}
seeds: {base: 1, count: 2}
sweep:
  list:
    - {name: no noise, set: {mechanism: {kind: none}}}
    - {name: banded, set: {mechanism: {kind: banded-toeplitz, bands: 4, epsilon: 1, delta: 1e-5}}}
measure: {every: 8, metrics: [loss.train, noise.rounds]}
`

// exampleFiles are the first examples of all algorithms.
func exampleFiles(t testing.TB) (files []string) {
	t.Helper()
	for _, a := range scenarios.Catalog().Algorithms {
		for _, example := range a.Examples {
			files = append(files, scenariotest.File(t, example))
		}
	}
	return files
}

// Every key says what it is, and so does every kind. Where one is missing, its
// field needs a tag doc.
func TestSchemaDescribesEveryKey(t *testing.T) {
	walkSchema(t, func(_ *schemaWalk, path string, object jsonObject, around []string) {
		for name, property := range object["properties"].(jsonObject) {
			if property.(jsonObject)["description"] == nil {
				t.Errorf("%s of %q has no description; the field needs a tag doc", name, around)
			}
		}
	})
}

// smallProblem makes a problem with images of what the schema demands of one.
var smallProblem = []string{"problem.data=synthetic", "problem.model={kind: softmax}", "problem.partition={kind: iid}"}

// drawnClients have the server draw the clients of a round.
var drawnClients = []string{"algorithm={kind: dp-fedavg, learning_rate: 0.5, clip: 0.1, rate: 0.5, draw: server}", "problem={kind: synthetic-logistic, dimension: 4, test_samples: 5}"}

// checkedIn have clients of time zones check in with the server.
var checkedIn = []string{
	"algorithm={kind: dp-fedavg, learning_rate: 0.5, clip: 0.1, draw: server}", "problem={kind: synthetic-logistic, dimension: 4, test_samples: 5}",
	"clock={compute: {median: 1}, check_in: {goal: 1, deadline: 1000}, availability: {law: periodic, mean: 1, zones: [{share: 1}]}}",
}

// needs are overrides without which Load does not look at a key, or does not
// take one of its words.
var needs = map[string][]string{
	"algorithm.floor":      {"problem={kind: logistic, set: {kind: simplex, dimension: 2}}", "algorithm.divergence={kind: entropy}"},
	"algorithm.positivity": {"problem={kind: logistic, set: {kind: simplex, dimension: 2}}", "algorithm.divergence={kind: entropy}"},
	"problem.feature_norm": {"problem.normalise=false"},
	"sweep.zip":            {"sweep={zip: {}}"},
	"sweep.list[0].set":    {"sweep={list: [{set: {}}]}"},

	"algorithm.statistics=private": {"algorithm.statistics_sigma=1", "algorithm.statistics_lipschitz=1", "algorithm.statistics_clip=1"},
	"algorithm.statistics=public":  {"problem.public=60", "problem.partition={kind: iid}"},
	"algorithm.cohort=1":           {"algorithm.draw=server", "problem={kind: synthetic-logistic, dimension: 4, test_samples: 5}"},
	"algorithm.panel=2":            {"algorithm.draw=server", "problem={kind: synthetic-logistic, dimension: 4, test_samples: 5}"},
	"algorithm.concurrency=1":      {"clock={compute: {median: 1}}"},
	"mechanism.sigma":              {"mechanism.delta=0.1"},
	"mechanism.accountant":         {"mechanism.delta=0.1"},
	"problem.train":                smallProblem,
	"problem.test":                 smallProblem,
	"problem.public":               smallProblem,
	"problem.model.kind":           smallProblem,
	"problem.model.filters":        append(smallProblem, "problem.model.kind=cnn"),
	"problem.model.pooling":        append(smallProblem, "problem.model.kind=cnn"),
	"problem.model.padding":        append(smallProblem, "problem.model.kind=cnn"),
	"problem.partition.kind":       append(smallProblem, "problem.model.kind=softmax"),

	"problem.partition.labels": append(smallProblem, "problem.partition.kind=by-label"),

	"network.events[0].recover=1": {"network.events=[{at: 2}, {at: 1, crash: 1}]"},

	"measure.by=group":                      {"measure.groups=[{first: 1, last: 1}]"},
	"plots[0].y=regret.node":                {"plots[0].by=node"},
	"plots[0].y=move.largest":               {"measure.moves=true"},
	"plots[0].y=move.excess":                {"measure.moves=true"},
	"algorithm.missing=running-sum":         {"algorithm={kind: sgp}"},
	"plots[0].y=messages.lost":              {"network={kind: effects, loss: {probability: 0.1}}"},
	"plots[0].y=messages.late":              {"network={kind: effects, loss: {probability: 0.1}}"},
	"plots[0].y=messages.dropped":           {"network={kind: effects, bandwidth: {bytes: 30, queue: 100}}"},
	"plots[0].y=bytes.queued":               {"network={kind: effects, bandwidth: {bytes: 30, queue: 100}}"},
	"plots[0].y=loss.client":                {"problem={kind: synthetic-logistic, dimension: 4, test_samples: 5}"},
	"plots[0].y=participants":               {"network={kind: effects, loss: {probability: 0.1}}"},
	"plots[0].y=bound.dynamic":              {"problem.l2=0.5", "algorithm.gradient_bound=2"},
	"plots[0].y=bound.static":               {"problem.l2=0.5", "algorithm.gradient_bound=2"},
	"plots[0].y=loss.fresh":                 {"measure.metrics=[loss.fresh]"},
	"plots[0].y=regret.fixed":               {"measure.metrics=[regret.fixed]"},
	"plots[0].y=distance.travelled":         {"measure.metrics=[distance.travelled]"},
	"plots[0].y=data.seen":                  {"measure.metrics=[data.seen]"},
	"plots[0].y=regret.adaptive":            {"measure.interval=2"},
	"plots[0].y=rounds.aborted":             {"algorithm={kind: dp-fedavg, learning_rate: 0.5, clip: 0.1, aggregation: {kind: secure, survivors: 2, shares: gaussian}}"},
	"plots[0].y=aggregation.wrapped":        {"algorithm={kind: dp-fedavg, learning_rate: 0.5, clip: 0.1, aggregation: {kind: secure, survivors: 2, shares: discrete, granularity: 0.001, bits: 16}}"},
	"plots[0].y=clients.unique":             drawnClients,
	"plots[0].y=clients.most":               drawnClients,
	"plots[0].y=time.elapsed":               checkedIn,
	"plots[0].y=time.wasted":                checkedIn,
	"plots[0].y=energy.total":               append(slices.Clip(checkedIn), "clock.power={compute: 2, network: 1}"),
	"plots[0].y=energy.wasted":              append(slices.Clip(checkedIn), "clock.power={compute: 2, network: 1}"),
	"plots[0].y=rounds.abandoned":           checkedIn,
	"plots[0].y=apart.least":                checkedIn,
	"plots[0].y=zones.fewest":               checkedIn,
	"plots[0].y=accuracy.zone.fewest":       checkedIn,
	"plots[0].y=accuracy.zone.fewest.error": checkedIn,
	"plots[0].y=accuracy.zone.gap":          checkedIn,
	"plots[0].y=accuracy.zone.gap.error":    checkedIn,
	"plots[0].y=loss.zone.fewest":           checkedIn,
	"plots[0].y=loss.zone.fewest.error":     checkedIn,
	"plots[0].y=loss.zone.gap":              checkedIn,
	"plots[0].y=loss.zone.gap.error":        checkedIn,
	"plots[0].y=reports.late":               append(slices.Clip(checkedIn), "clock.check_in.late=use"),
	"plots[0].y=loss.train.error":           drawnClients,
	"plots[0].y=accuracy.test.error":        drawnClients,
	"plots[0].y=epsilon.odometer":           {"algorithm.statistics=private", "algorithm.statistics_sigma=1", "algorithm.statistics_lipschitz=1", "algorithm.statistics_clip=1"},
}

// needed returns needs with those of the metrics of single participants.
func needed() map[string][]string {
	all := maps.Clone(needs)
	for _, name := range []string{"error.rmse", "error.mae", "r2", "d2", "loss", "accuracy", "accuracy.balanced", "f1.macro", "auc.roc", "auc.pr", "loss.log", "loss.brier", "error.calibration"} {
		model := "logistic"
		if strings.HasPrefix(name, "error.r") || name == "error.mae" || strings.HasSuffix(name, "2") {
			model = "linear"
		}
		problem := "problem={kind: table, file: library/own-data.csv, party: client, label: y, test: {share: 0.2}, validation: 0.2, model: {kind: " + model + "}}"
		all["plots[0].y="+name], all["plots[0].y=validation."+name] = []string{problem}, []string{problem}
	}
	for _, q := range gauge.OwnerQuantities() {
		var own []string // of a score, the problem that has it
		if q.IsScore() {
			own = slices.Clip(all["plots[0].y="+q.Name])
		}
		for _, name := range q.Recorded(false) {
			all["plots[0].y="+name] = append(own, "measure.by=node")
		}
		all["plots[0].y="+q.OfOne()] = append(own, "measure.by=node", "plots[0].by=node")
		all["plots[0].y="+q.OfGroup()] = append(own, "measure={by: group, groups: [{first: 1, last: 1}]}", "plots[0].by=node")
	}
	catalog := scenarios.Catalog()
	for _, m := range catalog.AllMetrics() {
		of := all["plots[0].y="+m.Name]
		if slices.Equal(of, []string{"measure.metrics=[" + m.Name + "]"}) {
			of = nil // the figure asks for it
		}
		for _, w := range m.Windows() {
			all["plots[0].y="+w.Name] = append([]string{"measure={window: true, metrics: [" + m.Name + "]}"}, of...)
		}
	}
	return all
}

// TestSchemaLimitsAreThoseOfLoad goes just beyond every limit of the schema, and
// beside every list of words: Load refuses the value at its place. It takes each
// of the words, and the least of the numbers; with the largest, some scenarios
// would be slow to check.
func TestSchemaLimitsAreThoseOfLoad(t *testing.T) {
	files, examples, needs := familyFiles(t), exampleFiles(t), needed()
	probes := 0
	walkSchema(t, func(w *schemaWalk, path string, object jsonObject, around []string) {
		for name, property := range object["properties"].(jsonObject) {
			at := joined(path, name)
			if !testneeds.Some(len(at), 2) {
				continue
			}
			around := append(slices.Clone(around), needs[at]...)
			before := map[string]document.Issues{}
			was := func(file string) document.Issues {
				if _, ok := before[file]; !ok {
					before[file] = issuesOf(t, file, around)
				}
				return before[file]
			}
			for _, value := range w.alternatives(property.(jsonObject)) {
				for _, bad := range beyond(value) {
					probes++
					if !anyOf(files, func(file string) bool {
						return slices.ContainsFunc(issuesOf(t, file, append(slices.Clone(around), at+"="+bad)), func(i document.Issue) bool {
							return (below(i.Path, at) || i.Path != "" && below(at, i.Path)) && !slices.Contains(was(file), i)
						})
					}) {
						t.Errorf("%q with %s=%s: Load has nothing against it there", around, at, bad)
					}
				}
				taken := slice(value["enum"])
				if least := value["minimum"]; least != nil {
					taken = append(slices.Clone(taken), least)
				}
				for _, word := range taken {
					set := fmt.Sprintf("%s=%v", at, word)
					takes := func(file string) bool {
						return !slices.ContainsFunc(issuesOf(t, file, slices.Concat(around, needs[set], []string{set})), func(i document.Issue) bool { return i.Path == at })
					}
					if !anyOf(files, takes) && !anyOf(examples, takes) { // words of one algorithm alone
						t.Errorf("%q with %s: Load refuses it in every family", around, set)
					}
				}
			}
		}
	})
	t.Logf("%d values beyond a limit", probes)
}

// anyOf tells whether one of the files has what is asked for. That file comes to the front:
// the next key is most often one of the same family.
func anyOf(files []string, has func(file string) bool) bool {
	i := slices.IndexFunc(files, has)
	if i < 0 {
		return false
	}
	found := files[i]
	copy(files[1:], files[:i])
	files[0] = found
	return true
}

// beyond are values that a schema only just refuses.
func beyond(value jsonObject) (list []string) {
	shifted := func(limit any, by int64) string {
		text := string(limit.(json.Number))
		if number, ok := new(big.Int).SetString(text, 10); ok {
			return number.Add(number, big.NewInt(by)).String()
		}
		number, err := strconv.ParseFloat(text, 64)
		if err != nil {
			panic(err)
		}
		if by != 0 {
			number = math.Nextafter(number, math.Inf(int(by)))
		}
		return fmt.Sprint(number)
	}
	for key, by := range map[string]int64{"minimum": -1, "maximum": 1, "exclusiveMinimum": 0, "exclusiveMaximum": 0} {
		if limit, ok := value[key]; ok {
			list = append(list, shifted(limit, by))
		}
	}
	if value["minItems"] != nil {
		list = append(list, "[]")
	}
	if value["minProperties"] != nil {
		list = append(list, "{}")
	}
	switch {
	case value["type"] == "integer" && value["const"] != nil:
		list = append(list, shifted(value["const"], 1))
	case value["enum"] != nil, value["const"] != nil, value["pattern"] != nil:
		list = append(list, "No such word")
	}
	return list
}

// joined is the path of a key of the mapping at a path.
func joined(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }

// below reports whether a path is another one or of something in it.
func below(path, other string) bool {
	rest, ok := strings.CutPrefix(path, other)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
