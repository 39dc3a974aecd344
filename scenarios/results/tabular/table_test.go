package tabular

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTable(t *testing.T) {
	table := Table{
		Header: []string{"arm", "regret", "ε", "note"},
		Rows: [][]string{
			{"base", FormatEstimate(12.345, 0.67), "1", "ok"},
			{"1 long name", "inf", "10", ""},
			{"c", "", "0.5", "two words"},
		},
	}
	var got strings.Builder
	if err := table.Write(&got); err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		"arm                regret    ε  note",
		"base         12.35 ± 0.67    1  ok",
		"1 long name           inf   10",
		"c                          0.5  two words",
		"",
	}, "\n")
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Error(diff)
	}
	table.Rows[1] = table.Rows[1][:2]
	if err := table.Write(&got); err == nil || !strings.Contains(err.Error(), "row 2") {
		t.Errorf("short row: %v", err)
	}
}

func TestFormatEstimate(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	tests := []struct {
		value, se float64
		want      string
	}{
		{0.1234, 0.0012, "0.1234 ± 0.0012"},
		{0.1 + math.Sqrt(0.04), 0, "0.3 ± 0"}, // 0.30000000000000004
		{0.12344, 0.00996, "0.123 ± 0.010"},   // the error rounds up a place
		{-3.14159, 0.25, "-3.14 ± 0.25"},
		{123.456, 9.96, "123 ± 10"},
		{12345.6, 678, "12346 ± 678"},
		{12340000, 120000, "(1.234 ± 0.012)e+07"},
		{0.00001234, 0.00000056, "(1.234 ± 0.056)e-05"},
		{0.001, 5, "0.0 ± 5.0"},
		{1, 1e-12, "1.000000000 ± 1.0e-12"},
		{0.1, 0, "0.1 ± 0"},
		{0.123456, nan, "0.1235"},
		{0.123456, inf, "0.1235"},
		{inf, nan, "inf"},
		{-inf, 1, "-inf"},
		{nan, 1, "NaN"},
		{42, nan, "42"},
		{12345678, nan, "1.235e+07"},
	}
	for _, test := range tests {
		if got := FormatEstimate(test.value, test.se); got != test.want {
			t.Errorf("FormatEstimate(%v, %v) = %q, want %q", test.value, test.se, got, test.want)
		}
	}
}

// TestFormatValue has four digits, and below a million no exponent.
func TestFormatValue(t *testing.T) {
	for value, want := range map[float64]string{0.12344: "0.1234", 12622.4: "12622", -12622.4: "-12622", 999999.4: "999999", 999999.6: "1e+06", 12345678: "1.235e+07", 1000: "1000"} {
		if got := FormatValue(value); got != want {
			t.Errorf("%v: %s, want %s", value, got, want)
		}
	}
}
