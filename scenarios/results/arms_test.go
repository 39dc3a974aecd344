package results

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"starling/scenarios/metric"
)

// TestArmsTable reads arms.parquet back.
func TestArmsTable(t *testing.T) {
	got, err := parquet.ReadFile[armRecord](filepath.Join(writeRun(t), armsName))
	must(t, err)
	half := 0.5
	want := []armRecord{
		{"0123abcd", "demo", "base", "privacy.epsilon", "none", "text", nil, true},
		{"0123abcd", "demo", `eps=1, "ring"`, "privacy.epsilon", "0.5", "number", &half, true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestMetadataOfTables checks that every table names its run, and describes the metrics that
// the run has recorded, at nodes and over the seeds too, and no others.
func TestMetadataOfTables(t *testing.T) {
	dir := writeRun(t)
	for _, name := range []string{metricsName, summaryName, privacyName, armsName} {
		content, err := os.Open(filepath.Join(dir, name))
		must(t, err)
		defer content.Close()
		info, err := content.Stat()
		must(t, err)
		file, err := parquet.OpenFile(content, info.Size())
		must(t, err)
		for key, want := range map[string]string{"starling.run": "0123abcd", "starling.scenario": "demo", "starling.digest": "00ff"} {
			if got, ok := file.Lookup(key); !ok || got != want {
				t.Errorf("%s: %s is %q, want %q", name, key, got, want)
			}
		}
		text, _ := file.Lookup("starling.metrics")
		var metrics map[string]metric.Metric
		must(t, json.Unmarshal([]byte(text), &metrics))
		if got := slices.Sorted(maps.Keys(metrics)); !slices.Equal(got, []string{"loss", "regret.expected"}) {
			t.Errorf("%s describes %q", name, got)
		}
		if metrics["loss"].Unit != "nats" || metrics["loss"].Summary != "mean loss" {
			t.Errorf("%s says of the loss %+v", name, metrics["loss"])
		}
	}
}
