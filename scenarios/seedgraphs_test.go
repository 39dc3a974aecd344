package scenarios_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// drawnGraphs is a scenario of 8 nodes on a topology.
func drawnGraphs(algorithm, topology string) string {
	return "version: 1\nname: s\nhorizon: 6\nnodes: 8\nalgorithm: " + algorithm + "\nproblem: {kind: logistic, set: {kind: l2-ball, dimension: 2, radius: 2}}\ntopology: " + topology +
		"\nmechanism: {kind: none}\nmeasure: {every: 6}\nplots: []\n"
}

// Graphs of a later seed that the algorithm cannot do with are found before the run, with the
// seed and the place: the file of that seed alone is refused with the same words.
func TestGraphsOfEverySeedAreChecked(t *testing.T) {
	const (
		dsgd, sgp = "{kind: dsgd, learning_rate: 0.1}", "{kind: sgp, learning_rate: 0.1}"
		apart     = `topology: under seed \d+ the union of the graphs over steps \[1\.\.6\] is not strongly connected: node 1`
	)
	for topology, want := range map[string]string{
		"{kind: erdos-renyi, probability: 0.5}":                                   apart,
		"{kind: erdos-renyi, probability: 0.15, every: 1}":                        apart,
		"{kind: erdos-renyi, probability: 0.6, every: 1, window: 1}":              `topology.window: under seed \d+ the union of the graphs over steps \[(\d)\.\.\d\] is not strongly`,
		"{kind: permutations, degree: 1}":                                         apart,
		"{kind: k-out, degree: 1}":                                                apart,
		"{kind: random-regular, degree: 2}":                                       apart,
		"{kind: small-world, neighbours: 2, rewire: 0.5}":                         apart,
		"{kind: stochastic-block, blocks: 2, within: 0.9, between: 0.2}":          apart,
		"{kind: geometric, radius: 0.5}":                                          apart,
		"{kind: matching, every: 1, base: {kind: erdos-renyi, probability: 0.4}}": apart,
		"{kind: matching, every: 2}":                                              apart,
		"{kind: markov-edges, on: 0.3, off: 0.3, base: {kind: path}}":             apart,
		"{kind: cycle, every: 3, parts: [{kind: erdos-renyi, probability: 0.2}, {kind: erdos-renyi, probability: 0.4}]}":       apart,
		"{kind: erdos-renyi, probability: 0.6, directed: true, weighting: {scheme: sinkhorn}}":                                 `topology.weighting: under seed \d+ .*no doubly stochastic weights`,
		"{kind: erdos-renyi, probability: 0.4, every: 1, directed: true, weights: unchecked, weighting: {scheme: uniform-in}}": `topology.weighting: under seed \d+ step \d: uniform-in weights: node \d hears nobody`,
		"{kind: erdos-renyi, probability: 0.5, directed: true, weighting: {scheme: uniform-out, self_loops: true}}":            apart,
	} {
		t.Run(topology, func(t *testing.T) {
			algorithm := dsgd
			if strings.Contains(topology, "uniform-out") {
				algorithm = sgp
			}
			text := drawnGraphs(algorithm, topology)
			base := 1
			for ; base < 100; base++ { // of a file whose first seed is all right
				if _, err := loadError(t, text, fmt.Sprintf("seeds={base: %d, count: 1}", base)); err == nil {
					break
				}
			}
			_, err := loadError(t, text, fmt.Sprintf("seeds={base: %d, count: 2000}", base))
			found := regexp.MustCompile(`s.yaml:7:\d+: ` + want)
			if err == nil || !found.MatchString(err.Error()) {
				t.Fatalf("%v\nwant %s", err, want)
			}
			said := found.FindString(err.Error())
			seed := regexp.MustCompile(`under seed (\d+) `).FindStringSubmatch(said)
			_, alone := loadError(t, text, "seeds={base: "+seed[1]+", count: 1}")
			if want := strings.Replace(said, seed[0], "", 1); alone == nil || !strings.Contains(alone.Error(), want) {
				t.Errorf("alone: %v\nwant %s", alone, want)
			}
		})
	}
}

// The check of a file looks at so many graphs and no more, and says of how many seeds; where no
// seed can fail it looks at none, and where the first graphs show that none can, at no more.
func TestChecksOfGraphsAreBounded(t *testing.T) {
	const dsgd = "{kind: dsgd, learning_rate: 0.1}"
	load := func(topology string, sets ...string) []string {
		var said []string
		for _, w := range loadText(t, drawnGraphs(dsgd, topology), append(sets, "measure.every=1000")...).Remarks {
			said = append(said, w.Code+": "+w.Message)
		}
		return said
	}
	const many = "seeds.count=1000000"
	for name, test := range map[string]struct {
		topology, want string
		sets           []string
	}{
		"that stay":           {"{kind: erdos-renyi, probability: 0.99}", "seeds: graphs of 8 nodes were checked under the first %d of 1000000 seeds; the run checks the others", []string{many}},
		"drawn anew":          {"{kind: erdos-renyi, probability: 0.99, every: 1}", "seeds: graphs of 8 nodes were checked under the first %d of 1000000 seeds", []string{many}},
		"every step a window": {"{kind: erdos-renyi, probability: 0.999, every: 1, window: 1}", "seeds: graphs of 8 nodes were checked under the first %d of 50 seeds", []string{"seeds.count=50", "horizon=3000"}},
		"too large":           {"{kind: random-regular, degree: 9}", "seeds: graphs of 200000 nodes were checked under the first %d of 3 seeds", []string{"seeds.count=3", "nodes=200000"}},
		"few":                 {"{kind: erdos-renyi, probability: 0.9}", "", []string{"seeds.count=500"}},
		"few drawn anew":      {"{kind: erdos-renyi, probability: 0.3, every: 1}", "", []string{"seeds.count=500", "horizon=3000"}},
		"connected":           {"{kind: preferential-attachment, edges: 2}", "", []string{many}},
		"unchecked":           {"{kind: erdos-renyi, probability: 0.2, weights: unchecked}", "", []string{many}},
		"of no seed":          {"{kind: ring}", "", []string{many}},
		"in turn, of no seed": {"{kind: cycle, every: 2, parts: [{kind: ring}, {kind: complete}]}", "", []string{many}},
		"connected, anew":     {"{kind: preferential-attachment, edges: 2, every: 2}", "", []string{many}},
	} {
		t.Run(name, func(t *testing.T) {
			got := load(test.topology, test.sets...)
			if test.want == "" {
				if len(got) != 0 {
					t.Errorf("%q, want none", got)
				}
				return
			}
			before, after, _ := strings.Cut(test.want, "%d")
			if len(got) != 1 || !regexp.MustCompile(regexp.QuoteMeta(before)+`\d+`+regexp.QuoteMeta(after)).MatchString(got[0]) {
				t.Errorf("%q, want %s", got, test.want)
			}
		})
	}
}
