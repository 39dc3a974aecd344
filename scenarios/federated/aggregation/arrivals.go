package aggregation

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/section/networks"
)

// Clients may work at their own pace, in place of rounds: a client begins with the newest model when it
// is admitted, and reports when it is done. The server takes a step when it has a number of reports. The
// reports of a step are a function of the speeds, and of no data.

// Concurrency is the rule by which a server admits clients that work at their own pace.
type Concurrency struct {
	// Most is the largest number of clients at work at a time, and Buffer the number of reports of a step.
	Most, Buffer int
}

// WithConcurrency returns the rule of clients that work at their own pace. The error is of timers that
// leave too few clients for a number of steps.
func (p Participation) WithConcurrency(of Concurrency, clients, steps int) (Participation, error) {
	p.concurrent = &of
	// With nobody at work and one report missing, these wait, and others have come as often as they may.
	out := float64(of.Buffer)*float64(min(p.Apart, steps)) - 1
	if p.Times != nil {
		out += math.Floor((float64(of.Buffer)*float64(steps) - 1 - out) / float64(*p.Times))
	}
	if out >= float64(clients) {
		return p, document.At("buffer", "the server may wait for the last report of a buffer while %.0f clients wait, or may not come again, and there are %d; want more nodes, or a smaller buffer", out, clients)
	}
	return p, nil
}

// Unsampled reports whether clients come by themselves or by a list, so that none is drawn by a secret chance.
func (p *Participation) Unsampled() bool {
	return p.checks != nil || p.concurrent != nil || p.list != nil
}

// Arrivals are the reports of clients that work at their own pace. Attendees has the clients that report to
// each server step. It is immutable.
type Arrivals struct {
	*Attendees
	versions []int32   // of the attendees: the number of steps in the model that each began with
	begun    [][]int32 // by version: the seats that begin with it, ascending
	ends     []float64 // by step: seconds from the start
	joules   []float64 // by version: energy of the clients that begin with it
	zones    []zoned   // by step; nil where clients have no availability
}

// Version is the number of server steps in the model with which the client at a seat began that reports to
// a step. Taken is false where no client at the seat reports to the step.
func (a *Arrivals) Version(step, seat int) (version int, taken bool) {
	first := a.Attendees.ends[step-1]
	k, taken := slices.BinarySearch(a.seats[first:a.Attendees.ends[step]], int32(seat))
	if !taken {
		return 0, false
	}
	return int(a.versions[first+k]), true
}

// Begun returns the seats of the clients that begin with the model of a number of steps, read only and
// ascending.
func (a *Arrivals) Begun(version int) []int32 { return a.begun[version] }

// Seconds is the time from the step before, or the start, to a step.
func (a *Arrivals) Seconds(step int) float64 { return a.ends[step] - a.ends[step-1] }

// Joules is the energy of the clients that began between the step before, or the start, and a step.
func (a *Arrivals) Joules(step int) float64 { return a.joules[step-1] }

// Zoned reports whether the reports are of clients with an availability.
func (a *Arrivals) Zoned() bool { return a.zones != nil }

// Zone is the share of reports of the time zone with the fewest in the steps up to one, as a multiple of its
// share of clients; 1 without zones.
func (a *Arrivals) Zone(step int) float64 { return a.zones[step-1].share }

// Zones returns the time zones, from 0, with the fewest and with the most reports in the steps up to one, by
// their shares of clients.
func (a *Arrivals) Zones(step int) (rare, common int) {
	return a.zones[step-1].rare, a.zones[step-1].common
}

// Pays reports whether a client has come more often in the steps up to one than any before that step.
func (a *Arrivals) Pays(step int) bool { return a.Most(step) > a.Most(step-1) }

// arrivalPurpose keys the order in which clients are admitted: arms of one seed have the same.
var arrivalPurpose = rng.PurposeOf("federated.arrivals")

// Arrive lets so many clients work until the server has taken a number of steps. effort is the cost of the
// work of a client that begins before a step, from its admission to its report. Seats is the number of seats that
// clients take in turn; 0 gives each client a seat of its own. The error is of a server that finds no
// client to wait for. there has the times at which clients may be admitted; nil is always.
func (p *Participation) Arrive(seed uint64, clients, steps, seats int, there *networks.Presence, effort func(client messages.NodeID, step int) networks.Effort) (*Arrivals, error) {
	f := &flow{
		Participation: p, clients: clients, effort: effort, there: there, zones: zonesOf(there), been: map[messages.NodeID]attended{},
		out: &Arrivals{Attendees: &Attendees{ends: make([]int, steps+1)}, begun: make([][]int32, steps+1), ends: make([]float64, steps+1), joules: make([]float64, steps+1)},
	}
	f.seated = seats > 0
	for seat := seats; seat > 0; seat-- {
		f.free = append(f.free, int32(seat))
	}
	f.order = f.stream.Open(rng.NewKey(seed, arrivalPurpose), 0, 0, 0)
	for f.version < steps {
		if err := f.begin(); err != nil {
			return nil, err
		}
		f.hear(steps)
	}
	f.admit()
	return f.finish(), nil
}

// The seconds after which a server for which nobody is there looks again, and how often it does: for a year.
const (
	patience  = 60
	mostLooks = 366 * 24 * 60
)

// begin admits clients, so that some are at work. The error is that none is found.
func (f *flow) begin() error {
	for range mostLooks {
		if f.admit(); len(f.working) > 0 {
			return nil
		}
		if f.there == nil {
			return fmt.Errorf("step %d waits for clients, of which none may begin", f.version+1)
		}
		f.now += patience
	}
	return fmt.Errorf("step %d waits for clients, of which none was there that may begin until second %.6g", f.version+1, f.now)
}

// job is the work of a client from its admission to its report.
type job struct {
	until         float64
	client        messages.NodeID
	version, seat int32
	times         int32 // admissions of the client so far
}

// before is the order of reports: by time, and at one time by client.
func (j *job) before(other *job) bool {
	return j.until < other.until || j.until == other.until && j.client < other.client
}

// flow is the state of clients that work at their own pace.
type flow struct {
	*Participation
	clients int
	effort  func(client messages.NodeID, step int) networks.Effort
	stream  rng.Stream
	order   *rng.Rand
	there   *networks.Presence // nil is always
	zones   zoneCounts
	shuffle order // of clients, by order
	// been has the last step of clients that came, or atWork, and how often they were admitted, where it
	// matters still.
	been          map[messages.NodeID]attended
	working       []job // a heap
	now           float64
	version, held int // steps so far, and reports in the buffer
	reports       []job
	seated        bool    // whether clients take seats in turn
	free          []int32 // seats that no client at work or in the buffer has
	out           *Arrivals
}

// atWork is the last step of a client that is at work: no step is late enough for it to begin again.
const atWork = math.MaxInt32

// hear takes the next report, and all others of the same time, up to a number of steps.
func (f *flow) hear(steps int) {
	f.now = f.working[0].until
	for len(f.working) > 0 && f.working[0].until == f.now && f.version < steps {
		j := pop(&f.working)
		f.been[j.client] = attended{int32(f.version + 1), j.times}
		f.reports = append(f.reports, j)
		f.zones.add(j.client)
		if f.held++; f.held == f.concurrent.Buffer {
			f.step()
		}
	}
}

// step takes a step with a full buffer.
func (f *flow) step() {
	f.version++
	f.out.Attendees.ends[f.version], f.out.ends[f.version] = len(f.reports), f.now
	if f.there != nil {
		f.out.zones = append(f.out.zones, f.zones.compare())
	}
	of := f.reports[len(f.reports)-f.held:]
	if f.held = 0; f.seated {
		for i := range of {
			f.free = append(f.free, of[i].seat)
		}
	}
	slices.SortFunc(of, func(x, y job) int { return cmp.Compare(x.seat, y.seat) })
	f.forget()
}

// forget drops the attendance of clients that have waited long enough, where no limit of times is left.
func (f *flow) forget() {
	step := f.version + 1 - f.Apart
	if f.Times != nil || step < 1 {
		return
	}
	for _, j := range f.reports[f.out.Attendees.ends[step-1]:f.out.Attendees.ends[step]] {
		delete(f.been, j.client)
	}
}

// admit admits clients while fewer than the most are at work, and some are found that may begin.
func (f *flow) admit() {
	for len(f.working) < f.concurrent.Most {
		client, times, ok := f.next()
		if !ok {
			return
		}
		work := f.effort(client, f.version+1)
		f.out.joules[f.version] += work.Joules
		j := job{until: f.now + work.Seconds, client: client, version: int32(f.version), seat: int32(client), times: times + 1}
		if f.seated {
			last := len(f.free) - 1
			j.seat, f.free = f.free[last], f.free[:last]
		}
		f.been[client] = attended{atWork, j.times}
		f.out.begun[f.version] = append(f.out.begun[f.version], j.seat)
		push(&f.working, j)
	}
}

// next returns the first client that may begin of a random order of all, with its admissions so far. It asks
// mostAsked while others are at work, or where clients are away: the next report, or look, brings another order.
func (f *flow) next() (client messages.NodeID, times int32, ok bool) {
	out := len(f.working) + f.held + f.concurrent.Buffer*min(f.version, f.Apart-1) // at work, or waiting
	if out >= f.clients {
		return 0, 0, false
	}
	asked := f.clients
	if len(f.working) > 0 || f.there != nil {
		asked = min(asked, mostAsked)
	}
	f.shuffle.begin()
	for i := range asked {
		client = messages.NodeID(f.shuffle.next(i, i+f.order.IntN(f.clients-i)) + 1)
		of := f.been[client]
		there := f.there == nil || f.there.There(client, f.now)
		if there && f.Participation.free(f.version+1, &Attendance{last: int(of.last), times: int(of.times)}) {
			return client, of.times, true
		}
	}
	return 0, 0, false
}

// finish makes the lists of reports.
func (f *flow) finish() *Arrivals {
	a, n := f.out, len(f.reports)
	a.nodes, a.seats, a.again, a.versions = make([]messages.NodeID, n), make([]int32, n), make([]bool, n), make([]int32, n)
	for i, j := range f.reports {
		a.nodes[i], a.seats[i], a.versions[i] = j.client, j.seat, j.version
	}
	for _, seats := range a.begun {
		slices.Sort(seats)
	}
	a.count()
	return a
}

// push adds a job to a heap.
func push(heap *[]job, j job) {
	list := append(*heap, j)
	k := len(list) - 1
	for k > 0 {
		above := (k - 1) / 2
		if !j.before(&list[above]) {
			break
		}
		list[k], k = list[above], above
	}
	list[k] = j
	*heap = list
}

// pop takes the first job of a heap that is not empty.
func pop(heap *[]job) job {
	list := *heap
	first, last := list[0], list[len(list)-1]
	list = list[:len(list)-1]
	*heap = list
	if len(list) == 0 {
		return first
	}
	k := 0
	for {
		below := 2*k + 1
		if below >= len(list) {
			break
		}
		if below+1 < len(list) && list[below+1].before(&list[below]) {
			below++
		}
		if !list[below].before(&last) {
			break
		}
		list[k], k = list[below], below
	}
	list[k] = last
	return first
}
