package networks

import (
	"math"
	"strings"
	"testing"

	"starling/messages"
)

// shareThere is the share of clients that are there, of n from 1, at a second.
func shareThere(p *Presence, n int, second float64) float64 {
	there := 0
	for client := range n {
		if p.There(messages.NodeID(client+1), second) {
			there++
		}
	}
	return float64(there) / float64(n)
}

// near reports a share of n that is farther than four standard deviations from its probability.
func near(t *testing.T, of string, got, want float64, n int) {
	t.Helper()
	if math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/float64(n)) {
		t.Errorf("%s: %v are there, want %v", of, got, want)
	}
}

// TestShareOfTimeOn: on-off clients are there for on/(on + off) of the time, at the beginning of a day, in
// its middle and at its end, and one that is there is so after t with probability
// p + (1 - p) exp(-t(1/on + 1/off)).
func TestShareOfTimeOn(t *testing.T) {
	const n, on, off = 20000, 1800.0, 5400.0
	p := (&Availability{Law: onOff, On: on, Off: off}).Draw(3, nil)
	for _, second := range []float64{0, 1, 40000, day - 1, day, 3*day + 5000} {
		near(t, "on-off", shareThere(p, n, second), 0.25, n)
	}
	const from, later = 10000.0, 900.0
	first, both := 0, 0
	for client := range messages.NodeID(n) {
		if p.There(client+1, from) {
			first++
			if p.There(client+1, from+later) {
				both++
			}
		}
	}
	near(t, "later", float64(both)/float64(first), 0.25+0.75*math.Exp(-later*(1/on+1/off)), first)
}

// TestShareOfADay: the probability of a periodic client is that of the hour of its own day, and it stays
// for an hour.
func TestShareOfADay(t *testing.T) {
	const n = 20000
	a := &Availability{Law: periodic, Mean: 0.3, Swing: 0.4, Peak: 2, Zones: []Zone{{Share: 0.5}, {Share: 0.5, Hours: 12}}}
	p := a.Draw(3, nil)
	for _, of := range []struct{ hours, first, second float64 }{{2, 0.7, 0}, {8, 0.3, 0.3}, {14, 0, 0.7}, {26, 0.7, 0}, {6, 0.5, 0.1}} {
		near(t, "periodic", shareThere(p, n, of.hours*hour), (of.first+of.second)/2, n)
	}
	for client := messages.NodeID(1); client < 100; client++ {
		if p.Zone(client) == 1 && p.There(client, 2*hour) {
			t.Errorf("client %d is there at its noon", client)
		}
	}
}

// TestTraces: clients follow the traces of a file in equal shares, and begin them anew at their length, by
// the time of their zone.
func TestTraces(t *testing.T) {
	const n = 20000
	text := "trace,on,off\na,0,100\nb,50,150\na,200,250\n# a comment\nb,150,160\n"
	traces, err := parseTraces("t.csv", []byte(text), 400)
	if err != nil {
		t.Fatal(err)
	}
	p := (&Availability{Law: byTraces, File: "t.csv"}).Draw(1, traces)
	for second, want := range map[float64]float64{0: 0.5, 75: 1, 100: 0.5, 149: 0.5, 155: 0.5, 160: 0, 225: 0.5, 250: 0, 399: 0, 400: 0.5, 475: 1} {
		near(t, "traces", shareThere(p, n, second), want, n)
	}
	ahead := (&Availability{Law: byTraces, Zones: []Zone{{Share: 1, Hours: -0.1}}}).Draw(1, traces) // 360 s
	near(t, "traces of a zone", shareThere(ahead, n, 360+75), 1, n)
	if traces, err = parseTraces("t.csv", []byte(text), 0); err != nil || traces.length != 250 {
		t.Errorf("length %v, error %v", traces, err)
	}
	for text, want := range map[string]string{
		"":                                     "t.csv:1: want the columns trace, on, off, each once, in the first line, which has []",
		"trace,on,off\n":                       "t.csv:1: the file has no rows; want the columns trace, on, off",
		"trace,on\n1,2\n":                      `t.csv:1: want the columns trace, on, off, each once, in the first line, which has ["trace" "on"]`,
		"trace,on,off\n1,5,3\n":                "t.csv:2: trace 1 goes back: it is on at 5 s and off at 3 s",
		"trace,on,off\n1,5,9\n2,1,2\n1,8,12\n": "t.csv:4: trace 1 goes back: it is on at 8 s, before 9 s, the end of its row before",
		"trace,on,off\n1,5\n":                  "t.csv:2: wrong number of fields",
		"trace,on,off\n1,-5,9\n":               `t.csv:2: "-5" is no number of seconds`,
		"trace,on,off\n1,5,900\n":              "t.csv: a trace goes on until 900 s, beyond the length, 400 s",
	} {
		if _, err := parseTraces("t.csv", []byte(text), 400); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

// FuzzTraces reads any text as traces: what is taken has ascending spans within its length, and a client is
// there where a span of its trace has the second.
func FuzzTraces(f *testing.F) {
	f.Add("trace,on,off\na,0,100\na,200,250\nb,50,60\n", 400.0, 410.0)
	f.Add("trace,on,off\na,0,1e9\n", 0.0, -1.5)
	f.Add("trace,on,off\na,5,4\n\"", 0.0, 0.0)
	f.Fuzz(func(t *testing.T, text string, length, second float64) {
		if !(length >= 0 && length <= 1e9 && math.Abs(second) <= 1e12) {
			return // refused by the section, or no time of a run
		}
		traces, err := parseTraces("t.csv", []byte(text), length)
		if err != nil {
			return
		}
		at := math.Mod(second, traces.length)
		if at < 0 {
			at += traces.length
		}
		for i, of := range traces.list {
			there, last := false, 0.0
			for _, s := range of {
				if !(last <= s.on && s.on < s.off && s.off <= traces.length) {
					t.Errorf("trace %d: %+v, of length %v", i, of, traces.length)
				}
				there, last = there || s.on <= at && at < s.off, s.off
			}
			if u := (float64(i) + 0.5) / float64(len(traces.list)); traces.on(u, second) != there {
				t.Errorf("trace %d: %v at second %v, want %v", i, !there, second, there)
			}
		}
	})
}
