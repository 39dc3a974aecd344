package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOpenReturnsWhatWasWritten(t *testing.T) {
	run, err := Open(writeRun(t))
	must(t, err)
	want := testManifest(StatusComplete)
	want.FormatVersion = FormatVersion
	want.Files = run.Manifest.Files // compared with the files by Open itself
	if diff := cmp.Diff(want, run.Manifest); diff != "" {
		t.Error(diff)
	}
	scenario, err := run.Scenario()
	must(t, err)
	if string(scenario) != "name: demo\n" {
		t.Errorf("scenario %q", scenario)
	}
	stop := errors.New("enough")
	if err := run.Rows(func(Row) error { return stop }); err != stop {
		t.Errorf("Rows: %v, want the visitor's error", err)
	}
}

func TestOpenNamesTheDamage(t *testing.T) {
	flip := func(text []byte) []byte { text[len(text)/2] ^= 1; return text }
	truncate := func(text []byte) []byte { return text[:len(text)-7] }
	empty := func([]byte) []byte { return nil }
	tests := map[string]struct {
		file   string
		change func([]byte) []byte // nil removes the file
		want   string
	}{
		"metrics truncated":  {metricsName, truncate, "metrics.parquet is damaged"},
		"metrics flipped":    {metricsName, flip, "metrics.parquet is damaged"},
		"metrics empty":      {metricsName, empty, "metrics.parquet is damaged"},
		"metrics missing":    {metricsName, nil, "metrics.parquet"},
		"summary flipped":    {summaryName, flip, "summary.parquet is damaged"},
		"scenario changed":   {scenarioName, flip, "scenario.yaml is damaged"},
		"manifest changed":   {manifestName, flip, "manifest.json was changed"},
		"manifest truncated": {manifestName, truncate, "manifest.json was changed"},
		"manifest missing":   {manifestName, nil, "manifest.json"},
		"complete empty":     {completeName, empty, "COMPLETE"},
		"complete missing":   {completeName, nil, "unfinished"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := writeRun(t)
			path := filepath.Join(dir, test.file)
			if test.change == nil {
				must(t, os.Remove(path))
			} else {
				text, err := os.ReadFile(path)
				must(t, err)
				must(t, os.WriteFile(path, test.change(text), 0o644))
			}
			if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Open: %v, want an error with %q", err, test.want)
			}
		})
	}
	if _, err := Open(filepath.Join(t.TempDir(), "nothing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Open of no folder: %v", err)
	}
}

// TestReadersNameDamagedFiles damages files behind the back of an open run.
func TestReadersNameDamagedFiles(t *testing.T) {
	run, err := Open(writeRun(t))
	must(t, err)
	text, err := os.ReadFile(run.path(metricsName))
	must(t, err)
	must(t, os.WriteFile(run.path(summaryName), text, 0o644))
	err = run.Summary(func(SummaryRow) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "summary.parquet has the wrong columns") {
		t.Errorf("Summary of another table: %v", err)
	}
	must(t, os.WriteFile(run.path(metricsName), text[:len(text)/2], 0o644))
	err = run.Rows(func(Row) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "metrics.parquet is damaged") {
		t.Errorf("Rows of half a file: %v", err)
	}
}

func TestManifestIsStrict(t *testing.T) {
	manifest := testManifest(StatusComplete)
	manifest.FormatVersion = FormatVersion
	text, err := manifest.encode()
	must(t, err)
	if !bytes.Contains(text, []byte("\n  \"description\": \"a <small> run & its folder\",\n")) {
		t.Errorf("not indented plain text:\n%s", text)
	}
	replace := func(old, new string) []byte { return bytes.Replace(text, []byte(old), []byte(new), 1) }
	tests := map[string]struct {
		text []byte
		want string
	}{
		"unknown field":  {replace(`"hash"`, `"hush"`), "hush"},
		"other format":   {replace(`"format_version": 1`, `"format_version": 2`), "this build reads 1"},
		"trailing text":  {append(bytes.Clone(text), "{}"...), "follows"},
		"truncated":      {text[:len(text)/2], "unexpected EOF"},
		"wrong type":     {replace(`"horizon": 2`, `"horizon": "2"`), "horizon"},
		"leaving folder": {replace(`"files": []`, `"files": [{"name": "../x"}]`), "leaves"},
		"no hash":        {replace(`"files": []`, `"files": [{"name": "x", "sha256": "00"}]`), "SHA-256"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := decodeManifest(test.text); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want an error with %q", err, test.want)
			}
		})
	}
}

// FuzzDecodeManifest: whatever is accepted is valid and survives another round.
func FuzzDecodeManifest(f *testing.F) {
	manifest := testManifest(StatusInterrupted)
	manifest.FormatVersion = FormatVersion
	text, err := manifest.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		first, err := decodeManifest(text)
		if err != nil {
			return
		}
		again, err := first.encode()
		must(t, err)
		second, err := decodeManifest(again)
		must(t, err)
		third, err := second.encode()
		must(t, err)
		if !bytes.Equal(again, third) {
			t.Errorf("%s\nbecomes\n%s", again, third)
		}
	})
}

// TestPrivacyRows checks that the rows of privacy.parquet are those that were
// added, and that nonsense is refused.
func TestPrivacyRows(t *testing.T) {
	dir := t.TempDir()
	folder := create(t, dir, testOptions())
	reading, negative := 0.25, -1.0
	want := []PrivacyRow{
		{Arm: "base", Seed: 7, Observer: "wire", Unit: 1, Units: 5, Step: 4, Definition: "pure", Epsilon: 1},
		{Arm: "base", Seed: 7, Observer: "wire", Unit: 1, Units: 5, Step: 9, Definition: "pure", Epsilon: 2.5, Final: true},
		{Arm: "base", Seed: 8, Observer: "public", Unit: 6, Units: 1, Step: 3, Definition: "zCDP", Epsilon: 0.5, Delta: 1e-3, Rho: 0.25, Final: true, Odometer: &reading},
		{Arm: "base", Seed: 9, Observer: "wire", Unit: 1, Units: 5, Step: 9, Definition: "not private", Epsilon: math.Inf(1), Final: true},
	}
	for _, row := range want {
		must(t, folder.AddPrivacy(row))
	}
	for _, bad := range []PrivacyRow{{Units: 0}, {Units: 1, Epsilon: math.NaN()}, {Units: 1, Epsilon: -1}, {Units: 1, Odometer: &negative}} {
		if folder.AddPrivacy(bad) == nil {
			t.Errorf("%+v was taken", bad)
		}
	}
	for _, job := range testJobs() {
		must(t, folder.WriteJob(job))
	}
	must(t, folder.Commit(testManifest(StatusComplete)))
	run, err := Open(dir)
	must(t, err)
	var got []PrivacyRow
	collect := func(row PrivacyRow) error { got = append(got, row); return nil }
	must(t, run.PrivacyCurves(collect))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	got = nil
	must(t, run.Privacy(collect))
	if diff := cmp.Diff(want[1:], got); diff != "" {
		t.Errorf("final rows: %s", diff)
	}
}

// TestManifestWithoutArithmetic checks that manifests of older versions are read.
func TestManifestWithoutArithmetic(t *testing.T) {
	m := testManifest(StatusComplete)
	m.FormatVersion = FormatVersion
	if m.Versions.Arithmetic != Arithmetic() {
		t.Errorf("the manifest names %q, want %q", m.Versions.Arithmetic, Arithmetic())
	}
	m.Versions.Arithmetic = ""
	text, err := json.Marshal(m)
	must(t, err)
	if strings.Contains(string(text), "arithmetic") {
		t.Fatalf("still there: %s", text)
	}
	_, err = decodeManifest(text)
	must(t, err)
}
