package jobs

import (
	"fmt"
	"strconv"
	"strings"

	"starling/scenarios/study"
)

// MostParts is the greatest number of parts into which the jobs of a run can be divided.
const MostParts = 100000

// Share is a part of the jobs of a run, such as the third of sixteen. The zero value is all
// jobs.
type Share struct {
	// Part is from 1 to Parts.
	Part, Parts int
}

// ParseShare reads a share such as 3/16; "" is all jobs.
func ParseShare(text string) (Share, error) {
	if text == "" {
		return Share{}, nil
	}
	first, second, _ := strings.Cut(text, "/")
	part, err1 := strconv.Atoi(first)
	parts, err2 := strconv.Atoi(second)
	if err1 != nil || err2 != nil || part < 1 || part > parts || parts > MostParts {
		return Share{}, fmt.Errorf("part %q: want K/N such as 3/16, with K from 1 to N and N at most %d", text, MostParts)
	}
	return Share{part, parts}, nil
}

// All reports whether the share has all jobs, for one machine.
func (p Share) All() bool { return p.Parts == 0 }

// String returns the share in the form that ParseShare reads.
func (p Share) String() string {
	if p.All() {
		return ""
	}
	return fmt.Sprintf("%d/%d", p.Part, p.Parts)
}

// Has reports whether the i-th job in the canonical order is in the share. Jobs are dealt out
// one by one: so a part has jobs of all arms, and as many as the others or one more.
func (p Share) Has(i int) bool { return p.All() || i%p.Parts == p.Part-1 }

// Of lists the jobs of the scenario that are in the share, in the canonical order.
func (p Share) Of(s *study.Scenario) []int {
	list := []int{}
	for i := range Count(s) {
		if p.Has(i) {
			list = append(list, i)
		}
	}
	return list
}
