package networks

import (
	"errors"
	"fmt"
	"math"

	"starling/mechanisms/portable"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/document"
)

// Availability is the section of the times at which clients are there to check in.
type Availability struct {
	Law    string  `yaml:"law,required" oneof:"periodic on-off traces" doc:"law of the availability of clients: periodic, a probability with the period of a day; on-off, a process that turns on and off by itself; or traces of a file"`
	Mean   float64 `yaml:"mean" over:"0" max:"1" says:"a mean of %v" unit:"probability" doc:"of periodic: mean of the probability; absent, for other laws"`
	Swing  float64 `yaml:"swing" min:"0" max:"1" says:"a swing of %v" unit:"probability" doc:"of periodic: the probability is mean + swing cos(2 pi (h - peak)/24) at hour h of the client's day, within 0 and 1; absent, 0"`
	Peak   float64 `yaml:"peak" min:"0" max:"24" says:"a peak at hour %v" unit:"hours" doc:"of periodic: hour of the client's day with the largest probability; absent, 0: midnight"`
	On     float64 `yaml:"on" min:"10" max:"1e9" says:"%v s on" unit:"seconds" doc:"of on-off: mean duration of being there, an exponential law; absent, for other laws"`
	Off    float64 `yaml:"off" min:"10" max:"1e9" says:"%v s off" unit:"seconds" doc:"of on-off: mean duration of being away, an exponential law; absent, for other laws"`
	File   string  `yaml:"file" range:"a path" doc:"of traces: path, from the scenario's folder or else from where the program runs, of a CSV file with the columns trace, on and off: a row for each time of being there, in seconds; absent, for other laws"`
	Length float64 `yaml:"length" over:"0" max:"1e9" says:"a length of %v" unit:"seconds" doc:"of traces: seconds after which all of them start again; absent, the last second of the file"`
	Zones  []Zone  `yaml:"zones" min:"1" max:"1000" says:"%v time zones" doc:"time zones of clients, of periodic and traces; absent, all have the server's time"`
}

// Zone is a time zone.
type Zone struct {
	Name  string  `yaml:"name" range:"any text" doc:"name of the zone, for readers; absent, none"`
	Share float64 `yaml:"share,required" over:"0" max:"1" says:"a share of %v" unit:"share" doc:"probability with which a client is in the zone; the shares sum to 1"`
	Hours float64 `yaml:"hours" min:"-24" max:"24" says:"%v hours" unit:"hours" doc:"hours by which its clocks are ahead of the server's, whose run begins at midnight; absent, 0"`
}

// The laws of Availability.
const (
	periodic = "periodic"
	onOff    = "on-off"
	byTraces = "traces"
)

// check returns the faults of keys that a law does not have, or lacks. Its keys are relative to the clock.
func (a *Availability) check() error {
	var errs []error
	for _, key := range []struct {
		name, law       string
		given, required bool
	}{
		{"mean", periodic, a.Mean > 0, true}, {"swing", periodic, a.Swing > 0, false}, {"peak", periodic, a.Peak > 0, false},
		{"on", onOff, a.On > 0, true}, {"off", onOff, a.Off > 0, true}, {"file", byTraces, a.File != "", true}, {"length", byTraces, a.Length > 0, false},
	} {
		switch own := a.Law == key.law; {
		case key.given && !own:
			errs = append(errs, document.At("availability."+key.name, "%s is for the law %s; leave it out", key.name, key.law))
		case own && key.required && !key.given:
			errs = append(errs, document.At("availability."+key.name, "the law %s needs %s", key.law, key.name))
		}
	}
	if a.Zones != nil && a.Law == onOff {
		errs = append(errs, document.At("availability.zones", "the law %s has no hours of a day; leave this out", onOff))
	}
	return errors.Join(append(errs, checkShares("availability.zones", a.Zones))...)
}

// String describes the law in a sentence.
func (a *Availability) String() string {
	zones := ""
	if n := len(a.Zones); n > 0 {
		zones = ", in " + document.Counted(n, "time zone")
	}
	switch a.Law {
	case periodic:
		return fmt.Sprintf("a client is there with probability %.6g + %.6g cos(2 pi (h - %.6g)/24) at hour h of its day, drawn anew every hour%s", a.Mean, a.Swing, a.Peak, zones)
	case onOff:
		return fmt.Sprintf("a client is there for %.6g s and away for %.6g s in turn, in the mean", a.On, a.Off)
	}
	return fmt.Sprintf("a client is there by a trace of %s%s", a.File, zones)
}

// Presence has the times at which the clients of a seed are there: functions of the seed, the client
// and the second, so that none is stored. It is immutable.
type Presence struct {
	of                     *Availability
	traces                 *Traces
	zone, hour, day, trace rng.Key
}

// Draw returns the availability of clients under a seed, with the traces of the file of the law traces.
func (a *Availability) Draw(seed uint64, traces *Traces) *Presence {
	key := func(of string) rng.Key { return rng.NewKey(seed, rng.PurposeOf("availability."+of)) }
	return &Presence{a, traces, key("zone"), key("hour"), key("day"), key("trace")}
}

// Zone is the place of the time zone of a client, from 1, in the list of zones, from 0; 0 without zones.
func (p *Presence) Zone(client messages.NodeID) int {
	if len(p.of.Zones) == 0 {
		return 0
	}
	return byShare(p.of.Zones, p.zone.Uniform(int(client), 0, 0))
}

// Zones is the number of time zones, 0 where clients have none; nil has none.
func (p *Presence) Zones() int {
	if p == nil {
		return 0
	}
	return len(p.of.Zones)
}

// Share is the share of clients of a time zone, from 0.
func (p *Presence) Share(zone int) float64 { return p.of.Zones[zone].Share }

// Seconds of an hour and of a day.
const (
	hour = 3600
	day  = 24 * hour
)

// There reports whether a client, from 1, is there at a second from the beginning of the run.
func (p *Presence) There(client messages.NodeID, second float64) bool {
	if p.of.Law != periodic {
		return p.alone(client, second)
	}
	return p.awake(client, second, p.chance(p.Zone(client), second))
}

// alone is There by a law of each client alone.
func (p *Presence) alone(client messages.NodeID, second float64) bool {
	if p.of.Law == onOff {
		return p.on(client, second)
	}
	return p.traces.on(p.trace.Uniform(int(client), 0, 0), p.local(p.Zone(client), second))
}

// local is the second in a time zone.
func (p *Presence) local(zone int, second float64) float64 {
	if len(p.of.Zones) > 0 {
		second += p.of.Zones[zone].Hours * hour
	}
	return second
}

// chance is the share of clients of a time zone that are there at a second, by the periodic law.
func (p *Presence) chance(zone int, second float64) float64 {
	turn := portable.Cos(2 * math.Pi * (p.local(zone, second) - p.of.Peak*hour) / day)
	return p.of.Mean + float64(p.of.Swing*turn)
}

// awake reports whether a client is among so many by the periodic law.
func (p *Presence) awake(client messages.NodeID, second, chance float64) bool {
	return p.hour.Uniform(int(client), int(second/hour), 0) < chance
}

// Moment asks about many clients at one second. Nil has all of them there.
type Moment struct {
	of      *Presence
	second  float64
	chances []float64 // by time zone, by the periodic law
}

// At returns the moment of a second from the beginning of the run; nil has all clients there.
func (p *Presence) At(second float64) *Moment {
	if p == nil {
		return nil
	}
	m := &Moment{of: p, second: second}
	if p.of.Law == periodic {
		for zone := range max(1, p.Zones()) {
			m.chances = append(m.chances, p.chance(zone, second))
		}
	}
	return m
}

// There reports whether a client, from 1, is there at the moment.
func (m *Moment) There(client messages.NodeID) bool {
	switch {
	case m == nil:
		return true
	case m.chances == nil:
		return m.of.alone(client, m.second)
	}
	return m.of.awake(client, m.second, m.chances[m.of.Zone(client)])
}

// on reports whether the process of a client is on. It is drawn by days, each from its stationary law,
// so that no day needs the days before it. What is left of an exponential duration has its law.
func (p *Presence) on(client messages.NodeID, second float64) bool {
	var stream rng.Stream
	today := math.Floor(second / day)
	r, at := stream.Open(p.day, int(client), int(today), 0), today*day
	there := r.Float64() < p.of.On/(p.of.On+p.of.Off)
	for {
		mean := p.of.Off
		if there {
			mean = p.of.On
		}
		if at += float64(mean * r.ExpFloat64()); at > second {
			return there
		}
		there = !there
	}
}
