package forecast_test

import (
	"testing"

	"starling/scenarios/forecast"
)

// Three digits are enough, and none of them is an exponent.
func TestFormatBytes(t *testing.T) {
	for bytes, want := range map[int64]string{
		0: "0 bytes", 999: "999 bytes", 1000: "0.977 KiB", 1020: "0.996 KiB", 1024: "1 KiB", 1000 << 10: "0.977 MiB", 1023 << 10: "0.999 MiB", 112 << 20: "112 MiB",
		1<<30 + 1<<25: "1.03 GiB", 5000 << 40: "5000 TiB",
	} {
		if got := forecast.FormatBytes(bytes); got != want {
			t.Errorf("%d: %s, want %s", bytes, got, want)
		}
	}
}
