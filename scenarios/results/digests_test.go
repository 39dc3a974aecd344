package results

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// proofOf is the proof of a job whose machines left a text.
func proofOf(machine string, job *Job) (p Proof) {
	h := NewHash()
	h.Machine([]byte(machine))
	p.Machines = h.State()
	job.HashRows(h)
	p.Digest = h.Sum()
	return p
}

// same changes nothing of a job.
func same(*Job) {}

// writeProven writes a run of two jobs with their proofs into a folder. The second has many rows,
// and is changed before its proof is made, and after it. epsilon is of all privacy rows.
func writeProven(t *testing.T, before, after func(*Job), epsilon float64) (dir string, err error) {
	t.Helper()
	dir = t.TempDir()
	options := testOptions()
	options.Plan = Plan{Arms: []string{"base", "other"}, Seeds: Seeds{Base: 7, Count: 1}}
	folder := create(t, dir, options)
	for i, arm := range options.Plan.Arms {
		job := NewJob(arm, 7)
		for k := range 5 + i*ownRows {
			job.AddNode(int64(k), int32(i), "loss", float64(k))
		}
		job.Add(9, "regret", 1)
		if i == 1 {
			before(job)
		}
		p := proofOf("machines of "+arm, job)
		if i == 1 {
			after(job)
		}
		must(t, folder.WriteProven(job, p))
		for unit := range int32(2) {
			must(t, folder.AddPrivacy(PrivacyRow{Arm: arm, Seed: 7, Observer: "wire", Unit: unit, Units: 1, Epsilon: epsilon, Final: true}))
		}
	}
	m := testManifest(StatusComplete)
	m.Arms, m.Seeds, m.Warnings = []ArmEntry{{Name: "base"}, {Name: "other"}}, options.Plan.Seeds, nil
	m.Digest = folder.Digest(nil)
	err = folder.Commit(m)
	must(t, folder.Close())
	return dir, err
}

// TestChangedInMemory changes a metric between the end of a job and its writing: the run is not
// complete. Before jobs had proofs it had the digest of the true metrics.
func TestChangedInMemory(t *testing.T) {
	_, err := writeProven(t, same, func(j *Job) { j.samples[3].value++ }, 2)
	if err == nil || !strings.Contains(err.Error(), `metrics.parquet does not agree with digests.jsonl: rows 7 to 4108, of arm "other", seed 7, are not those that were written: line 2 has another digest`) {
		t.Errorf("a changed metric: %v", err)
	}
}

// seal makes a folder that was changed pass for whole: sizes and sums of all files are those of
// what is there.
func seal(t *testing.T, dir string) {
	t.Helper()
	m, err := ReadManifest(dir)
	must(t, err)
	for i, file := range m.Files {
		text, err := os.ReadFile(filepath.Join(dir, file.Name))
		must(t, err)
		m.Files[i].Size, m.Files[i].SHA256 = int64(len(text)), sumOf(text)
	}
	text, err := m.encode()
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, manifestName), text, 0o644))
	must(t, os.WriteFile(filepath.Join(dir, completeName), completeText(text), 0o644))
}

// TestChangedRecordsAreTold changes records of a finished run, with the sums of their files and
// without: readers say which file, and which rows.
func TestChangedRecordsAreTold(t *testing.T) {
	edit := func(file string, change func([]byte) []byte) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			text, err := os.ReadFile(filepath.Join(dir, file))
			must(t, err)
			must(t, os.WriteFile(filepath.Join(dir, file), change(bytes.Clone(text)), 0o644))
		}
	}
	// replaced puts a file of another run in the place of one.
	replaced := func(file string, change func(*Job), epsilon float64) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			other, err := writeProven(t, change, same, epsilon)
			must(t, err)
			text, err := os.ReadFile(filepath.Join(other, file))
			must(t, err)
			must(t, os.WriteFile(filepath.Join(dir, file), text, 0o644))
		}
	}
	for _, test := range []struct {
		name   string
		change func(*testing.T, string)
		sealed bool
		wants  []string
	}{
		{"a metric", replaced(metricsName, func(j *Job) { j.samples[2].value = -1 }, 2), true,
			[]string{"metrics.parquet does not agree", `rows 7 to 4108, of arm "other", seed 7, are not those`, "line 2"}},
		{"a metric, and not the sum of its file", replaced(metricsName, func(j *Job) { j.samples[2].value = -1 }, 2), false,
			[]string{"metrics.parquet is damaged: it has", "rows 7 to 4108"}},
		{"a step", replaced(metricsName, func(j *Job) { j.samples[2].step++ }, 2), true, []string{"rows 7 to 4108"}},
		{"a node", replaced(metricsName, func(j *Job) { j.samples[2].node++ }, 2), true, []string{"rows 7 to 4108"}},
		{"a row more", replaced(metricsName, func(j *Job) { j.Add(1, "loss", 1) }, 2), true, []string{"row 4109 is one too many"}},
		{"a row less", replaced(metricsName, func(j *Job) { j.samples = j.samples[1:] }, 2), true, []string{`1 rows of arm "other", seed 7, are missing after row 4107`}},
		{"an epsilon", replaced(privacyName, same, 1), true, []string{"privacy.parquet does not agree", `rows 1 to 2, of arm "base", seed 7`, "line 1"}},
		{"a byte of a page", edit(metricsName, func(b []byte) []byte { b[len(b)/2] ^= 4; return b }), false, []string{"metrics.parquet is damaged: its SHA-256", `rows 7 to 4108, of arms and seeds from arm "other", seed 7 on, cannot be read: `}},
		{"a digest", edit(digestsName, func(b []byte) []byte {
			at := bytes.LastIndex(b, []byte(`"digest":"`)) + len(`"digest":"`)
			b[at] = map[bool]byte{true: '0', false: '1'}[b[at] == '1']
			return b
		}), true, []string{"digests.jsonl does not agree", "and the manifest says"}},
		{"a line that is none", edit(digestsName, func(b []byte) []byte {
			b[bytes.IndexByte(b, '\n')+1] = '['
			return b
		}), true, []string{"digests.jsonl is damaged: line 2"}},
		{"a line cut short", edit(digestsName, func(b []byte) []byte { return b[:len(b)-1] }), true, []string{"digests.jsonl is damaged: line 2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir, err := writeProven(t, same, same, 2)
			must(t, err)
			if _, err := Open(dir); err != nil {
				t.Fatal(err)
			}
			test.change(t, dir)
			if test.sealed {
				seal(t, dir)
			}
			_, err = Open(dir)
			for _, want := range test.wants {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%v, want %q", err, want)
				}
			}
		})
	}
}

// TestRunsWithoutDigests checks that runs of versions that wrote no digests.jsonl are read.
func TestRunsWithoutDigests(t *testing.T) {
	dir := writeRun(t)
	run, err := Open(dir)
	must(t, err)
	if slices.ContainsFunc(run.Manifest.Files, func(f FileEntry) bool { return f.Name == digestsName }) {
		t.Error("jobs without proofs have left digests")
	}
}
