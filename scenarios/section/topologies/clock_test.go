package topologies

import (
	"testing"
	"time"
)

func TestClock(t *testing.T) {
	for text, want := range map[string]time.Duration{"20s": 20 * time.Second, "1.5h": 90 * time.Minute, "1d": 24 * time.Hour, "0.5d": 12 * time.Hour} {
		if c, err := clockOf(text); err != nil || c.Length() != int64(want) {
			t.Errorf("%s: %v, %v", text, c, err)
		}
	}
	for _, text := range []string{"20", "0s", "-1h", "d", "1e9d", "hour"} {
		if c, err := clockOf(text); err == nil {
			t.Errorf("%s: %v", text, c)
		}
	}
	for text, want := range map[string]string{
		"0": "1970-01-01T00:00:00Z", "1257150019.5": "2009-11-02T08:20:19.5Z", "2024-02-29": "2024-02-29T00:00:00Z",
		"2024-03-01T01:00:00+02:00": "2024-02-29T23:00:00Z", "2024-03-01 01:00": "2024-03-01T01:00:00Z",
	} {
		at, err := clockTime(text)
		if got := time.Unix(0, at).UTC().Format(time.RFC3339Nano); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"noon", "", "1e300", "NaN", "2024-13-01", "9999-01-01"} {
		if at, err := clockTime(text); err == nil {
			t.Errorf("%s: %d", text, at)
		}
	}
}
