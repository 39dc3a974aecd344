package report

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
)

// TestLibraryIsPinned checks that the files of uPlot are those of its release 1.6.32.
func TestLibraryIsPinned(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"uPlot.iife.min.js", ChartLibrary, "4408ace91a18b4888998171e122da65b9ab28711c30f19a6a591491c5a82caf1"},
		{"uPlot.min.css", ChartLibraryStyle, "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04"},
		{"uPlot.LICENSE", ChartLicense, "8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd"},
	} {
		sum := sha256.Sum256([]byte(test.text))
		if got := hex.EncodeToString(sum[:]); got != test.want {
			t.Errorf("%s has SHA-256 %s, want %s", test.name, got, test.want)
		}
	}
}
