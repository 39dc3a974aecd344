package dataset

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// What the texts of a column are ordered along.
const (
	alongNumbers = "a number"
	alongDates   = "a date or a time without a zone"
	alongZones   = "a time with a zone"
)

// Step is the place of a cell among those of its column, which orders rows: Order, and that of a
// date or time that is written as ISO 8601 has it, 2024-01-31 or 2024-01-31 23:59:59.5Z. along
// tells cells apart that have no order among themselves: numbers, times, and times with a zone.
func (c Cell) Step() (at Order, along string, err error) {
	switch {
	case c.as != nil:
		at, err = c.Order()
		return at, c.as.name, err
	case c.Look() == Time:
		return momentOf(c.Text)
	}
	at, err = c.Order()
	return at, alongNumbers, err
}

// isMoment is the form of dates and times that are ordered: nobody mistakes a month for a day.
var isMoment = regexp.MustCompile(`^(\d{4})-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?( ?(?:Z|UTC|[+-]\d{2}(?::?\d{2})?))?)?)?$`)

// momentOf is the place of a date or a time by its text.
func momentOf(text string) (at Order, along string, err error) {
	parts := isMoment.FindStringSubmatch(text)
	if parts == nil {
		return at, "", fmt.Errorf("got %q, a date or a time that is not written year first; write it as 2024-01-31 or 2024-01-31T23:59:59", text)
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
	nanoseconds, _ := strconv.Atoi((parts[7] + "000000000")[:9])
	moment := time.Date(year, time.Month(month), day, hour, minute, second, nanoseconds, time.UTC)
	// One that is not on the calendar is moved to another.
	if moment.Month() != time.Month(month) || moment.Day() != day || moment.Hour() != hour || moment.Minute() != minute || moment.Second() != second {
		return at, "", fmt.Errorf("got %q, a date or a time that there is not", text)
	}
	zone, zoned := zoneOf(strings.TrimSpace(parts[8]))
	if along = alongDates; zoned {
		along = alongZones
	}
	return Order{float64(moment.Unix() - zone), float64(nanoseconds)}, along, nil
}

// zoneOf is how many seconds a zone is ahead, such as +02:00 or Z.
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
