package view

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"starling/scenarios/results/live"
	"starling/scenarios/results/runs"
)

// A kept headline holds for the same files alone: other sizes or times, a damaged file and another
// program are read anew.
func TestKeptHeadlines(t *testing.T) {
	folder := t.TempDir()
	run := filepath.Join(folder, "a", "b")
	file := filepath.Join(run, "summary.parquet")
	past := time.Now().Add(-time.Hour)
	write := func(text string, at time.Time) {
		if err := os.MkdirAll(run, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
	write("one", past)
	files, _ := filesOf(run)
	put := func() {
		k := OpenKept(folder)
		h := &Headline{Arm: "x", Value: 0.12345004999999, Epsilon: live.Float(math.Inf(1)), Unbounded: true}
		k.keep(filepath.Join("a", "b"), keptHeadline{Files: files, Headline: h, Read: true, Value: allDigits(h.Value), Epsilon: allDigits(h.Epsilon)}, true)
		k.Save()
	}
	put()
	if h := OpenKept(folder).Of(run, nil); h == nil || h.Value != 0.12345004999999 || !math.IsInf(float64(h.Epsilon), 1) {
		t.Fatalf("%+v", h)
	}
	for name, change := range map[string]func(){
		"another size": func() { write("three", past) },
		"another time": func() { write("two", past.Add(time.Nanosecond*1000)) },
		"a damaged file": func() {
			if err := os.WriteFile(filepath.Join(folder, KeptFile), []byte("{"), 0o644); err != nil {
				t.Fatal(err)
			}
		},
		"no file": func() {
			if err := os.Remove(filepath.Join(folder, KeptFile)); err != nil {
				t.Fatal(err)
			}
		},
	} {
		write("one", past)
		put()
		change()
		if h := OpenKept(folder).Of(run, nil); h != nil { // the folder has no run that can be read
			t.Errorf("%s: %+v", name, h)
		}
	}
	write("one", past)
	put()
	count := 0
	read := func() runs.Settings {
		count++
		return runs.Settings{Description: "d", Values: map[string]string{"nodes": "3"}}
	}
	for range 2 {
		settings := OpenKept(folder)
		if s := settings.Settings(run, read); s.Description != "d" || s.Values["nodes"] != "3" {
			t.Errorf("settings %+v", s)
		}
		if h := settings.Of(run, nil); h == nil || h.Value != 0.12345004999999 {
			t.Errorf("headline beside settings: %+v", h)
		}
		settings.Save()
	}
	if count != 1 {
		t.Errorf("settings are read %d times, want once", count)
	}
	k := OpenKept(folder)
	k.program, k.was = "other", nil
	k.keep("c", keptHeadline{}, true)
	k.Save()
	if h := OpenKept(folder).Of(run, nil); h != nil {
		t.Errorf("of another program: %+v", h)
	}
}
