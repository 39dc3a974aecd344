package scenarios_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"starling/scenarios/runner"
)

// What the first seed allows and a later one does not is found before the run, with the seed
// and the place, by the names that nodes have everywhere: runs of that seed alone are refused
// with the same words.
func TestEverySeedIsChecked(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rows.csv")
	text := "label,a\n"
	for k := range 60 {
		text += fmt.Sprintf("%d,%d\n", k%3, k%5)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	const (
		fedavg = "{kind: fedavg, learning_rate: 0.1}"
		dsgd   = "{kind: dsgd, learning_rate: 0.1}"
	)
	images := func(partition string) string {
		return "{kind: images, data: synthetic, train: 90, test: 20, model: {kind: softmax}, partition: " + partition + "}"
	}
	inBall := func(problem string) string {
		return strings.TrimSuffix(problem, "}") + ", set: {kind: l2-ball, radius: 5}}"
	}
	rows := func(partition string) string {
		return "{kind: table, file: " + file + ", label: label, features: [a], feature_bound: 1, model: {kind: softmax}, partition: " + partition + "}"
	}
	for name, test := range map[string]struct{ algorithm, mechanism, problem, want string }{
		"clients without images":         {fedavg, "{kind: none}", images("{kind: dirichlet, alpha: 0.05}"), `problem.partition: under seed \d+ client \d has no images; partition.min_size: 1 has all shares be drawn again until every party has so many`},
		"fewer images than samples":      {"{kind: fedavg, learning_rate: 0.1, samples: 4}", "{kind: none}", images("{kind: dirichlet, alpha: 0.2}"), `problem.partition: under seed \d+ client \d has \d images?; want at least the 4 samples of a client; partition.min_size: 4`},
		"equals with few images":         {dsgd, "{kind: none}", inBall(images("{kind: dirichlet, alpha: 0.5}")), `problem.partition: under seed \d+ learner \d has \d images for 6 steps, .*; partition.min_size: 6`},
		"learners with few images":       {"{kind: ofl, tau: 1, local_step: 0.1, gradient_bound: 1}", "{kind: none}", images("{kind: dirichlet, alpha: 0.5}"), `problem.partition: under seed \d+ learner \d has \d images for 6 steps`},
		"halves of labels":               {dsgd, "{kind: none}", inBall(rows("{kind: half-by-label}")), `problem.reuse: under seed \d+ learner \d has \d+ rows`},
		"clients without rows":           {fedavg, "{kind: none}", rows("{kind: dirichlet, alpha: 0.3}"), `problem.partition: under seed \d+ learner \d has no rows; partition.min_size: 1`},
		"equals with few rows":           {dsgd, "{kind: none}", inBall(rows("{kind: dirichlet, alpha: 3}")), `problem.reuse: under seed \d+ learner \d has \d rows? to learn from for 6 steps, and meets none twice; want fewer steps, or reuse: cycle; or partition.min_size: 6`},
		"a min_size out of reach":        {fedavg, "{kind: none}", rows("{kind: dirichlet, alpha: 0.5, min_size: 20}"), `problem.partition: under seed \d+ partition dirichlet: some party had less than min_size 20 data in each of 1000 draws`},
		"batches of more than a client":  {"{kind: dpfl, tau: 1, learning_rate: 0.1, batch: 4, clip: 1}", "{kind: sampled-gaussian, sigma: 2, delta: 1e-5}", rows("{kind: dirichlet, alpha: 1, min_size: 1}"), `algorithm.batch: under seed \d+ batch B = 4 is more than the \d samples of client \d`},
		"whole batches under a sum":      {"{kind: dpfl, tau: 1, learning_rate: 0.1, clip: 1}", "{kind: tree, epsilon: 2, delta: 1e-3}", rows("{kind: dirichlet, alpha: 0.3}"), `problem.partition: under seed \d+ learner \d has no rows`},
		"a trusted server's clients":     {"{kind: dp-fedavg, learning_rate: 0.1, clip: 1}", "{kind: sampled-gaussian, sigma: 2, delta: 1e-5}", images("{kind: dirichlet, alpha: 0.05}"), `problem.partition: under seed \d+ client \d has no images`},
		"public images of all who learn": {"{kind: ali-dpfl, learning_rate: 0.5, batch: 2, clip: 0.1, statistics: public}", "{kind: sampled-gaussian, sigma: 2, delta: 1e-5}", strings.Replace(images("{kind: dirichlet, alpha: 1}"), "train: 90", "train: 300, public: 10", 1), `problem.partition: under seed \d+ client \d has no images`},
	} {
		t.Run(name, func(t *testing.T) {
			topology := "star"
			if test.algorithm == dsgd {
				topology = "complete, self_loops: true"
			}
			text := onRows(test.algorithm, topology, test.mechanism, test.problem)
			if strings.Contains(test.problem, "half-by-label") {
				text = strings.Replace(text, "horizon: 6", "horizon: 15", 1)
			}
			loadText(t, text, "seeds.count=1")
			_, err := loadError(t, text, "seeds.count=2000")
			found := regexp.MustCompile(test.want)
			if err == nil || !found.MatchString(err.Error()) {
				t.Fatalf("%v\nwant %s", err, test.want)
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

// The check of a file divides so many data and no more, and says which seeds it has not looked
// at; where no seed can fail it looks at none.
func TestChecksOfSeedsAreBounded(t *testing.T) {
	problem := "{kind: images, data: synthetic, train: 300, test: 20, model: {kind: softmax}, partition: {kind: dirichlet, alpha: 10}}"
	s := loadText(t, onRows("{kind: fedavg, learning_rate: 0.1}", "star", "{kind: none}", problem), "seeds.count=1000000")
	const want = "the division of 300 data was checked under the first 1909 of 1000000 seeds; the run checks the others"
	if len(s.Remarks) != 1 || s.Remarks[0].Code != "seeds" || s.Remarks[0].Message != want {
		t.Errorf("%+v, want %s", s.Remarks, want)
	}
	for _, partition := range []string{"{kind: iid}", "{kind: by-label}"} {
		s := loadText(t, onRows("{kind: fedavg, learning_rate: 0.1}", "star", "{kind: none}", strings.Replace(problem, "{kind: dirichlet, alpha: 10}", partition, 1)), "seeds.count=1000000")
		if len(s.Remarks) != 0 {
			t.Errorf("%s: %+v", partition, s.Remarks)
		}
	}
	// A scenario of several seeds runs without a remark, and with the data that it had.
	got := metricsOf(t, loadText(t, onRows("{kind: fedavg, learning_rate: 0.1}", "star", "{kind: none}", problem), "seeds.count=2"), runner.RunOptions{Engine: runner.Lockstep})
	if len(got.Rows) == 0 {
		t.Error("no rows")
	}
}

// A sensitivity that a factorization takes too long for is refused with the file, and not where
// a run asks for its noise.
func TestSensitivitiesOutOfReachAreRefused(t *testing.T) {
	for name, text := range map[string]string{
		"problem.reuse": onRows("{kind: ofl, tau: 1, local_step: 0.1, gradient_bound: 1}", "star", "{kind: tree-full, epsilon: 2, delta: 1e-3}", ownRows+", reuse: cycle}"),
		"algorithm":     onRows("{kind: dp-fedavg, learning_rate: 0.1, clip: 1, rate: 0.5, times: 3000}", "star", "{kind: tree, epsilon: 2, delta: 1e-3}", ownRows+"}"),
	} {
		_, err := loadError(t, text, "horizon=40000", "measure.every=40000")
		if err == nil || !regexp.MustCompile(name+`: the sensitivity of factorization tree(-full)? of 40000 steps to a record in \d+ inputs takes .* numbers; want at most 16777216`).MatchString(err.Error()) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
