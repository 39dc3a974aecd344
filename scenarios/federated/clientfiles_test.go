package federated_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
)

// clientFilesText is a run over clients with numbers of rows of their own. The tests give the file and its parties.
const clientFilesText = `version: 1
name: client-files
horizon: 6
nodes: 40
algorithm: {kind: dp-fedavg, learning_rate: 0.5, clip: 0.3, tau: 2, batch: 3, cohort: 8, draw: server, panel: 10}
problem: {kind: table, label: y, features: [a, b], feature_bound: 2, model: {kind: logistic}}
topology: {kind: star}
mechanism: {kind: sampled-gaussian, sigma: 0.7, delta: 1e-5}
seeds: {base: 1, count: 1}
plots: []
`

// clientFiles writes rows of 40 clients, from 1 to 7 each: a table with a column of clients, a file with a row group
// for each, a folder with a file for each, and a file of tests. It returns the settings of the first three, and
// the file of tests.
func clientFiles(t *testing.T) (forms map[string][]string, tests string) {
	t.Helper()
	type bare struct {
		A float64 `parquet:"a"`
		B float64 `parquet:"b"`
		Y string  `parquet:"y"`
	}
	type row struct {
		Who string `parquet:"who"`
		bare
	}
	dir, random := t.TempDir(), rand.New(rand.NewPCG(3, 4))
	folder, grouped := filepath.Join(dir, "clients"), filepath.Join(dir, "groups.parquet")
	file, err := os.Create(grouped)
	if err == nil {
		err = os.Mkdir(folder, 0o777)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	groups := parquet.NewGenericWriter[row](file)
	var all strings.Builder
	all.WriteString("who,a,b,y\n")
	for client := range 40 {
		name := fmt.Sprint("phone-", client*7%40)
		var own []bare
		var named []row
		for k := range 1 + client%7 {
			one := bare{random.NormFloat64(), random.NormFloat64(), []string{"no", "yes"}[(client+k)%2]}
			own, named = append(own, one), append(named, row{name, one})
			fmt.Fprintf(&all, "%s,%v,%v,%s\n", name, one.A, one.B, one.Y)
		}
		if err := parquet.WriteFile(filepath.Join(folder, name+".parquet"), own); err != nil {
			t.Fatal(err)
		}
		if _, err := groups.Write(named); err != nil || groups.Flush() != nil {
			t.Fatal(err)
		}
	}
	if err := groups.Close(); err != nil {
		t.Fatal(err)
	}
	whole := filepath.Join(dir, "all.csv")
	tests = filepath.Join(dir, "tests.csv")
	for path, text := range map[string]string{whole: all.String(), tests: "a,b,y\n1,1,yes\n-1,2,no\n0.5,-1,yes\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return map[string][]string{
		"table":      {"problem.file=" + whole, "problem.party=who"},
		"row groups": {"problem.file=" + grouped, "problem.party={of: row-groups, column: who}"},
		"files":      {"problem.file=" + folder, "problem.party={of: files}"},
	}, tests
}

// TestClientFilesAreTheTable: clients with rows that are read from files or row groups when they take part have the
// digest of clients with the same rows in one table, on both engines and any shards.
func TestClientFilesAreTheTable(t *testing.T) {
	forms, tests := clientFiles(t)
	for name, set := range map[string][]string{
		"a round":   {"problem.test={file: " + tests + "}"},
		"a clock":   {"clock={compute: {median: 1, spread: 1}}", "problem.standardise=rows"},
		"some":      {"nodes=30"},
		"samples":   {"algorithm.samples=1", "algorithm.batch=null"},
		"records":   {"algorithm.level=record", "algorithm.batch=null"},
		"held":      {"algorithm={kind: dp-fedavg, learning_rate: 0.5, clip: 0.3, tau: 2, batch: 3, rate: 0.2}"},
		"own pace":  {"algorithm={kind: fedbuff, learning_rate: 0.5, clip: 0.3, buffer: 4, concurrency: 8, draw: server, panel: 10}", "clock={compute: {median: 1, spread: 1}}"},
		"keep data": {"algorithm.kind=dp-scaffold"},
	} {
		want := ""
		for _, form := range []string{"table", "files", "row groups"} {
			s := scenariotest.LoadText(t, clientFilesText, append(slices.Clone(forms[form]), set...)...)
			options := []runner.RunOptions{{Engine: runner.Lockstep}, {Engine: runner.Actors, Shards: 1}, {Engine: runner.Actors, Shards: 2}, {Engine: runner.Actors, Shards: 8}}
			for _, o := range options {
				digest := scenariotest.MetricsOf(t, s, o).Digest
				if want == "" {
					want = digest
				}
				if digest != want {
					t.Errorf("%s, %s, %+v: digest %s, want %s", name, form, o, digest, want)
				}
			}
		}
	}
}

// TestClientFilesResume: a run goes on from its state with the same messages.
func TestClientFilesResume(t *testing.T) {
	forms, _ := clientFiles(t)
	scenariotest.Resumes(t, scenariotest.LoadText(t, clientFilesText, forms["files"]...), 3, 0)
}

// TestPanelOfUnevenClients: a panel of all clients has the loss over all rows, without an error, and the error of a
// part of them is of a ratio of sums.
func TestPanelOfUnevenClients(t *testing.T) {
	forms, _ := clientFiles(t)
	all := append(slices.Clone(forms["files"]), "mechanism={kind: none}", "algorithm={kind: dp-fedavg, learning_rate: 0.5, clip: 0.3, tau: 2, cohort: 40, draw: server, panel: 40}", "measure.every=1")
	drawn := scenariotest.MeasuredIn(t, clientFilesText, all...).Rows
	held := scenariotest.MeasuredIn(t, clientFilesText, append(all, "algorithm={kind: dp-fedavg, learning_rate: 0.5, clip: 0.3, tau: 2, rate: 1}")...).Rows
	got, want := scenariotest.ValuesOf(drawn, "loss.train"), scenariotest.ValuesOf(held, "loss.train")
	if len(got) < 6 || !alike(got, want) {
		t.Errorf("loss.train is %v, and %v where all are held", got, want)
	}
	for _, v := range scenariotest.ValuesOf(drawn, "loss.train.error") {
		if v != 0 {
			t.Errorf("an error of %v of all clients", v)
		}
	}
}

// TestClientFilesRefuse: keys that take all rows at once, and files that are none, are refused at their keys.
func TestClientFilesRefuse(t *testing.T) {
	forms, _ := clientFiles(t)
	const ownData = "nodes=20|problem={kind: table, file: library/own-data.csv, party: client, exclude: [step], label: y, model: {kind: logistic}}"
	folder := strings.Join(forms["files"], "|")
	file, _ := strings.CutPrefix(forms["table"][0], "problem.file=")
	clients, _ := strings.CutPrefix(forms["files"][0], "problem.file=")
	empty := t.TempDir()
	for set, want := range map[string]string{
		folder + "|problem.missing=mean":                       "problem.missing: rows of a client are read when it takes part, and are not held: fill the cells in the files",
		folder + "|problem.rare=3":                             "problem.rare: rows of a client are read when it takes part",
		folder + "|problem.validation=0.2":                     "problem.validation: rows of a client are read when it takes part",
		folder + "|problem.test={share: 0.2}":                  "problem.test.share: rows of a client are read when it takes part, and are not held: want test.file",
		folder + "|nodes=41":                                   "problem.party: 41 nodes; the table has 40 parties",
		folder + "|algorithm.samples=3":                        `algorithm.samples: 3 samples of a client, and "phone-0" has 1 row; want at most that, or leave samples out`,
		folder + "|algorithm.level=record":                     "algorithm.batch: client 1 has 1 sample and client 4 has 7 samples, so that a sample is in a batch with other chances",
		folder + "|problem.test={file: " + clients + "}":       "problem.test.file: " + clients + " is a folder; want a file",
		folder + "|problem.partition={kind: iid}":              "problem.partition: is given, but the column of parties divides the rows already",
		"problem.file=" + file + "|problem.party={of: files}":  "problem.file: " + file + " is a file; want a folder",
		"problem.file=" + empty + "|problem.party={of: files}": "problem.file: " + empty + " has no file that ends in .parquet; want one for each client",
		"problem.file=" + empty + "|problem.party=who":         "problem.file: " + empty + " is a folder; want a file",
		"problem.file=nowhere|problem.party={of: files}":       "problem.file: there is no folder",
		folder + "|problem.party={of: files, column: who}":     "problem.party.column: the files are the clients; leave column out",
		folder + "|problem.party={of: groups}":                 "problem.party.of: ",
		forms["table"][0] + "|problem.party={of: row-groups}":  "problem.file: " + file + ": ",
		ownData + "|problem.test={share: 0.2, draw: fixed}":    "problem.test: clients that come and go have no test rows of their own; want test.common: true",
		ownData + "|problem.test={share: 0.2}":                 "problem.test: clients of a population have the same rows under every seed",
		ownData + "|problem.validation=0.2":                    "problem.validation: clients that come and go",
	} {
		scenariotest.Refuses(t, clientFilesText, map[string]string{set: want})
	}
}
