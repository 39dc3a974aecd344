package networks

import (
	"fmt"
	"math"

	"starling/mechanisms/portable"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/document"
)

// Clock is the section of the seconds of rounds: laws of the speeds of clients and of their links.
type Clock struct {
	Compute  *Speed   `yaml:"compute" doc:"seconds of a client for a sample in a local step; absent, none"`
	Download *Speed   `yaml:"download" doc:"bytes a second from the server to a client; absent, the server's message takes no time"`
	Upload   *Speed   `yaml:"upload" doc:"bytes a second from a client to the server; absent, the client's message takes no time"`
	Latency  *Speed   `yaml:"latency" doc:"seconds that each of both messages takes beyond its bytes, without energy; absent, none"`
	Devices  []Device `yaml:"devices" min:"1" max:"1000" says:"%v classes of devices" doc:"classes of devices, each with speeds of its own in place of those above; absent, all clients have those above"`
	Jitter   float64  `yaml:"jitter" min:"0" max:"10" says:"a jitter of %v" unit:"of the logarithm" doc:"standard deviation of the logarithm of the seconds of a client from round to round; absent, 0"`
	Power    *Power   `yaml:"power" doc:"watts of a client, for the metrics of energy; absent, none are recorded unless all devices have watts of their own"`
	CheckIn  *CheckIn `yaml:"check_in" doc:"protocol of a round with clients that check in, with algorithm.draw: server; absent, the section of the algorithm says which clients come"`
	// Availability needs clients that check in, or work at their own pace.
	Availability *Availability `yaml:"availability" doc:"times at which clients are there to begin, with check_in or a concurrency; absent, always"`
}

// Speed is the law of a number above 0, of clients or of messages: log-normal, or constant without a spread.
type Speed struct {
	Median float64 `yaml:"median,required" over:"0" max:"1e15" says:"a median of %v" unit:"seconds, or bytes a second" doc:"median, of clients or of messages"`
	Spread float64 `yaml:"spread" min:"0" max:"10" says:"a spread of %v" unit:"of the logarithm" doc:"standard deviation of the logarithm between clients, or messages; absent, 0: all have the median"`
}

// Device is a class of devices.
type Device struct {
	Name     string  `yaml:"name" range:"any text" doc:"name of the class, for readers; absent, none"`
	Share    float64 `yaml:"share,required" over:"0" max:"1" says:"a share of %v" unit:"share" doc:"probability with which a client has such a device; the shares sum to 1"`
	Compute  *Speed  `yaml:"compute" doc:"seconds for a sample in a local step; absent, as of all clients"`
	Download *Speed  `yaml:"download" doc:"bytes a second from the server; absent, as of all clients"`
	Upload   *Speed  `yaml:"upload" doc:"bytes a second to the server; absent, as of all clients"`
	Latency  *Speed  `yaml:"latency" doc:"seconds that each of both messages takes beyond its bytes; absent, as of all clients"`
	Power    *Power  `yaml:"power" doc:"watts of a client; absent, as of all clients"`
}

// Power is the power of a client at work. Both numbers are stated: no device has one by default.
type Power struct {
	Compute float64 `yaml:"compute,required" min:"0" max:"1e9" says:"a power of %v" unit:"watts" doc:"watts of a client while it computes"`
	Network float64 `yaml:"network,required" min:"0" max:"1e9" says:"a power of %v" unit:"watts" doc:"watts of a client while it downloads or uploads"`
}

// Powered reports whether clients have a power: all do, or none.
func (c *Clock) Powered() bool {
	return c != nil && (c.Power != nil || len(c.Devices) > 0 && c.Devices[0].Power != nil)
}

// checkPower returns an error for classes of devices of which some alone have a power.
func (c *Clock) checkPower() error {
	if c.Power != nil {
		return nil
	}
	for i, d := range c.Devices {
		if first := c.Devices[0].Power != nil; (d.Power != nil) != first {
			return document.At("power", "of the first %d classes of devices some have a power and some have none; give each one, or here the power of all clients", i+1)
		}
	}
	return nil
}

// Check returns an error for classes that are not a division of clients, and for a clock under which
// nothing takes time. Its keys are relative to the section.
func (c *Clock) Check() error {
	timed := c.Compute != nil || c.Download != nil || c.Upload != nil || c.Latency != nil
	for _, d := range c.Devices {
		timed = timed || d.Compute != nil || d.Download != nil || d.Upload != nil || d.Latency != nil
	}
	shares, power := checkShares("devices", c.Devices), c.checkPower()
	switch {
	case shares != nil:
		return shares
	case power != nil:
		return power
	case c.CheckIn != nil && c.CheckIn.AtLeast() > c.CheckIn.Goal:
		return document.At("check_in.least", "at least %d reports, and %d end a round; want at most that", c.CheckIn.AtLeast(), c.CheckIn.Goal)
	case !timed:
		return document.At("compute", "nothing takes time; give compute, download or upload a speed, or messages a latency")
	case c.Availability != nil:
		return c.Availability.check()
	}
	return nil
}

// String describes the laws in a sentence.
func (c *Clock) String() string {
	text := fmt.Sprintf("compute %s s a sample, download %s bytes/s, upload %s bytes/s", c.Compute, c.Download, c.Upload)
	if c.Latency != nil {
		text += fmt.Sprintf(", latency %s s a message", c.Latency)
	}
	if n := len(c.Devices); n > 0 {
		text += fmt.Sprintf("; or those of %s of device", document.Counted(n, "kind"))
	}
	if c.Power != nil {
		text += fmt.Sprintf("; %.6g W to compute and %.6g W to send or receive", c.Power.Compute, c.Power.Network)
	}
	return text
}

// String is the median with its spread.
func (s *Speed) String() string {
	switch {
	case s == nil:
		return "no limit of"
	case s.Spread == 0:
		return fmt.Sprintf("%.6g", s.Median)
	}
	return fmt.Sprintf("%.6g (spread %.6g)", s.Median, s.Spread)
}

// Speeds are the speeds of the clients of a seed. They are functions of the seed and the client, so
// that none is stored. It is immutable.
type Speeds struct {
	of                                                          *Clock
	class, compute, download, upload, latency, jittery, delayed rng.Key
	delay                                                       *Speed // of messages beyond the clock; nil is none
}

// Draw returns the speeds of clients under a seed.
func (c *Clock) Draw(seed uint64) *Speeds {
	key := func(of string) rng.Key { return rng.NewKey(seed, rng.PurposeOf("clock."+of)) }
	return &Speeds{c, key("device"), key("compute"), key("download"), key("upload"), key("latency"), key("jitter"), key("delay"), nil}
}

// Delayed returns the speeds with delays of messages in the network, in seconds; nil adds none.
func (s *Speeds) Delayed(delay *Speed) *Speeds {
	with := *s
	with.delay = delay
	return &with
}

// Work is a client's part of a round: the sizes of both messages in bytes, and the samples of all
// local steps together.
type Work struct {
	Down, Up int
	Samples  float64
}

// Effort is the cost of a client's part of a round: its time, and its energy where clients have a power.
type Effort struct{ Seconds, Joules float64 }

// Seconds is the time of a client, from 1, for its part of a round.
func (s *Speeds) Seconds(client messages.NodeID, round int, w Work) float64 {
	return s.Effort(client, round, w).Seconds
}

// Effort is the time and the energy of a client, from 1, for its part of a round.
func (s *Speeds) Effort(client messages.NodeID, round int, w Work) Effort {
	compute, download, upload, latency, power := s.of.Compute, s.of.Download, s.of.Upload, s.of.Latency, s.of.Power
	if d := s.device(client); d != nil {
		compute, download, upload, power = instead(compute, d.Compute), instead(download, d.Download), instead(upload, d.Upload), instead(power, d.Power)
		latency = instead(latency, d.Latency)
	}
	var computing, down, up float64
	if compute != nil {
		computing = float64(compute.of(s.compute, client) * w.Samples)
	}
	if download != nil {
		down = float64(w.Down) / download.of(s.download, client)
	}
	if upload != nil {
		up = float64(w.Up) / upload.of(s.upload, client)
	}
	var e Effort
	if e.Seconds = computing + down + up; latency != nil {
		e.Seconds += float64(2 * latency.of(s.latency, client))
	}
	if power != nil {
		e.Joules = float64(power.Compute*computing) + float64(power.Network*(down+up))
	}
	if s.of.Jitter > 0 {
		by := logNormal(s.of.Jitter, s.jittery.Uniform(int(client), round, 0))
		e.Seconds, e.Joules = e.Seconds*by, e.Joules*by
	}
	if s.delay != nil { // of the message of the server, and of the client
		e.Seconds += s.delay.drawn(s.delayed.Uniform(int(client), round, 0))
		e.Seconds += s.delay.drawn(s.delayed.Uniform(int(client), round, 1))
	}
	return e
}

// instead returns the law of a device, or the common one where it has none.
func instead[T any](all, own *T) *T {
	if own != nil {
		return own
	}
	return all
}

// device is the class of a client; nil without classes.
func (s *Speeds) device(client messages.NodeID) *Device {
	if len(s.of.Devices) == 0 {
		return nil
	}
	return &s.of.Devices[byShare(s.of.Devices, s.class.Uniform(int(client), 0, 0))]
}

// shared is a part of a division of clients.
type shared interface{ share() float64 }

func (d Device) share() float64 { return d.Share }
func (z Zone) share() float64   { return z.Share }

// byShare returns the place of the part of a division in which u, 0 < u < 1, falls.
func byShare[T shared](list []T, u float64) int {
	sum := 0.0
	for i := range list {
		if sum += list[i].share(); u < sum {
			return i
		}
	}
	return len(list) - 1
}

// checkShares returns an error at a key for parts that are not a division.
func checkShares[T shared](key string, list []T) error {
	sum := 0.0
	for i := range list {
		sum += list[i].share()
	}
	if len(list) > 0 && !(math.Abs(sum-1) <= 1e-9) {
		return document.At(key, "the shares sum to %.9g, want 1", sum)
	}
	return nil
}

// of is the speed of a client, by the key of its quantity.
func (s *Speed) of(key rng.Key, client messages.NodeID) float64 {
	if s.Spread == 0 {
		return s.Median
	}
	return s.drawn(key.Uniform(int(client), 0, 0))
}

// drawn is the quantile of u, 0 < u < 1.
func (s *Speed) drawn(u float64) float64 {
	if s.Spread == 0 {
		return s.Median
	}
	return s.Median * logNormal(s.Spread, u)
}

// logNormal is the quantile of u, 0 < u < 1, of the log-normal law with median 1.
func logNormal(spread, u float64) float64 {
	return portable.Exp(float64(spread * portable.NormalQuantile(u)))
}
