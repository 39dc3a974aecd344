package aggregation

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"starling/messages"
	"starling/scenarios/section/networks"
)

// paced is the time of a client, from 1, which takes longer the larger its number is.
func paced(client messages.NodeID, _ int) float64 { return 1 + 0.37*float64(client) }

// TestArrivalsByAPlainLoop: of clients that are all at work or waiting for their buffer, the reports are
// those of a loop over clients, in which the next is the one that ends first.
func TestArrivalsByAPlainLoop(t *testing.T) {
	const clients, steps = 7, 40
	for _, buffer := range []int{1, 2, 5, 7} {
		a := arrive(t, Participation{Rate: 1, Groups: 1, Apart: 1}, Concurrency{Most: clients, Buffer: buffer}, clients, steps, 0, paced)
		var until [clients]float64
		var version [clients]int
		for i := range until {
			until[i] = paced(messages.NodeID(i+1), 0)
		}
		now := 0.0
		for step := 1; step <= steps; step++ {
			var come []messages.NodeID
			var versions []int
			for len(come) < buffer {
				next := -1
				for i, at := range until {
					if !slices.Contains(come, messages.NodeID(i+1)) && (next < 0 || at < until[next]) {
						next = i
					}
				}
				come, versions, now = append(come, messages.NodeID(next+1)), append(versions, version[next]), until[next]
				// With a buffer of less than all, one that has reported waits for the step.
			}
			for _, client := range come {
				until[client-1], version[client-1] = now+paced(client, 0), step
			}
			total := 0.0
			for s := 1; s <= step; s++ {
				total += a.Seconds(s)
			}
			if math.Abs(total-now) > 1e-12*now {
				t.Fatalf("buffer of %d: step %d at %v s, want %v", buffer, step, total, now)
			}
			for i, client := range come {
				if got, taken := a.Version(step, int(client)); !taken || got != versions[i] {
					t.Fatalf("buffer of %d: step %d has client %d with version %d, %v, want %d", buffer, step, client, got, taken, versions[i])
				}
			}
			if got := len(a.Of(step)); got != buffer {
				t.Fatalf("step %d has %d reports, want %d", step, got, buffer)
			}
		}
	}
}

// arrive is Arrive of a rule with a concurrency, under seed 1.
func arrive(t testing.TB, p Participation, of Concurrency, clients, steps, seats int, seconds func(messages.NodeID, int) float64) *Arrivals {
	t.Helper()
	rule, err := p.WithConcurrency(of, clients, steps)
	if err != nil {
		t.Fatal(err)
	}
	a, err := rule.Arrive(1, clients, steps, seats, nil, lasting(seconds))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestArrivalsAlike: clients of one speed come together, in the order of their numbers. As many as a buffer
// have no staleness, and one after the other they are sequential.
func TestArrivalsAlike(t *testing.T) {
	one := func(messages.NodeID, int) float64 { return 3 }
	for _, c := range []struct{ most, buffer, staleness int }{{1, 1, 0}, {10, 10, 0}, {20, 10, 1}, {30, 10, 2}} {
		a := arrive(t, Participation{Rate: 1, Groups: 1, Apart: 1}, Concurrency{c.most, c.buffer}, 500, 60, c.most+c.buffer-1, one)
		for step := 1; step <= 60; step++ {
			// The buffers that are filled at one time are so many server steps old.
			per := c.most / c.buffer
			seconds, age := 0.0, (step-1)%per
			if age == 0 {
				seconds = 3
			}
			if got := a.Seconds(step); got != seconds {
				t.Fatalf("%v: step %d takes %v s, want %v", c, step, got, seconds)
			}
			if age > 0 && slices.Max(a.Of(step-1)) >= slices.Min(a.Of(step)) {
				t.Fatalf("%v: at one time step %d has clients %v, and the next %v", c, step-1, a.Of(step-1), a.Of(step))
			}
			for k := range a.Of(step) {
				version, taken := a.Version(step, int(a.SeatOf(step, k)))
				if !taken || step-1-version != age || age > c.staleness {
					t.Fatalf("%v: step %d has version %d, want an age of %d", c, step, version, age)
				}
			}
		}
	}
}

// TestArrivalsKeepTheirRules: clients of random speeds take their turns by the timers, no client is at work
// twice, and never are more at work than may be. A client begins with the newest model, and a seat has one
// client at a time.
func TestArrivalsKeepTheirRules(t *testing.T) {
	const steps = 200
	times := 3
	clock := networks.Clock{Compute: &networks.Speed{Median: 1, Spread: 1.5}, Jitter: 0.5}
	speeds := clock.Draw(4)
	seconds := func(client messages.NodeID, step int) float64 {
		return speeds.Seconds(client, step, networks.Work{Samples: 1})
	}
	for _, c := range []struct {
		p       Participation
		of      Concurrency
		clients int
	}{
		{Participation{Rate: 1, Groups: 1, Apart: 1}, Concurrency{50, 10}, 60},
		{Participation{Rate: 1, Groups: 1, Apart: 4}, Concurrency{25, 10}, 100},
		{Participation{Rate: 1, Groups: 1, Apart: 9, Times: &times}, Concurrency{100, 5}, 1000},
		{Participation{Rate: 1, Groups: 1, Apart: 1}, Concurrency{40, 1}, 40},
	} {
		seats := min(c.clients, c.of.Most+c.of.Buffer-1)
		a := arrive(t, c.p, c.of, c.clients, steps, seats, seconds)
		now := make([]float64, steps+1)
		last, came := map[messages.NodeID]int{}, map[messages.NodeID]int{}
		taken := make([]int, seats+1) // the last step of the client before
		var intervals [][2]float64
		for step := 1; step <= steps; step++ {
			now[step] = now[step-1] + a.Seconds(step)
			if n := len(a.Of(step)); n != c.of.Buffer {
				t.Fatalf("%v: step %d has %d reports", c, step, n)
			}
			for k, client := range a.Of(step) {
				seat := int(a.SeatOf(step, k))
				version, _ := a.Version(step, seat)
				if before, ok := last[client]; ok && (step-before < c.p.Apart || version < before) {
					t.Errorf("%v: client %d reports to steps %d and %d, of which it began after %d", c, client, before, step, version)
				}
				last[client] = step
				came[client]++
				if version < taken[seat] || !slices.Contains(a.Begun(version), int32(seat)) {
					t.Errorf("%v: a client of step %d takes seat %d at version %d, which is taken up to step %d", c, step, seat, version, taken[seat])
				}
				taken[seat] = step
				// It begins while its version is the newest, and reports between two steps.
				took := seconds(client, version+1)
				if from, to := now[version], now[step]; took > to-from+1e-9 || version+1 < steps && took < now[step-1]-now[version+1]-1e-9 {
					t.Errorf("%v: client %d takes %v s from step %d, %v s, to %d, %v s", c, client, took, version, from, step, to)
				}
				intervals = append(intervals, [2]float64{now[version], now[step]})
			}
		}
		for client, n := range came {
			if c.p.Times != nil && n > times {
				t.Errorf("%v: client %d comes %d times", c, client, n)
			}
		}
		if a.Unique(steps) != len(came) || len(intervals) != steps*c.of.Buffer {
			t.Errorf("%v: %d clients in %d reports, want %d", c, a.Unique(steps), len(intervals), len(came))
		}
	}
}

// TestArrivalsRefuse: timers that may leave the server waiting for nobody are refused, and those that just
// do not are not.
func TestArrivalsRefuse(t *testing.T) {
	one := 1
	for _, c := range []struct {
		p       Participation
		clients int
		refused bool
	}{
		{Participation{Rate: 1, Groups: 1, Apart: 3}, 30, false}, {Participation{Rate: 1, Groups: 1, Apart: 3}, 29, true},
		{Participation{Rate: 1, Groups: 1, Apart: 1, Times: &one}, 200, false}, {Participation{Rate: 1, Groups: 1, Apart: 1, Times: &one}, 199, true},
	} {
		_, err := c.p.WithConcurrency(Concurrency{40, 10}, c.clients, 20)
		if c.refused != (err != nil && strings.Contains(err.Error(), "buffer: the server may wait for the last report")) {
			t.Errorf("%+v: %v", c, err)
		}
		if !c.refused {
			arrive(t, c.p, Concurrency{40, 10}, c.clients, 20, 0, paced)
		}
	}
}

// BenchmarkArrivals is of a report: the time of an operation is that of a client.
func BenchmarkArrivals(b *testing.B) {
	clock := networks.Clock{Compute: &networks.Speed{Median: 0.0136, Spread: 0.6}, Upload: &networks.Speed{Median: 200000, Spread: 1}}
	for _, most := range []int{100, 10_000} {
		b.Run(fmt.Sprint(most), func(b *testing.B) {
			speeds := clock.Draw(1)
			steps := b.N/100 + 1
			arrive(b, Participation{Rate: 1, Groups: 1, Apart: 1}, Concurrency{most, 100}, 1_000_000, steps, most+99, func(client messages.NodeID, step int) float64 {
				return speeds.Seconds(client, step, networks.Work{Up: 800, Samples: 10})
			})
		})
	}
}

// TestArrivalsWhileThere: a client begins only while it is there, and at once with the newest model. A server
// that finds nobody waits. Zones are compared by a plain count of reports.
func TestArrivalsWhileThere(t *testing.T) {
	const clients, steps = 40, 400
	of := networks.Availability{Law: "periodic", Mean: 0.1, Swing: 0.6, Zones: []networks.Zone{{Share: 0.25}, {Share: 0.75, Hours: 4}}}
	there := of.Draw(1, nil)
	seconds := func(client messages.NodeID, _ int) float64 { return 300 + 17*float64(client) }
	for _, seats := range []int{0, 3} {
		rule, err := Participation{Rate: 1, Groups: 1, Apart: 1}.WithConcurrency(Concurrency{Most: 3, Buffer: 1}, clients, steps)
		if err != nil {
			t.Fatal(err)
		}
		a, err := rule.Arrive(1, clients, steps, seats, there, lasting(seconds))
		if err != nil {
			t.Fatal(err)
		}
		ends, reports, longest := make([]float64, steps+1), [2]float64{}, 0.0
		for step := 1; step <= steps; step++ {
			ends[step] = ends[step-1] + a.Seconds(step)
			client := a.Of(step)[0]
			begun := ends[step] - seconds(client, 0)
			if !there.There(client, begun+1e-6) {
				t.Fatalf("client %d began at second %v, and was away", client, begun)
			}
			version, _ := a.Version(step, int(a.SeatOf(step, 0)))
			if ends[version] > begun+1e-6 || ends[version+1] <= begun-1e-6 {
				t.Fatalf("step %d: the client began at second %v with the model of step %d, at %v to %v", step, begun, version, ends[version], ends[version+1])
			}
			longest = max(longest, a.Seconds(step))
			reports[there.Zone(client)]++
			shares := [2]float64{reports[0] / (0.25 * float64(step)), reports[1] / (0.75 * float64(step))}
			rare, common := a.Zones(step)
			if a.Zone(step) != min(shares[0], shares[1], 1) || shares[rare] > shares[common] || shares[rare] != min(shares[0], shares[1]) {
				t.Fatalf("step %d: the fewest have %v, zones %d and %d, want of %v", step, a.Zone(step), rare, common, shares)
			}
		}
		if longest < 4*3600 {
			t.Errorf("the longest step takes %v s, want one through the day", longest)
		}
	}
	away := networks.Availability{Law: "periodic", Mean: 1e-9}
	rule, err := Participation{Rate: 1, Groups: 1, Apart: 1}.WithConcurrency(Concurrency{Most: 3, Buffer: 1}, clients, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rule.Arrive(1, clients, 1, 0, away.Draw(1, nil), lasting(seconds)); err == nil || !strings.Contains(err.Error(), "step 1 waits for clients, of which none was there") {
		t.Errorf("error %v of clients that are always away", err)
	}
}
