package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"
)

// Numbers have the bits of strconv.ParseFloat, and texts that are no numbers are none.
func TestDecimal(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const letters = "0123456789000999..--+eE"
	quick := 0
	for k := range 1_000_000 {
		var text string
		switch k % 4 {
		case 0: // any characters
			for range 1 + random.IntN(20) {
				text += string(letters[random.IntN(len(letters))])
			}
		case 1: // any float64
			text = strconv.FormatFloat(math.Float64frombits(random.Uint64()), 'g', -1, 64)
		case 2: // decimals
			text = strconv.FormatFloat(random.NormFloat64()*math.Pow(10, float64(random.IntN(9))), 'f', random.IntN(13), 64)
		default: // whole numbers around the greatest exact one
			text = strconv.FormatInt(1<<53-500+random.Int64N(1000), 10)
		}
		want, err := strconv.ParseFloat(text, 64)
		if got, ok := decimal(text); ok {
			quick++
			if err != nil || math.Float64bits(got) != math.Float64bits(want) {
				t.Fatalf("%q: %v, want %v, %v", text, got, want, err)
			}
		}
		if got, ok := (Cell{Text: text}).Number(); ok != (err == nil) || ok && got != want && !math.IsNaN(want) {
			t.Fatalf("%q: %v, %v; want %v, %v", text, got, ok, want, err)
		}
	}
	if quick < 300_000 {
		t.Errorf("%d of 1,000,000 texts were quick", quick)
	}
	for _, text := range []string{"", ".", "-", "+.", "1..2", "-0", "000.000", "5.", ".5", "+7", "00000000000000000001"} {
		want, err := strconv.ParseFloat(text, 64)
		if got, ok := decimal(text); ok && (err != nil || math.Float64bits(got) != math.Float64bits(want)) {
			t.Errorf("%q: %v, want %v, %v", text, got, want, err)
		}
	}
}

// Moments are those of the general form, and days that there are not are none.
func TestPlainMoment(t *testing.T) {
	for day := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() < 10000; day = day.AddDate(0, 0, 1) {
		text := day.Format("2006-01-02")
		if got, ok := plainMoment(text); !ok || !got.Equal(day) || got.Location() != time.UTC {
			t.Fatalf("%s: %v, %v", text, got, ok)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	quick, none := 0, 0
	for range 200_000 {
		text := fmt.Sprintf("%04d-%02d-%02d%c%02d:%02d:%02d", random.IntN(10000), random.IntN(14), random.IntN(33), "T x"[random.IntN(3)], random.IntN(25), random.IntN(61), random.IntN(61))
		if random.IntN(2) == 0 {
			at := random.IntN(len(text))
			text = text[:at] + string("0123456789-:T /z"[random.IntN(16)]) + text[at+1:]
		}
		want, _, err := parseMoment(text)
		got, ok := plainMoment(text)
		if ok {
			quick++
		} else {
			none++
		}
		if ok && (err != nil || !got.Equal(want)) {
			t.Fatalf("%s: %v, want %v, %v", text, got, want, err)
		}
		if looks := (Cell{Text: text}).Look() == Time; ok && !looks {
			t.Fatalf("%s is quick, and no time by its look", text)
		}
	}
	if quick < 10_000 || none < 10_000 {
		t.Errorf("%d moments, %d others", quick, none)
	}
}
