package results

import (
	"math"
	"path/filepath"
	"testing"

	"starling/scenarios/metric"
)

// testPlan has two arms, the second of which needs quoting in CSV.
var testPlan = Plan{Arms: []string{"base", `eps=1, "ring"`}, Seeds: Seeds{Base: math.MaxUint64 - 2, Count: 3}}

func testOptions() Options {
	half := 0.5
	return Options{
		Plan: testPlan, Scenario: []byte("name: demo\n"),
		Arms: []ArmRow{
			{Arm: "base", Key: "privacy.epsilon", Value: "none", Type: "text", Swept: true},
			{Arm: `eps=1, "ring"`, Key: "privacy.epsilon", Value: "0.5", Type: "number", Number: &half, Swept: true},
		},
		Metrics: metric.List{
			{Name: "loss", Summary: "mean loss", Label: "loss", Unit: "nats", Level: metric.OfNode},
			{Name: "regret.expected", Summary: "expected regret", Label: "regret", Level: metric.OfSummary},
			{Name: "never", Summary: "nobody records it", Label: "never", Level: metric.OfRun},
		},
	}
}

func testManifest(status Status) Manifest {
	return Manifest{
		Scenario:      "demo",
		Description:   "a <small> run & its folder",
		Hash:          "0123abcd",
		Status:        status,
		Digest:        "00ff",
		Arms:          []ArmEntry{{Name: "base"}, {Name: `eps=1, "ring"`, Overrides: "privacy.epsilon: 1"}},
		Seeds:         testPlan.Seeds,
		FirstStep:     1,
		Horizon:       2,
		MeasuredNodes: MeasuredNodes{Nodes: []int32{1, 7}},
		Versions:      CurrentVersions("test"),
		Warnings:      []Warning{{Code: "few-seeds", Message: "three seeds"}},
		Notes:         []Note{{Arm: "base", Key: "theta", Value: "0.5"}},
		Ledger:        []LedgerEntry{{Arm: "base", Observer: "wire", Unit: "a datum", Neighbours: "one replaced", Claimed: "1", Accountant: "rdp"}},
	}
}

// testJobs returns the jobs of testPlan: run-level and node-level rows, NaN and
// infinities among them. Over the seeds of an arm, regret.network is s, s, s+3
// at step s: mean s+1 and standard error 1, exactly.
func testJobs() []*Job {
	var jobs []*Job
	for i := range testPlan.jobs() {
		job := NewJob(testPlan.job(i))
		for step := int64(1); step <= 2; step++ {
			job.Add(step, "regret.network", float64(step)+float64(i%3/2*3))
			job.AddNode(step, 0, "loss", math.NaN())
			job.AddNode(step, 7, "loss", float64(step)/3)
		}
		job.Add(2, "distance", math.Inf(1))
		jobs = append(jobs, job)
	}
	return jobs
}

// writeRun writes a complete run into a new folder and returns its path.
func writeRun(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "demo", "0123abcd")
	folder := create(t, dir, testOptions())
	for _, job := range testJobs() {
		must(t, folder.WriteJob(job))
	}
	must(t, folder.AddSummary(SummaryRow{Arm: "base", Step: 2, Metric: "regret.expected", Mean: 0.25, SE: 0.125, N: 3}))
	must(t, folder.Commit(testManifest(StatusComplete)))
	must(t, folder.Close())
	return dir
}

func create(t *testing.T, dir string, options Options) *Folder {
	t.Helper()
	folder, err := Create(dir, options)
	must(t, err)
	t.Cleanup(func() { folder.Close() })
	return folder
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
