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
	case c.as() != nil:
		at, err = c.Order()
		return at, c.as().name, err
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
	if c.as() == nil && !c.null() && !c.foreign() {
		if moment, ok := plainMoment(text); ok {
			return moment, nil
		}
	}
	if c.as() != nil && c.as().look == Time && !c.null() {
		text = c.as().text(c.more.value)
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

// plainMoment returns the moment of a date, 2024-01-31, or of a date with a time of the day,
// 2024-01-31T23:59:59; ok is false for all other texts, and for days that there are not. It is
// parseMoment for the texts that are most frequent.
func plainMoment(text string) (moment time.Time, ok bool) {
	const date, whole = len("2024-01-31"), len("2024-01-31T23:59:59")
	if len(text) != date && len(text) != whole || text[4] != '-' || text[7] != '-' {
		return moment, false
	}
	century, a := twoDigits(text[0:])
	years, b := twoDigits(text[2:])
	month, c := twoDigits(text[5:])
	day, d := twoDigits(text[8:])
	if !(a && b && c && d) || month < 1 || month > 12 || day < 1 {
		return moment, false
	}
	year := 100*century + years
	if day > daysOf[month-1] && !(month == 2 && day == 29 && year%4 == 0 && (year%100 != 0 || year%400 == 0)) {
		return moment, false
	}
	seconds := 0
	if len(text) == whole {
		hour, a := twoDigits(text[11:])
		minute, b := twoDigits(text[14:])
		second, c := twoDigits(text[17:])
		if !(a && b && c) || hour > 23 || minute > 59 || second > 59 || text[13] != ':' || text[16] != ':' || text[10] != 'T' && text[10] != ' ' {
			return moment, false
		}
		seconds = (hour*60+minute)*60 + second
	}
	return time.Unix(int64(daysBefore(year, month)+day-1)*86400+int64(seconds), 0).UTC(), true
}

// twoDigits returns the number of the first two characters of a text.
func twoDigits(text string) (v int, ok bool) {
	a, b := text[0]-'0', text[1]-'0'
	return 10*int(a) + int(b), a <= 9 && b <= 9
}

// daysOf are the days of the months of a year that is no leap year.
var daysOf = [12]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// daysBefore returns the days from 1970-01-01 to the first of a month, by years that begin in March:
// then the leap day is the last of a year, and five months have 153 days.
func daysBefore(year, month int) int {
	if month -= 3; month < 0 {
		year, month = year-1, month+12
	}
	const shift, cycle, perCycle, before1970 = 400, 400, 146097, 719468
	year += shift // so that no quotient is of a negative number
	era, of := year/cycle, year%cycle
	return era*perCycle - perCycle + 365*of + of/4 - of/100 + (153*month+2)/5 - before1970
}
