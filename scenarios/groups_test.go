package scenarios_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"starling/scenarios"
	"starling/scenarios/guide"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/testneeds"
)

// groupFile writes a file of groups, and returns the mechanism that names it.
func groupFile(t *testing.T, text, keys string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "groups.csv")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return "mechanism={kind: laplace, epsilon: 1, groups: {file: " + file + keys + "}}"
}

// A file, lists of nodes, and shares give nodes the epsilons that ranges give them.
func TestGroupsSayTheSame(t *testing.T) {
	want := wireLosses(t, "mechanism={kind: laplace, epsilon: 1, groups: [{first: 1, last: 2, epsilon: 0.5}, {first: 3, last: 5, epsilon: 4}, {first: 6, last: 6, epsilon: none}]}")
	file := groupFile(t, "\ufeffname,who,budget\n# the wary\na,2, 0.5\nb,1,0.5\nc,3,4\nd,4,4e0\n\ne,6,none\nf,5,4\ng,7,1\n", ", nodes: who, epsilon: budget")
	for _, mechanism := range []string{
		file,
		"mechanism={kind: laplace, epsilon: 1, groups: [{nodes: [2, 1], epsilon: 0.5}, {nodes: [5, 3, 4], epsilon: 4}, {nodes: [6], epsilon: none}]}",
		"mechanism={kind: laplace, epsilon: 1, groups: [{share: 0.28571, epsilon: 0.5}, {share: 0.42858, epsilon: 4}, {first: 6, last: 6, epsilon: none}]}",
		"mechanism={kind: laplace, epsilon: none, groups: [{first: 1, last: 2, epsilon: 0.5}, {first: 3, last: 5, epsilon: 4}, {first: 7, last: 7, epsilon: 1}]}",
	} {
		got := wireLosses(t, mechanism)
		for node := int32(1); node <= 7; node++ {
			if got[node] != want[node] || got[node] == 0 {
				t.Errorf("%s: node %d loses %v, want %v", mechanism, node, got[node], want[node])
			}
		}
	}
	if !math.IsInf(want[6], 1) {
		t.Errorf("a node without noise loses %v", want[6])
	}
}

// named is a contact network of three nodes with names.
func namedContacts(t *testing.T) (contacts string) {
	t.Helper()
	contacts = filepath.Join(t.TempDir(), "contacts.csv")
	if err := os.WriteFile(contacts, []byte("step,from,to\n1,ann,bob\n1,bob,ann\n1,bob,eve\n1,eve,bob\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return "topology={kind: edge-list, file: " + contacts + ", names: true, weighting: {scheme: metropolis}}"
}

// Groups name the nodes of a contact network as the network does.
func TestGroupsOfNamedNodes(t *testing.T) {
	contacts := namedContacts(t)
	for _, mechanism := range []string{
		groupFile(t, "node,epsilon\neve,3\nann,0.5\nbob,1\n", ""),
		"mechanism={kind: laplace, epsilon: 1, groups: [{nodes: [eve], epsilon: 3}, {nodes: [ann], epsilon: 0.5}]}",
	} {
		got := wireLosses(t, "nodes=3", contacts, mechanism)
		if !(math.Abs(got[1]/got[2]-0.5) < 1e-9 && math.Abs(got[3]/got[2]-3) < 1e-9) {
			t.Errorf("%s: losses %v, want them as 0.5 : 1 : 3", mechanism, got)
		}
	}
	_, err := loadError(t, personal, "nodes=3", contacts, "mechanism={kind: laplace, epsilon: 1, groups: [{nodes: [eva, 1], epsilon: 3}]}")
	for _, want := range []string{`groups[0].nodes[0]: there is no node "eva"; there are 3, with names`, `groups[0].nodes[1]: there is no node "1"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// All faults of a file are found at once, each at its place.
func TestGroupFilesAreRefused(t *testing.T) {
	for text, wants := range map[string][]string{
		"":                  {"groups.csv:1:1: the file is empty; want a header with the columns node and epsilon"},
		"who,budget\n1,2\n": {`groups.csv:1:1: there is no column "node" in the header "who,budget"`, `groups.csv:1:1: there is no column "epsilon"`},
		"epsilon,node\n1,1\n2,8\nx,2\n1,1\n0,3\n1,z\n1,0\n-inf,4\n1,5\n1,6\n": {
			"groups.csv:3:3: there is no node 8; there are 7", `groups.csv:4:1: epsilon is "x", want a finite number > 0, or none`, "groups.csv:5:3: node 1 is in line 2, too",
			`groups.csv:6:1: epsilon is "0"`, `groups.csv:7:3: node is "z", want a whole number: nodes have no names here`, "groups.csv:8:3: there is no node 0", `groups.csv:9:1: epsilon is "-inf"`,
			"groups.csv:11:1: node 7 has no line up to here, the last one",
		},
		"node,epsilon, epsilon\n1,1,2\n":                {`groups.csv:1:15: two columns are called "epsilon"`},
		"node,epsilon\n1,1\n2\n":                        {"groups.csv:3:1: wrong number of fields"},
		"node,epsilon\n2,1\n5,1\n":                      {"groups.csv:3:1: nodes 1, 3, 4, 6, 7 have no line up to here, the last one"},
		"node,epsilon\n" + strings.Repeat("9,1\n", 300): {"groups.csv:2:1: there is no node 9", "251 faults more"},
	} {
		_, err := loadError(t, personal, groupFile(t, text, ""))
		for _, want := range wants {
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "mechanism.groups.file: ") {
				t.Errorf("%.40q: %v, want %q", text, err, want)
			}
		}
	}
}

// A grid of epsilons ends with none whatever varies: over_time then has no effect, and nodes in
// groups keep their noise.
func TestGridOfEpsilonsThatVary(t *testing.T) {
	at := strings.Index(personal, "mechanism: {")
	before, after := personal[:at], personal[at+strings.Index(personal[at:], "\n"):]
	for _, mechanism := range []string{"kind: laplace, epsilon: 1", "kind: gaussian, epsilon: 1, delta: 1e-5", "kind: independent, epsilon: 1, delta: 1e-5"} {
		varied := before + "mechanism: {" + mechanism + ", over_time: {law: geometric, to: 4}}" + after
		s := loadText(t, varied+"sweep: {grid: {mechanism.epsilon: [1, 8, none]}}\n")
		if len(s.Arms) != 3 {
			t.Errorf("%s: %d arms", mechanism, len(s.Arms))
		}
		none := loadText(t, personal, "mechanism={"+mechanism+"}", "mechanism.epsilon=none")
		last := loadText(t, varied, "mechanism.epsilon=none")
		o := runner.RunOptions{Engine: runner.Lockstep}
		if got, want := metricsOf(t, last, o).Digest, metricsOf(t, none, o).Digest; got != want {
			t.Errorf("%s: over time without noise %s, want %s", mechanism, got, want)
		}
	}
}

// Nodes with noise are audited beside nodes without, and half of their noise is found.
func TestAuditsOfGroups(t *testing.T) {
	testneeds.Slow(t)
	s := loadText(t, personal, "mechanism={kind: laplace, epsilon: none, groups: [{nodes: [3, 5], epsilon: 1}]}", "algorithm={kind: dsgd, theta: 1, gradient_bound: clip}")
	for _, noise := range []float64{1, 0.5} {
		o := scenariotest.AuditOptions(1024)
		o.Noise = noise
		found := false
		for _, a := range scenariotest.AuditIn(t, s, o) {
			t.Logf("noise %v, %s: accounted %.4g, audited %.4g", noise, a.Mechanism, a.Accounted, a.Audited)
			found = found || a.Audited > a.Accounted || !a.NoiseAsStated()
		}
		if found != (noise < 1) {
			t.Errorf("noise %v: found %v", noise, found)
		}
	}
}

// Digests are the same on all runtimes where some nodes have no noise.
func TestDigestsOfNodesWithoutNoise(t *testing.T) {
	for _, name := range []string{"dsgd", "dpdonc", "sgp"} {
		s := loadText(t, personal, append([]string{"mechanism={kind: laplace, epsilon: 1, groups: [{nodes: [2, 6], epsilon: none}, {share: 0.3, epsilon: 3}]}"}, accumulating[name]...)...)
		digests := map[string]bool{}
		for _, o := range scenariotest.SomeEngines(s) {
			digests[metricsOf(t, s, o).Digest] = true
		}
		if len(digests) != 1 {
			t.Errorf("%s: %v", name, digests)
		}
	}
}

// A resolved scenario has its groups, as a list and as a file.
func TestResolvedGroups(t *testing.T) {
	catalog := scenarios.Catalog()
	g, err := guide.New(&catalog)
	if err != nil {
		t.Fatal(err)
	}
	for _, mechanism := range []string{
		"mechanism={kind: laplace, epsilon: 1, groups: [{share: 0.5, epsilon: 2}]}",
		groupFile(t, "node,epsilon\n1,1\n2,1\n3,1\n4,1\n5,1\n6,1\n7,2\n", ""),
	} {
		text, err := g.Resolved(testLoader(t), loadText(t, personal, mechanism), "", "")
		if err != nil {
			t.Fatal(err)
		}
		loadText(t, string(text))
	}
}
