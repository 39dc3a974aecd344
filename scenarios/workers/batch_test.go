package workers_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"starling/scenarios/workers"
)

// planBatch is one whose program writes its arguments to a file, a call a line.
func planBatch(t *testing.T) (p workers.Batch, calls func() []string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	dir := t.TempDir()
	program, log := filepath.Join(dir, "it's a program"), filepath.Join(dir, "calls")
	text := fmt.Sprintf("#!/bin/sh\nfor a; do printf '<%%s>' \"$a\"; done >>'%s'; echo >>'%s'\n", log, log)
	if err := os.WriteFile(program, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	p = workers.Batch{
		Name: "my.study_1", Parts: 3, Program: program, Arguments: []string{"my file.yaml", "--set", "plots=[{name: it's}]"},
		Out: "all results", Folder: "all results/my", Scenario: []byte("name: my.study_1\nhorizon: 3\n"),
		Image: "registry/starling:1", Claim: "results", Cores: 2, Memory: 300 << 20, Time: 25*time.Hour + 7*time.Minute,
	}
	return p, func() []string {
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(text)), "\n")
	}
}

func writeBatch(t *testing.T, p *workers.Batch, target workers.BatchTarget) string {
	t.Helper()
	var b strings.Builder
	if err := p.Write(&b, target); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func shell(t *testing.T, script string, environment ...string) {
	t.Helper()
	cmd := exec.Command("sh", "-c", script)
	cmd.Env = append(os.Environ(), environment...)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, text, script)
	}
}

// callOf is what the program gets for a part.
func callOf(part int) string {
	return fmt.Sprintf("<run><my file.yaml><--set><plots=[{name: it's}]><--part><%d/3><--out><all results><--cores><2><--quiet>", part)
}

// Every target runs each part with the same words, whatever is in them.
func TestTargetsRunTheParts(t *testing.T) {
	t.Run("local", func(t *testing.T) {
		p, calls := planBatch(t)
		shell(t, writeBatch(t, &p, workers.LocalScript))
		if diff := cmp.Diff([]string{callOf(1), callOf(2), callOf(3), "<merge><all results/my><--out><all results>"}, calls()); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("slurm", func(t *testing.T) {
		p, calls := planBatch(t)
		script := writeBatch(t, &p, workers.Slurm)
		shell(t, script, "SLURM_ARRAY_TASK_ID=2")
		if diff := cmp.Diff([]string{callOf(2)}, calls()); diff != "" {
			t.Error(diff)
		}
		for _, want := range []string{"--array=1-3\n", "--cpus-per-task=2\n", "--mem=300M\n", "--time=25:07:00\n", "--job-name=my.study_1\n"} {
			if !strings.Contains(script, "\n#SBATCH "+want) {
				t.Errorf("no line %q:\n%s", want, script)
			}
		}
	})
	t.Run("kubernetes", func(t *testing.T) {
		p, calls := planBatch(t)
		job := documents(t, writeBatch(t, &p, workers.Kubernetes))[1]
		container := at(job, "spec", "template", "spec", "containers").([]any)[0].(map[string]any)
		command := container["command"].([]any)
		shell(t, command[2].(string), "JOB_COMPLETION_INDEX=2")
		if diff := cmp.Diff([]string{callOf(3)}, calls()); diff != "" {
			t.Error(diff)
		}
	})
}

// documents reads a manifest.
func documents(t *testing.T, text string) (list []map[string]any) {
	t.Helper()
	for part := range strings.SplitSeq(text, "---\n") {
		var doc map[string]any
		if err := yaml.Unmarshal([]byte(part), &doc); err != nil {
			t.Fatalf("%v\n%s", err, part)
		}
		list = append(list, doc)
	}
	return list
}

func at(value any, path ...string) any {
	for _, key := range path {
		value = value.(map[string]any)[key]
	}
	return value
}

// schema has the keys of the schemas of ConfigMap (v1) and Job (batch/v1) that a manifest
// may use, with their types: the paths are those of the reference of the Kubernetes API, a
// * stands for any key, and [] for an entry of a list.
var schema = map[string]string{
	"ConfigMap.apiVersion": "string", "ConfigMap.kind": "string", "ConfigMap.metadata.name": "string", "ConfigMap.data.*": "string",
	"Job.apiVersion": "string", "Job.kind": "string", "Job.metadata.name": "string",
	"Job.spec.completions": "integer", "Job.spec.parallelism": "integer", "Job.spec.completionMode": "string", "Job.spec.backoffLimit": "integer",
	"Job.spec.template.spec.restartPolicy": "string", "Job.spec.template.spec.activeDeadlineSeconds": "integer",
	"Job.spec.template.spec.containers[].name": "string", "Job.spec.template.spec.containers[].image": "string",
	"Job.spec.template.spec.containers[].command[]":            "string",
	"Job.spec.template.spec.containers[].resources.requests.*": "string", "Job.spec.template.spec.containers[].resources.limits.*": "string",
	"Job.spec.template.spec.containers[].volumeMounts[].name": "string", "Job.spec.template.spec.containers[].volumeMounts[].mountPath": "string",
	"Job.spec.template.spec.containers[].volumeMounts[].readOnly": "boolean",
	"Job.spec.template.spec.volumes[].name":                       "string", "Job.spec.template.spec.volumes[].configMap.name": "string",
	"Job.spec.template.spec.volumes[].persistentVolumeClaim.claimName": "string",
}

// leaves lists the values of a document by their paths in the schema.
func leaves(path string, value any, visit func(path, kind string)) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			next := path + "." + key
			if strings.HasSuffix(path, ".data") || strings.HasSuffix(path, ".requests") || strings.HasSuffix(path, ".limits") {
				next = path + ".*"
			}
			leaves(next, inner, visit)
		}
	case []any:
		for _, inner := range v {
			leaves(path+"[]", inner, visit)
		}
	case string:
		visit(path, "string")
	case bool:
		visit(path, "boolean")
	case uint64, int64, int:
		visit(path, "integer")
	default:
		visit(path, fmt.Sprintf("%T", v))
	}
}

func TestManifestFitsTheSchema(t *testing.T) {
	p, _ := planBatch(t)
	docs := documents(t, writeBatch(t, &p, workers.Kubernetes))
	if len(docs) != 2 {
		t.Fatalf("%d documents", len(docs))
	}
	seen := 0
	for _, doc := range docs {
		leaves(doc["kind"].(string), doc, func(path, kind string) {
			seen++
			if schema[path] != kind {
				t.Errorf("%s is of type %s, and %q in the schema", path, kind, schema[path])
			}
		})
	}
	if seen < len(schema) {
		t.Errorf("%d values for %d keys of the schema", seen, len(schema))
	}
	if got := at(docs[0], "data", "scenario.yaml"); got != string(p.Scenario) {
		t.Errorf("the scenario is %q, want %q", got, p.Scenario)
	}
	spec := at(docs[1], "spec").(map[string]any)
	if spec["completions"] != uint64(3) || spec["completionMode"] != "Indexed" || at(spec, "template", "spec", "activeDeadlineSeconds") != uint64(25*3600+7*60) {
		t.Errorf("%v", spec)
	}
	if name := at(docs[1], "metadata", "name"); name != "starling-my-study-1" || at(docs[0], "metadata", "name") != name {
		t.Errorf("it is called %v", name)
	}
}

func TestRoom(t *testing.T) {
	for _, test := range []struct {
		time, wantTime     time.Duration
		memory, wantMemory int64
	}{
		{time.Second, 5 * time.Minute, 1 << 20, 256 << 20},
		{time.Hour, 3 * time.Hour, 1 << 30, 1536 << 20},
		{10*time.Minute + time.Second, 31 * time.Minute, 200<<20 + 1, 301 << 20},
	} {
		if gotTime, gotMemory := workers.BatchRoom(test.time, test.memory); gotTime != test.wantTime || gotMemory != test.wantMemory {
			t.Errorf("%v and %d: %v and %d, want %v and %d", test.time, test.memory, gotTime, gotMemory, test.wantTime, test.wantMemory)
		}
	}
	if err := (&workers.Batch{}).Write(&strings.Builder{}, "abacus"); err == nil {
		t.Error("an unknown target")
	}
}
