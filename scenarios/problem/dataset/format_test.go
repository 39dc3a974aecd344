package dataset

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestPlainNumber holds the numbers of a format against regular expressions, over texts that are
// drawn of their characters.
func TestPlainNumber(t *testing.T) {
	for _, f := range []Format{{Decimal: ","}, {Decimal: ",", Thousands: "."}, {Thousands: ","}, {Thousands: "'"}, {Decimal: ",", Thousands: "\u202f"}} {
		digits := `\d+`
		if f.Thousands != "" {
			digits = `(?:\d{1,3}(?:` + regexp.QuoteMeta(f.Thousands) + `\d{3})+|\d+)`
		}
		mark := regexp.QuoteMeta(f.decimal())
		number := regexp.MustCompile(`^[+-]?(?:` + digits + `(?:` + mark + `\d*)?|` + mark + `\d+)(?:[eE][+-]?\d+)?$`)
		r := newCellReader(f)
		pieces := []string{"1", "12", "123", "000", "4567", ".", ",", "'", "\u202f", "-", "+", "e", "E", "x", " "}
		rapid.Check(t, func(t *rapid.T) {
			text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 7).Draw(t, "pieces"), "")
			want := ""
			if number.MatchString(text) {
				want = text
				if f.Thousands != "" {
					want = strings.ReplaceAll(want, f.Thousands, "")
				}
				want = strings.Replace(want, f.decimal(), ".", 1)
			}
			if got := r.plainNumber(text); got != want {
				t.Fatalf("%+v: %q is %q, want %q", f, text, got, want)
			}
		})
	}
}

// TestFormatIsChecked holds that formats that contradict themselves are refused at their key.
func TestFormatIsChecked(t *testing.T) {
	for want, f := range map[string]Format{
		"":                                 {},
		"encoding: is \"utf-7\"":           {Encoding: "utf-7"},
		"delimiter: is \";;\"":             {Delimiter: ";;"},
		"delimiter: is \"\\\"\"":           {Delimiter: `"`},
		"decimal: is \";\"":                {Decimal: ";"},
		"thousands: is \".\", as is":       {Thousands: "."},
		"thousands: is \"x\", want one of": {Thousands: "x"},
		"dates: is \"first\", want one of": {Dates: "first"},
	} {
		err := f.Validate()
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", f, err, want)
		}
	}
}
