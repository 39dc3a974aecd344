package live_test

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"starling/scenarios/results"
	"starling/scenarios/results/live"
)

// whole is a file with everything in it.
func whole() *live.Run {
	speed, left := 120.5, 30.0
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return &live.Run{
		Format: live.Version, Scenario: "demo", Hash: "0123456789ab", Part: "3/16", State: live.Running, Process: 7, Host: "here", Started: at, Updated: at.Add(time.Minute),
		Elapsed: 60, ElapsedBefore: 5, Next: 1, Runs: live.Count{All: 4, Done: 2, Before: 1}, Steps: live.Count{All: 160, Done: 80, Before: 40},
		Speed: &speed, Left: &left, Workers: 2, Memory: 1 << 20, MemoryPeak: 2 << 20, Seeds: results.Seeds{Base: 1, Count: 2}, FirstStep: 1,
		Arms:     []live.ArmProgress{{Name: "a", Horizon: 40, Values: []results.Value{{Path: "x", Value: "1"}}, Seeds: "br", Running: []live.Job{{Seed: 2, Steps: 10}}}},
		Warnings: []live.Warning{{Code: "nobody", Arm: "a", Message: "seed 1: nobody took part"}}, WarningsMore: 3,
		Curves: []live.Curve{{Arm: "a", Metric: "loss.mean", Steps: []int64{1, 2}, Mean: []live.Float{0.5, 0.25}, SE: []live.Float{0.125, 0}, N: []int{2, 1}}},
	}
}

// TestWriteRead reads what was written, in place of what was there before.
func TestWriteRead(t *testing.T) {
	dir := t.TempDir()
	if r, err := live.Read(dir); r != nil || err != nil {
		t.Fatalf("%+v, %v where there is no file", r, err)
	}
	for range 2 {
		if err := whole().Write(dir); err != nil {
			t.Fatal(err)
		}
	}
	got, err := live.Read(dir)
	if err != nil || !reflect.DeepEqual(got, whole()) {
		t.Errorf("%+v, %v\nwant %+v", got, err, whole())
	}
	if got.Fraction() != 0.5 || got.Took() != 65 {
		t.Errorf("%v done in %v s", got.Fraction(), got.Took())
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("%v are there", entries)
	}
	for range 2 {
		if err := live.Remove(dir); err != nil {
			t.Error(err)
		}
	}
	if err := whole().Write(filepath.Join(dir, "no")); err == nil {
		t.Error("written into a folder that is not there")
	}
}

// TestFloat is null where a number is none.
func TestFloat(t *testing.T) {
	for x, want := range map[live.Float]string{0.5: "0.5", 1e300: "1e+300", live.Float(math.Inf(1)): "null", live.Float(math.NaN()): "null", 1.23456789: "1.23457"} {
		text, err := x.MarshalJSON()
		var back live.Float
		if err != nil || string(text) != want || back.UnmarshalJSON(text) != nil || math.IsNaN(float64(back)) != (want == "null") {
			t.Errorf("%v: %s (%v), back %v", x, text, err, back)
		}
	}
}

// FuzzDecode reads anything; what is read can be relied on.
func FuzzDecode(f *testing.F) {
	dir := f.TempDir()
	if err := whole().Write(dir); err != nil {
		f.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, live.Name))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"format":1,"steps":{"all":-1}}`))
	f.Add([]byte(`{"format":1,"curves":[{"steps":[1],"mean":[null],"se":[null],"n":[0]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := live.Decode(text)
		if err != nil {
			return
		}
		if share := r.Fraction(); !(share >= 0 && share <= 1) {
			t.Errorf("%v of the steps are done", share)
		}
		for _, c := range r.Curves {
			if len(c.Mean) != len(c.Steps) || len(c.SE) != len(c.Steps) || len(c.N) != len(c.Steps) {
				t.Errorf("%+v", c)
			}
		}
		if err := r.Write(t.TempDir()); err != nil {
			t.Error(err)
		}
	})
}
