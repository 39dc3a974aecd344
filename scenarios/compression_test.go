package scenarios_test

import (
	"strings"
	"testing"

	"starling/scenarios/runner"
)

// compressed are small scenarios whose messages a codec compresses.
var compressed = []string{"dpdonc, top-k", "effects, dithering", "ofl, sign", "dpfl, random-k", "choco", "choco, effects"}

// What codecs drop and draw is the same whatever executes the run: vectors are encoded
// where they are sent, from streams of their own.
func TestCompressionInvariance(t *testing.T) {
	for _, name := range compressed {
		text := families[name]
		s := loadText(t, text[0], text[1:]...)
		invariant(t, name, s, someEnginesOf(s))
	}
}

// Bytes on wires are those of the forms. A message of base has 5 bytes of head, and 2
// entries of 8 bytes.
func TestCompressionBytes(t *testing.T) {
	sent := func(overrides ...string) (bytes, messages float64) {
		for _, row := range metricsOf(t, loadText(t, base, append(overrides, "seeds.count=1")...), runner.RunOptions{Engine: runner.Lockstep}).Rows {
			switch row.Metric {
			case "bytes.sent":
				bytes = row.Value
			case "messages.sent":
				messages = row.Value
			}
		}
		return bytes, messages
	}
	plain, count := sent()
	if plain != count*(5+2*8) {
		t.Fatalf("%v bytes in %v messages", plain, count)
	}
	const head = 5 + 5 // of the message, and of the form
	for network, size := range map[string]float64{
		"{kind: ideal, compression: {kind: top-k, share: 0.5}}":                            head + 4 + 1 + 8,
		"{kind: ideal, compression: {kind: top-k, share: 0.5}, precision: float32}":        head + 4 + 1 + 4,
		"{kind: ideal, compression: {kind: random-k, share: 0.1}}":                         head + 4 + 8 + 8,
		"{kind: ideal, compression: {kind: dithering, levels: 3}}":                         head + 4 + 8 + 1,
		"{kind: ideal, compression: {kind: sign}, precision: float32}":                     head + 8 + 1,
		"{kind: effects, loss: {probability: 0.5}, compression: {kind: sign}}":             head + 8 + 1,
		"{kind: effects, loss: {probability: 0.5}, precision: float64, delay: {turns: 1}}": 5 + 2*8,
	} {
		if bytes, same := sent("network=" + network); same != count || bytes != count*size {
			t.Errorf("%s: %v bytes in %v messages, want %v in %v", network, bytes, same, count*size, count)
		}
	}
}

// What is paid does not depend on a codec: it sees the release alone.
func TestCompressionCostsNothing(t *testing.T) {
	spent := func(overrides ...string) (list []float64) {
		for _, row := range metricsOf(t, loadText(t, base, overrides...), runner.RunOptions{Engine: runner.Lockstep}).Rows {
			if row.Metric == "epsilon.total" {
				list = append(list, row.Value)
			}
		}
		return list
	}
	plain, signs := spent(), spent("network={kind: ideal, compression: {kind: sign}}")
	if len(plain) == 0 || len(plain) != len(signs) {
		t.Fatalf("%v and %v", plain, signs)
	}
	for i, v := range plain {
		if v != signs[i] {
			t.Errorf("%v, and %v compressed", plain, signs)
		}
	}
}

func TestCompressionErrors(t *testing.T) {
	for _, test := range []struct{ text, override, want string }{
		{base, "network={kind: ideal, compression: {kind: top-q}}", `network.compression.kind: unknown kind "top-q"; did you mean "top-k"?`},
		{base, "network={kind: ideal, compression: {kind: top-k}}", `network.compression: missing required key "share"`},
		{base, "network={kind: ideal, compression: {kind: top-k, share: 0}}", "network.compression.share: share 0; want"},
		{base, "network={kind: ideal, compression: {kind: dithering, levels: 65536}}", "network.compression.levels: 65536 levels; want"},
		{realizable, "network={kind: ideal, compression: {kind: sign}}", "network.compression: this algorithm sends choices or counts"},
		{trained, "network={kind: ideal, compression: {kind: sign}}", "network.compression: this algorithm sends choices or counts"},
		{base, "algorithm.consensus=push-sum|topology={kind: ring}|network={kind: ideal, compression: {kind: sign}}", "network.compression: push-sum sends masses"},
	} {
		if _, err := loadError(t, test.text, strings.Split(test.override, "|")...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.override, err, test.want)
		}
	}
}
