package loading_test

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"starling/scenarios"
	"starling/scenarios/testneeds"

	"starling/scenarios/document"
	"starling/scenarios/loading"
	"starling/scenarios/scenariotest"
)

// mostAllocated is what a check of a file may allocate in all, twice what it may have
// in memory at a time.
const mostAllocated = 512 << 20

// loadExtreme loads a scenario with overrides. It does not panic, and allocates
// little.
func loadExtreme(t *testing.T, name string, overrides []string) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("%s with %s: a panic: %v", name, overrides, p)
		}
	}()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := scenarios.Load(name, scenariotest.ParseSets(t, overrides...)...)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > mostAllocated {
		t.Errorf("%s with %s: the check allocated %d MiB (and says %v)", name, overrides, n>>20, err)
	}
}

// extremes are values of an integer key: 0, at the ends of 64 bits, and at the
// largest that the schema has or, where it has none, beyond 31 bits and at the
// largest number of nodes and steps.
func extremes(value jsonObject) []string {
	list := []string{"0", "-9223372036854775808", "9223372036854775807"}
	if limit, ok := value["maximum"].(json.Number); ok {
		return append(list, limit.String())
	}
	return append(list, "2147483648", "10000000")
}

// Every integer key of the schema is set to extreme values, in small scenarios of
// every family.
func TestExtremeIntegersOfTheSchema(t *testing.T) {
	files, loads := familyFiles(t), 0
	fitting := map[string]string{}
	fits := func(overrides []string) string { // the file that has the least against them
		key := fmt.Sprint(overrides)
		if fitting[key] == "" {
			least := math.MaxInt
			for _, file := range files {
				if n := len(issuesOf(t, file, overrides)); n < least {
					fitting[key], least = file, n
				}
			}
		}
		return fitting[key]
	}
	walkSchema(t, func(w *schemaWalk, path string, object jsonObject, around []string) {
		for name, property := range object["properties"].(jsonObject) {
			at := joined(path, name)
			if !testneeds.Some(len(at), 3) { // lengths of names are as good as drawn
				continue
			}
			for _, value := range w.alternatives(property.(jsonObject)) {
				list := value["type"] == "array"
				if list {
					value = w.alternatives(value["items"].(jsonObject))[0]
				}
				if value["type"] != "integer" && value["type"] != "number" {
					continue
				}
				overrides := append(slices.Clone(around), needs[at]...)
				file := fits(overrides)
				for _, extreme := range extremes(value) {
					if list {
						extreme = "[" + extreme + "]"
					}
					loads++
					loadExtreme(t, file, append(slices.Clone(overrides), at+"="+extreme))
				}
			}
		}
	})
	t.Logf("%d scenarios", loads)
}

// index is that of an item of a list in a path.
var index = regexp.MustCompile(`\[[0-9]+\]`)

// Every integer that a scenario of the library has is set to extreme values; one that several
// have, in the first with the same kind of algorithm.
func TestExtremeIntegersOfTheLibrary(t *testing.T) {
	testneeds.Slow(t)
	seen, loads := map[string]bool{}, 0
	for _, name := range loading.Library() {
		document := scenariotest.Load(t, name).Document
		kind := ""
		if node, ok := document.Find("algorithm.kind"); ok {
			kind = node.Value()
		}
		for _, path := range integersOf(document.Root()) {
			// A key of a sweep is the key that it sets.
			parts := strings.Split(index.ReplaceAllString(path, ""), ".")
			if key := kind + " " + strings.Join(parts[max(0, len(parts)-2):], "."); seen[key] {
				continue
			} else {
				seen[key] = true
			}
			for _, extreme := range []string{"0", "10000000", "9223372036854775807"} {
				if path == "nodes" && extreme == "10000000" {
					continue // the schema's limit
				}
				loads++
				loadExtreme(t, name, []string{path + "=" + extreme})
			}
		}
	}
	t.Logf("%d scenarios", loads)
}

// integersOf are the paths of the integers of a document.
func integersOf(node *document.Node) (paths []string) {
	if node.Kind() == document.Integer {
		paths = append(paths, node.Path())
	}
	for _, child := range node.Entries() {
		paths = append(paths, integersOf(child)...)
	}
	for _, child := range node.Items() {
		paths = append(paths, integersOf(child)...)
	}
	return paths
}

// A check of a file makes nothing that only a run needs: no factorization, no
// graph of millions of edges, no data. These took from 300 MiB and 2 s to more than
// a minute.
func TestChecksAreCheap(t *testing.T) {
	const most = 160 << 20
	for _, c := range []struct {
		name      string
		overrides []string
	}{
		{"ofl-logistic", []string{"horizon=4000000", "measure.every=40000", "measure.at=[]"}},
		{"privacy-observers", []string{"horizon=10000000", "measure.every=1000000"}},
		{"ofl-exact-calibration", []string{"horizon=1000000", "measure.every=10000"}},
		{"network-dropout", []string{"nodes=1000000", "problem.dimension=2"}},
		{"dpdonc-as-printed", []string{"nodes=10000000"}},
		{"dpdonc-localization", []string{"sweep=null", "nodes=10000000", "topology={kind: ring}"}},
		{"ofl-long", nil},
		{"network-push-sum", []string{"horizon=10000000", "measure.every=100000"}},
		{"dpdonc-localization", []string{"nodes=4000", "topology={kind: complete}"}},
		{"dpdonc-localization", []string{"nodes=4000", "topology={kind: matching, every: 1, base: {kind: complete}}"}},
		{"dpdonc-localization", []string{"nodes=1000", "horizon=1000000", "topology={kind: permutations, degree: 3, every: 1}"}},
		{"privacy-observers", []string{"sweep.list[7].set.problem.train=1000000"}},
	} {
		t.Run(fmt.Sprint(c.name, c.overrides), func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := scenarios.Load(c.name, scenariotest.ParseSets(t, c.overrides...)...)
			runtime.ReadMemStats(&after)
			n := after.TotalAlloc - before.TotalAlloc
			if n > most {
				t.Errorf("the check allocated %d MiB, want at most %d (and says %v)", n>>20, most>>20, err)
			}
			t.Logf("%.3g MiB: %v", float64(n)/(1<<20), err)
		})
	}
}
