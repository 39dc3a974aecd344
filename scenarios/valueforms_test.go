package scenarios_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"starling/mechanisms/accountant"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/scenariotest"
)

// valueKeys are the keys of values of clients, with arms of trustedStar in which they have an effect.
var valueKeys = map[string][]string{
	"algorithm.rates":   {"algorithm.rate=0.5"},
	"algorithm.clips":   nil,
	"algorithm.filters": {"horizon=12", "algorithm.clip=0.5"},
}

// columnRows writes a table of five parties, with a value of each.
func columnRows(t *testing.T, change func(text string) string) (problem string) {
	return strings.Replace(sharedRows(t, change), "parameters: [eps]", "parameters: [eps], features: [a, b]", 1)
}

// The four ways of giving values say the same: a law draws the quantiles of a stream of its key, whatever
// the seed, and a column and a file have them by party and by client.
func TestValuesInFourForms(t *testing.T) {
	quantile := func(u float64) float64 { return 0.05 + 0.45*u }
	for key, arm := range valueKeys {
		stream := rng.NewKey(3, rng.PurposeOf("clients.values").Of(strings.TrimPrefix(key, "algorithm.")))
		var list, lines strings.Builder
		values := map[int]string{}
		for k := range 5 {
			value := fmt.Sprintf("%.17g", quantile(stream.Uniform(k, 0, 0)))
			fmt.Fprintf(&list, "{nodes: [%d], value: %s}, ", k+1, value)
			fmt.Fprintf(&lines, "%d,%s\n", k+1, value)
			values[[]int{2, 4, 7, 10, 30}[k]] = value // parties by number
		}
		file := filepath.Join(t.TempDir(), "values.csv")
		if err := os.WriteFile(file, []byte("node,v\n"+lines.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		problem := columnRows(t, func(string) string {
			text := "who,eps,a,b,y\n"
			for row := range 20 {
				for party, value := range values {
					text += fmt.Sprintf("%d,%s,%d,%d,%d\n", party, value, row%3, party%5, row%2)
				}
			}
			return text
		})
		arm := append([]string{problem, "algorithm.samples=null"}, arm...)
		want := finalLosses(t, trustedStar, append(arm, key+"=["+strings.TrimSuffix(list.String(), ", ")+"]")...)
		if first := want[accountant.Peer]; first[1] == first[2] || first[1] == 0 {
			t.Fatalf("%s has no effect: %v", key, first)
		}
		for _, form := range []string{"{law: uniform, from: 0.05, to: 0.5, draw: 3}", "{column: eps}", "{file: " + file + ", value: v}"} {
			for _, seed := range []string{"seeds.base=1", "seeds.base=7"} {
				got := finalLosses(t, trustedStar, append(arm, seed, key+"="+form)...)
				for observer, units := range want {
					for unit, loss := range units {
						if own := got[observer][unit]; own != loss && !(math.Abs(own-loss) <= 1e-12*loss) {
							t.Errorf("%s, %s, %s: client %d loses %v to %s, and %v by a list", key, form, seed, unit, own, observer, loss)
						}
					}
				}
			}
		}
	}
}

// Laws of two keys draw independent values, and epsilons others: no node is in the same place of all.
func TestLawsOfKeysAreApart(t *testing.T) {
	streams := []rng.Key{rng.NewKey(1, rng.PurposeOf("mechanism.epsilons"))}
	for key := range valueKeys {
		streams = append(streams, rng.NewKey(1, rng.PurposeOf("clients.values").Of(strings.TrimPrefix(key, "algorithm."))))
	}
	for k, a := range streams {
		for _, b := range streams[:k] {
			if a.Uniform(0, 0, 0) == b.Uniform(0, 0, 0) {
				t.Errorf("two streams begin with %v", a.Uniform(0, 0, 0))
			}
		}
	}
}

// Runs of values of a law have one digest on all runtimes, and go on from where they stopped.
func TestRunsOfValuesOfALaw(t *testing.T) {
	for key, arm := range valueKeys {
		s := loadText(t, trustedStar, append(arm, "horizon=6", key+"={law: choice, values: [0.1, 0.4], shares: [0.4, 0.6]}")...)
		digests := map[string]bool{}
		for _, o := range scenariotest.SomeEngines(s) {
			digests[metricsOf(t, s, o).Digest] = true
		}
		if len(digests) != 1 {
			t.Errorf("%s: %v", key, digests)
		}
		through, _ := scenariotest.SentBy(t, s, 0, 0, 1)
		resumed, _ := scenariotest.SentBy(t, s, 3, 0, 1)
		for _, node := range []messages.NodeID{0, 1} {
			if !slices.Equal(through[node], resumed[node]) {
				t.Errorf("%s: node %d sends %v, and resumed %v", key, node, through[node], resumed[node])
			}
		}
	}
}

// Values are found for epsilons that are drawn, or in a column.
func TestTargetsInFourForms(t *testing.T) {
	problem := columnRows(t, asWritten)
	for form, want := range map[string]func(client int32) float64{
		"{column: eps}":                func(client int32) float64 { return []float64{0.5, 2, 1, 3, 0.5}[client-1] },
		"{law: choice, values: [1.5]}": func(int32) float64 { return 1.5 },
	} {
		got := finalLosses(t, trustedStar, problem, "algorithm.samples=null", "horizon=40", "mechanism={kind: sampled-gaussian, sigma: 2, delta: 1e-5, by: clip, groups: "+form+"}")[accountant.Peer]
		for client := int32(1); client <= 5; client++ {
			if e := got[client]; e > want(client) || want(client)-e > 1e-6 {
				t.Errorf("%s: client %d loses %.9g, want %v", form, client, e, want(client))
			}
		}
	}
}

// Values out of bounds, of unknown nodes and of laws that are none are refused at their places, all at
// once.
func TestFormsOfValuesAreRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rates.csv")
	if err := os.WriteFile(file, []byte("node,q\n1,0.3\n2,1.2\n3,-1\n9,0.9\n5,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		overrides []string
		wants     []string
	}{
		{[]string{"algorithm.rates={law: uniform, from: 0.5, to: 1.5}"}, []string{"--set algorithm.rates:1:", "algorithm.rates.to: a value of 1.5; want at most 1"}},
		{[]string{"algorithm.rates={law: choice, values: [0.5, 2, 0], shares: [1]}"}, []string{"algorithm.rates.shares: 1 shares for 3 values", "algorithm.rates.values[1]: a value of 2; want at most 1", "algorithm.rates.values[2]: a value of 0; want a finite number > 0"}},
		{[]string{"algorithm.clips={law: uniform}"}, []string{"algorithm.clips.from: from is for the laws", "algorithm.clips.to: to is for the laws"}},
		{[]string{"algorithm.clips={law: uniform, from: 2, to: 1}", "algorithm.filters={law: normal}"}, []string{`algorithm.filters.law: unknown value "normal"`}},
		{[]string{"algorithm.clips={law: uniform, from: 2, to: 1}", "algorithm.rates=[{nodes: [7], value: 0.5}]"}, []string{"algorithm.clips.to: the law ends at 1, below its beginning at 2", "algorithm.rates[0].nodes[0]: there is no node 7"}},
		{[]string{"algorithm.rates={law: uniform, from: 0.5, to: 1, file: a.csv}"}, []string{`unknown key "file"`}},
		{[]string{"algorithm.rates={column: eps}"}, []string{"algorithm.rates.column: "}},
		{[]string{columnRows(t, asWritten), "algorithm.samples=null", "algorithm.rates={column: eps}"}, []string{`rows.csv: line 2: column "eps": the value is "3", want at most 1`, `line 6: column "eps": the value is "2e0", want at most 1`}},
		{[]string{columnRows(t, func(text string) string { return strings.ReplaceAll(text, ",0.5,", ",none,") }), "algorithm.samples=null", "algorithm.clips={column: eps}"},
			[]string{`rows.csv: line 3: column "eps": the value is "none", want a finite number > 0`}},
		{[]string{"algorithm.rates={file: " + file + ", value: q}"}, []string{"rates.csv:3:3: the value is \"1.2\", want at most 1", `rates.csv:4:3: the value is "-1", want a finite number > 0`, "rates.csv:5:1: there is no node 9; there are 5", "node 4 has no line"}},
	} {
		_, err := loadError(t, trustedStar, test.overrides...)
		for _, want := range test.wants {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v: %v, want %q", test.overrides, err, want)
			}
		}
	}
}
