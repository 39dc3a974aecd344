package topologies

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"starling/actors/option"
	"starling/actors/topology"
	"starling/scenarios/document"
	"starling/scenarios/kind"
	"starling/scenarios/limits"
)

// Tiers is the section of servers in levels above clients.
type Tiers struct {
	Kind     string              `yaml:"kind,required"`
	Fan      []int               `yaml:"fan,required" min:"2" says:"%v levels of servers" unit:"nodes" doc:"number of nodes directly below each server, by level from the top: [10, 50] is a cloud above 10 edge servers of 50 clients each"`
	Levels   []string            `yaml:"levels" min:"3" says:"%v levels" range:"names" doc:"names of the levels from the top, the clients last; absent, cloud, edge, client, or cloud, region, edge, client"`
	Schedule []topology.Schedule `yaml:"schedule" min:"1" says:"%v schedules" doc:"rounds in which the servers of a level add up the vectors of the level below, by level from the top, without the lowest servers: these do so in every round. a level also takes part in the rounds of the levels above it; absent, every round"`
	Noise    string              `yaml:"noise" range:"a name of a level" doc:"level of the servers that add the noise of level: user; these servers and all below them are trusted, those above are not; absent, where clients add noise or nobody does"`
}

// Tiered is the section of levels of servers.
type Tiered interface {
	hierarchy(section *document.Node, clients, horizon int) (*Hierarchy, error)
}

// TakesTiers are levels of servers.
var TakesTiers = kind.Takes[Tiered]("levels of servers")

// Hierarchy is a checked topology of levels of servers, for an algorithm of a server and its
// clients. It is immutable.
type Hierarchy struct {
	topology.Tiers
	// Names are the names of the levels, the clients' last.
	Names []string
	// Noise is the level of the servers that add noise, from 0; -1 is none.
	Noise    int
	schedule []topology.Schedule
	// Section is the section in the file.
	Section *document.Node
}

// HierarchyOf returns the levels of servers of a section; nil if its kind has none. An error has
// the place of every fault.
func HierarchyOf(kinds []kind.Kind, section *document.Node, clients, horizon int, whom string) (*Hierarchy, error) {
	s, err := kind.AsAny(kinds, section, TakesStar.Or(TakesTiers), whom)
	if err != nil {
		return nil, err
	}
	tiered, ok := s.(Tiered)
	if !ok {
		return nil, nil
	}
	return tiered.hierarchy(section, clients, horizon)
}

// hierarchy implements Tiered.
func (s *Tiers) hierarchy(section *document.Node, clients, horizon int) (*Hierarchy, error) {
	h := &Hierarchy{Tiers: topology.Tiers{Fan: s.Fan}, Noise: -1, schedule: s.Schedule, Section: section}
	if err := h.Validate(); err != nil {
		return nil, section.Resolve(err)
	}
	var errs []error
	if n := h.Clients(); n != clients {
		errs = append(errs, document.At("fan", "the servers have %d clients, and there are %d nodes", n, clients))
	}
	var err error
	if h.Names, err = s.names(); err != nil {
		errs = append(errs, err)
	}
	if k := slices.Index(h.Names, s.Noise); s.Noise != "" && err == nil {
		if h.Noise = k; k < 0 || k == h.Levels() {
			errs = append(errs, document.At("noise", "%q is no level of servers; want one of %q", s.Noise, h.Names[:h.Levels()]))
		}
	}
	if k := len(s.Schedule); k > 0 && k != h.Levels()-1 {
		errs = append(errs, document.At("schedule", "%d schedules for %d levels of servers above the lowest; want one for each", k, h.Levels()-1))
	}
	for level := range s.Schedule {
		if err := checkLevel(&s.Schedule[level], fmt.Sprintf("schedule[%d]", level)); err != nil {
			errs = append(errs, err)
		}
	}
	if errs == nil && h.Noise >= 0 {
		errs = append(errs, h.checkNoise(horizon))
	}
	return h, section.Resolve(errors.Join(errs...))
}

// String describes the levels: 10 of edge below the cloud, 50 of client below each edge.
func (h *Hierarchy) String() string {
	which := func(level int) string {
		if level == 0 {
			return "the " + h.Names[0]
		}
		return "each " + h.Names[level]
	}
	text := ""
	for level, n := range h.Fan {
		text += fmt.Sprintf("%d of %s below %s, ", n, h.Names[level+1], which(level))
	}
	if text = strings.TrimSuffix(text, ", "); h.Noise >= 0 {
		text += "; noise by " + which(h.Noise)
	}
	return text
}

// When returns the schedule of a level, beside the schedules of the levels above it.
func (h *Hierarchy) When(level int) string {
	if level >= len(h.schedule) {
		return topology.Schedule{Every: 1}.String()
	}
	return h.schedule[level].String()
}

// names returns the names of the levels.
func (s *Tiers) names() ([]string, error) {
	switch {
	case s.Levels == nil && len(s.Fan) == 2:
		return []string{"cloud", "edge", "client"}, nil
	case s.Levels == nil && len(s.Fan) == 3:
		return []string{"cloud", "region", "edge", "client"}, nil
	case s.Levels == nil:
		return nil, document.At("", "missing required key \"levels\": %d levels have no usual names", len(s.Fan)+1)
	case len(s.Levels) != len(s.Fan)+1:
		return nil, document.At("levels", "%d names for %d levels, with the level of the clients", len(s.Levels), len(s.Fan)+1)
	}
	for k, name := range s.Levels {
		if name == "" || slices.Index(s.Levels, name) < k {
			return nil, document.At(fmt.Sprintf("levels[%d]", k), "%q is empty, or the name of another level", name)
		}
	}
	return s.Levels, nil
}

// checkLevel refuses a schedule that is no schedule of a whole level.
func checkLevel(s *topology.Schedule, at string) error {
	switch {
	case s.Offsets != nil:
		return document.At(at+".offsets", "the servers of a level take part together; leave offsets out")
	case s.Each:
		return document.At(at+".each", "the servers of a level take part together; leave each out")
	case s.Clocks != nil:
		return document.At(at+".clocks", "the servers of a level take part together; leave clocks out")
	case s.File != "":
		return document.At(at+".file", "a level has a schedule of every, phases or probability")
	}
	return option.Under(at, s.Validate(1))
}

// checkNoise refuses noise of servers that do not take part in every round: those below them would
// show their clients sums without noise.
func (h *Hierarchy) checkNoise(horizon int) error {
	sure := make([]*topology.Times, len(h.schedule)) // nil: in other rounds under other seeds
	for level := range sure {
		if s := &h.schedule[level]; !s.Drawn() || s.Probability == 1 {
			sure[level] = s.Times(1, 0)
		}
	}
	for level := h.Noise; level < min(h.Levels()-1, len(sure)); level++ {
		drawn := slices.Contains(sure[:level+1], nil)
		for round := 1; round <= min(horizon, limits.Steps); round++ { // a longer run is refused
			switch {
			case takesPart(sure[:level+1], round):
			case drawn:
				return document.At("noise", "the level %s takes part in some rounds, and in the others the level %s shows its clients vectors without noise; want noise: %s", h.Names[level], h.Names[level+1], h.Names[h.Levels()-1])
			default:
				return document.At("noise", "the level %s does not take part in round %d, in which the level %s shows its clients vectors without noise; want noise: %s", h.Names[level], round, h.Names[level+1], h.Names[h.Levels()-1])
			}
		}
	}
	return nil
}

// Rounds returns, under a seed, whether the servers of a level take part in a round, from 1. It is
// safe for concurrent use.
func (h *Hierarchy) Rounds(seed uint64) func(level, round int) bool {
	times := h.times(seed)
	return func(level, round int) bool {
		if level >= len(times) {
			return true
		}
		return takesPart(times[:level+1], round)
	}
}

// times are the rounds of the levels with a schedule under a seed.
func (h *Hierarchy) times(seed uint64) []*topology.Times {
	times := make([]*topology.Times, len(h.schedule))
	for level := range times {
		times[level] = h.schedule[level].Times(1, topology.PartSeed(seed, level))
	}
	return times
}

// ByRound returns the edges of each round alone under a seed, a round a step.
func (h *Hierarchy) ByRound(seed uint64) (topology.Sequence, error) {
	return h.Scheduled(h.times(seed))
}

// takesPart reports whether one of the times has a round, from 1. nil has none.
func takesPart(times []*topology.Times, round int) bool {
	return slices.ContainsFunc(times, func(t *topology.Times) bool { return t != nil && t.Sends(0, round-1) })
}
