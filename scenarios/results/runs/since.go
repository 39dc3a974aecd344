package runs

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// longestSpan bounds a time span before now, in days: a thousand years.
const longestSpan = 366_000

// spans are the units of time spans, longest first, with their lengths.
var spans = []struct {
	unit   string
	length time.Duration
}{{"w", 7 * 24 * time.Hour}, {"d", 24 * time.Hour}, {"h", time.Hour}, {"m", time.Minute}}

// ParseSince reads a time for Filter.Since: a day such as 2026-11-01, from its midnight in the
// time zone of now; a moment such as 2026-11-01T15:04; or a span before now, a whole number of
// weeks, days, hours or minutes such as 3d or 12h.
func ParseSince(text string, now time.Time) (time.Time, error) {
	for _, layout := range []string{time.DateOnly, "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02T15:04:05"} {
		if at, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return at, nil
		}
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	for _, span := range spans {
		digits, ok := strings.CutSuffix(text, span.unit)
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(digits, 10, 32)
		if err != nil || float64(n)*span.length.Hours() > 24*longestSpan {
			break
		}
		if days := int(n) * int(span.length/(24*time.Hour)); days > 0 {
			return now.AddDate(0, 0, -days), nil // days of clocks that were set have other lengths
		}
		return now.Add(-time.Duration(n) * span.length), nil
	}
	return time.Time{}, fmt.Errorf("time %q: want a day such as 2026-11-01, a moment such as 2026-11-01T15:04, or a span such as 3d, 12h, 30m or 2w", text)
}
