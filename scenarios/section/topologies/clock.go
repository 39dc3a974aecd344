package topologies

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"starling/actors/topology"
	"starling/scenarios/document"
)

// clock is the length of a step in nanoseconds. It reads seconds and dates.
type clock int64

// Length implements topology.Clock.
func (c clock) Length() int64 { return int64(c) }

// Time implements topology.Clock.
func (clock) Time(text string) (int64, error) { return clockTime(text) }

// clockOf returns the clock of contacts with steps of a length: a duration in s, m, h or d. An
// empty text is no clock. The error has the key bin.
func clockOf(text string) (topology.Clock, error) {
	if text == "" {
		return nil, nil
	}
	duration := text
	days, isDays := strings.CutSuffix(text, "d")
	if isDays {
		duration = days + "h"
	}
	length, err := time.ParseDuration(duration)
	if isDays && length <= math.MaxInt64/24 {
		length *= 24
	}
	if err != nil || length <= 0 {
		return nil, document.At("bin", "%q is no length of a step; want a duration such as 20s, 5m, 1h or 1d", text)
	}
	return clock(length), nil
}

// layouts are the dates and times that are read; without a zone they are UTC.
var layouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly}

// clockTime reads seconds or a date as nanoseconds.
func clockTime(text string) (int64, error) {
	const limit = math.MaxInt64 / 4 / int64(time.Second)
	if whole, err := strconv.ParseInt(text, 10, 64); err == nil && whole > -limit && whole < limit {
		return whole * int64(time.Second), nil
	}
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && math.Abs(seconds) < float64(limit) {
		whole, part := math.Modf(seconds)
		return int64(whole)*int64(time.Second) + int64(math.Round(float64(part*1e9))), nil
	}
	for _, layout := range layouts {
		if at, err := time.Parse(layout, text); err == nil && at.Year() > 1700 && at.Year() < 2250 {
			return at.UnixNano(), nil
		}
	}
	return 0, fmt.Errorf("the time is %q, want seconds or a date such as 2024-05-31 or 2024-05-31T08:15:00", text)
}
