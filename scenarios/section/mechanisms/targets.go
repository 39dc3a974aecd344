package mechanisms

import (
	"errors"
	"fmt"
	"math"

	"starling/scenarios/document"
	"starling/scenarios/personal"
)

// check returns the faults of groups and of sigmas, and of keys that do not go with them.
func (s *Sampled) check() error {
	var sigmas error
	if s.Sigmas.Any() && s.Sigma == nil {
		sigmas = document.At("sigmas", "clients have multipliers in place of sigma: give sigma in place of epsilon")
	}
	return errors.Join(sigmas, s.checkGroups())
}

// checkGroups returns the faults of groups, and of keys that do not go with them.
func (s *Sampled) checkGroups() error {
	switch {
	case !s.Groups.Any() && s.By != "":
		return document.At("by", "%s is found for the epsilons of groups; give groups, or leave this out", s.By)
	case !s.Groups.Any():
		return nil
	case s.By == "":
		return document.At("groups", "missing key by: the value that is found for an epsilon, %s, %s or %s", ByRate, ByClip, ByFilter)
	}
	errs := []error{s.Groups.Check()}
	if s.Sigma == nil {
		errs = append(errs, document.At("epsilon", "the values of groups are found at a noise multiplier: give sigma in place of epsilon"))
	}
	for k, one := range s.Groups.List {
		if math.IsInf(float64(one.Epsilon), 1) {
			errs = append(errs, document.At(fmt.Sprintf("groups[%d].epsilon", k), "no %s has an infinite epsilon; want a number, or leave the group out", s.By))
		}
	}
	return errors.Join(errs...)
}

// Targets returns the epsilon of each client, from 0, for which a value is found, and its delta; an
// epsilon of +Inf is of a client in no group. No epsilons mean that there are no groups. The error has
// all faults of groups, each at its place.
func (s *Sums) Targets(at personal.Site) (personal.Assigned, error) {
	if s.targets == nil {
		return personal.Assigned{}, nil
	}
	of, err := s.targets.Assign(&at, math.Inf(1))
	return of, at.Section.Resolve(err)
}

// OwnSigmas reports whether clients have noise multipliers of their own.
func (s *Sums) OwnSigmas() bool { return s.sigmas != nil }

// Sigmas returns the noise multiplier of each client, from 0; nil means that all have Sigma. The error
// has all faults, each at its place.
func (s *Sums) Sigmas(at personal.Site) ([]float64, error) {
	return s.sigmas.Of(at, "sigmas", s.Sigma, math.Inf(1))
}
