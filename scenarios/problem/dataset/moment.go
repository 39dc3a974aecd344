package dataset

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The scales along which the texts of a column are ordered.
const (
	alongNumbers = "a number"
	alongDates   = "a date or a time without a zone"
	alongZones   = "a time with a zone"
)

// Step returns the place of a cell in the order of its column, which orders rows. It takes the
// cells that Order takes, and also dates and times in the form of ISO 8601, 2024-01-31 or
// 2024-01-31 23:59:59.5Z. along names the scale: numbers, times, and times with a zone have no
// order among each other.
func (c Cell) Step() (at Order, along string, err error) {
	switch {
	case c.as != nil:
		at, err = c.Order()
		return at, c.as.name, err
	case c.Look() == Time:
		return momentOf(c.written())
	}
	at, err = c.Order()
	return at, alongNumbers, err
}

// isMoment matches dates and times that have an order: with the year first, the month is not
// mistaken for the day.
var isMoment = regexp.MustCompile(`^(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?: ?([AaPp])[Mm])?( ?(?:Z|UTC|[+-]\d{2}(?::?\d{2})?))?)?)?$`)

// Moment returns the moment of a cell with a date or a time: in UTC where it has a zone, else as
// it is written, under the name of UTC.
func (c Cell) Moment() (time.Time, error) {
	text := c.written()
	if c.as != nil && c.as.look == Time && !c.null {
		text = c.as.text(c.value)
	} else if c.Look() != Time {
		return time.Time{}, fmt.Errorf("got %s, want a date or a time", c)
	}
	moment, _, err := parseMoment(text)
	return moment, err
}

// momentOf returns the place of a date or a time by its text.
func momentOf(text string) (at Order, along string, err error) {
	moment, zoned, err := parseMoment(text)
	if err != nil {
		return at, "", err
	}
	if along = alongDates; zoned {
		along = alongZones
	}
	return Order{float64(moment.Unix()), float64(moment.Nanosecond())}, along, nil
}

// parseMoment returns the moment of a text, in UTC, and whether it has a zone.
func parseMoment(text string) (moment time.Time, zoned bool, err error) {
	parts := isMoment.FindStringSubmatch(text)
	if parts == nil {
		return moment, false, fmt.Errorf("got %q, a date or a time that is not written year first; write it as 2024-01-31 or 2024-01-31T23:59:59", text)
	}
	number := func(k, absent int) int {
		if parts[k] == "" {
			return absent
		}
		v, _ := strconv.Atoi(parts[k]) // it is digits
		return v
	}
	year, month, day := number(1, 0), number(2, 0), number(3, 1)
	hour, minute, second := number(4, 0), number(5, 0), number(6, 0)
	if half := parts[8]; half != "" {
		if hour < 1 || hour > 12 {
			return moment, false, fmt.Errorf("got %q, a time that there is not", text)
		}
		if hour %= 12; half == "p" || half == "P" {
			hour += 12
		}
	}
	nanoseconds, _ := strconv.Atoi((parts[7] + "000000000")[:9])
	moment = time.Date(year, time.Month(month), day, hour, minute, second, nanoseconds, time.UTC)
	// time.Date moves a date that is not on the calendar to another date.
	if moment.Month() != time.Month(month) || moment.Day() != day || moment.Hour() != hour || moment.Minute() != minute || moment.Second() != second {
		return moment, false, fmt.Errorf("got %q, a date or a time that there is not", text)
	}
	ahead, zoned := zoneOf(strings.TrimSpace(parts[9]))
	return moment.Add(-time.Duration(ahead) * time.Second), zoned, nil
}

// zoneOf returns the seconds by which a zone, such as +02:00 or Z, is ahead.
func zoneOf(text string) (ahead int64, zoned bool) {
	if text == "" {
		return 0, false
	}
	digits := strings.ReplaceAll(text[1:], ":", "")
	if text[0] == '+' || text[0] == '-' {
		hours, _ := strconv.Atoi(digits[:2])
		minutes, _ := strconv.Atoi(digits[2:])
		if ahead = int64(hours*3600 + minutes*60); text[0] == '-' {
			ahead = -ahead
		}
	}
	return ahead, true
}
