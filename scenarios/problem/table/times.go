package table

import (
	"math"
	"time"

	"starling/mechanisms/portable"
	"starling/scenarios/problem/dataset"
)

// TimeColumn is a column of dates or times with the parts of a moment that are features.
type TimeColumn struct {
	Name  string
	Parts []string
}

// The parts of a moment. A cycle is the sine and the cosine of its angle, so that its end is
// beside its beginning.
const (
	Days         = "days" // since 1970, with the time of the day as a fraction
	Year         = "year"
	Month        = "month"   // 1 to 12
	Day          = "day"     // 1 to 31
	Weekday      = "weekday" // 1 for Monday to 7
	Hour         = "hour"    // 0 to below 24, with minutes as a fraction
	YearCycle    = "year-cycle"
	MonthCycle   = "month-cycle"
	WeekdayCycle = "weekday-cycle"
	HourCycle    = "hour-cycle"
)

// TimeParts returns the parts of a moment in their order.
func TimeParts() []string {
	return []string{Days, Year, Month, Day, Weekday, Hour, YearCycle, MonthCycle, WeekdayCycle, HourCycle}
}

// timeNumber is a number of a moment; name follows the name of the column.
type timeNumber struct {
	name string
	of   func(time.Time) float64
}

// timeParts has the numbers of each part.
var timeParts = map[string][]timeNumber{
	Days:         {{Days, func(t time.Time) float64 { return float64(t.Unix())/86400 + float64(t.Nanosecond())/86400e9 }}},
	Year:         {{Year, func(t time.Time) float64 { return float64(t.Year()) }}},
	Month:        {{Month, func(t time.Time) float64 { return float64(t.Month()) }}},
	Day:          {{Day, func(t time.Time) float64 { return float64(t.Day()) }}},
	Weekday:      {{Weekday, weekday}},
	Hour:         {{Hour, hours}},
	YearCycle:    cycle("year", 365.25, func(t time.Time) float64 { return float64(t.YearDay() - 1) }),
	MonthCycle:   cycle("month", 12, func(t time.Time) float64 { return float64(t.Month() - 1) }),
	WeekdayCycle: cycle("weekday", 7, func(t time.Time) float64 { return weekday(t) - 1 }),
	HourCycle:    cycle("hour", 24, hours),
}

// weekday returns 1 for Monday to 7 for Sunday.
func weekday(t time.Time) float64 { return float64((t.Weekday()+6)%7 + 1) }

// hours returns the time of the day in hours.
func hours(t time.Time) float64 {
	return float64(t.Hour()) + float64(t.Minute())/60 + float64(t.Second())/3600
}

// cycle returns the sine and the cosine of a number that begins anew after a period.
func cycle(name string, period float64, of func(time.Time) float64) []timeNumber {
	angle := func(t time.Time) float64 { return 2 * math.Pi * of(t) / period }
	return []timeNumber{
		{name + "-sin", func(t time.Time) float64 { return portable.Sin(angle(t)) }},
		{name + "-cos", func(t time.Time) float64 { return portable.Cos(angle(t)) }},
	}
}

// momentOf reads the moments of the cells of a column. Numbers of one cell follow each other, so that
// the moment of the last text is kept.
type momentOf struct {
	text   []byte
	moment time.Time
}

// number returns a function that makes a number of the moment of a cell.
func (m *momentOf) number(of func(time.Time) float64) func(dataset.Cell) (float64, error) {
	return func(c dataset.Cell) (float64, error) {
		if c.Text != "" && c.Text == string(m.text) {
			return of(m.moment), nil
		}
		moment, err := c.Moment()
		if err != nil {
			return 0, err
		}
		m.text, m.moment = append(m.text[:0], c.Text...), moment
		return of(moment), nil
	}
}
