package auditing

import (
	"fmt"
	"slices"

	"starling/mechanisms/audit"
)

// The second statistics of an audit take no law of the noise for granted.
//
// Differences and sums. If two releases carry the same noise, whichever law it has, their
// difference carries none; if the noise is opposite, the sum carries none. So for every
// release of the audited node and every other one, of any node, step and hop, the audit looks
// at y - y' and y + y', each over its scale and along the canary's shift of it. For correlated
// noise it also looks at them once the noise is made independent. The first outcomes select
// the difference or sum by which to bound epsilon.
//
// Moments. The noise of each release is the sent vector less the vector of the shadow of the
// same side. Its means, variances and covariances over all runs are compared with the moments
// of the law that the ledger rests on: audit.Residuals.

// mostEntries is about the largest count of numbers of a run that have their moments compared:
// there are as many covariances as pairs of them.
const mostEntries = 64

// mostOfRelease is the largest count of numbers of a vector that are compared.
const mostOfRelease = 2

// CrossMoments makes second statistics from outcomes of a run: of the same releases in every run.
type CrossMoments struct {
	// places are the places of the releases: the same in every run, which Note checks.
	places []Place
	// taken is, by release, the count of its numbers that are compared.
	taken []int
	// Pairs are the differences and sums, and Moments is the test of the noise.
	Pairs   []auditPair
	Moments *audit.Residuals
}

// auditPair is a difference or sum of two releases, of which the first is the
// audited node's.
type auditPair struct {
	// i and j are indices of the releases.
	i, j int
	// sign is the sign of the second: -1 is a difference, 1 a sum.
	sign float64
	// plain means that the pair takes the releases as sent, before correlated noise was
	// whitened.
	plain bool
}

// SecondOf lays out the second statistics by one run.
func (a *Run) SecondOf() (*CrossMoments, error) {
	o, err := a.Observe(auditSeed, false, 1)
	if err != nil {
		return nil, err
	}
	s := &CrossMoments{}
	var entries []audit.Residual
	each := min(mostOfRelease, max(1, mostEntries/max(1, len(o.Releases))))
	for i := range o.Releases {
		r := &o.Releases[i]
		s.places = append(s.places, r.Place)
		taken := 0
		if len(entries) < mostEntries {
			taken = min(each, len(r.Residual))
		}
		s.taken = append(s.taken, taken)
		for k := range taken {
			entries = append(entries, audit.Residual{Name: fmt.Sprintf("noise %d of %s", k+1, r), Law: r.law})
		}
		s.Pairs = append(s.Pairs, pairsOf(o.Releases, i)...)
	}
	for k := range o.Coins {
		entries = append(entries, audit.Residual{Name: fmt.Sprintf("draw of sample %d", k+1), Rate: a.Rate})
	}
	if len(entries) == 0 {
		return nil, nil
	}
	s.Moments = audit.NewResiduals(entries)
	return s, nil
}

// pairsOf returns the differences and sums of release i with the others, without those that an
// earlier release has.
func pairsOf(releases []Release, i int) (list []auditPair) {
	r := &releases[i]
	if r.Moved == nil {
		return nil
	}
	for j := range releases {
		o := &releases[j]
		if j == i || len(o.Middle) != len(r.Middle) || o.Moved != nil && j < i {
			continue
		}
		list = append(list, auditPair{i, j, -1, false}, auditPair{i, j, 1, false})
		if r.plain != nil && o.plain != nil {
			list = append(list, auditPair{i, j, -1, true}, auditPair{i, j, 1, true})
		}
	}
	return list
}

// String names a release.
func (p Place) String() string {
	return fmt.Sprintf("node %d, step %d, hop %d", p.label, p.Step, p.Hop)
}

// name returns the name of a pair in a table.
func (s *CrossMoments) name(pair int) string {
	p := s.Pairs[pair]
	what := "difference"
	if p.sign > 0 {
		what = "sum"
	}
	if p.plain {
		what += " as sent"
	}
	return fmt.Sprintf("%s of (%s) and (%s)", what, s.places[p.i], s.places[p.j])
}

// value returns the pair's statistic: the combined release, less the mean of its two sides,
// along the canary's shift.
func (p *auditPair) value(releases []Release) (sum float64) {
	middle, moved := p.of(&releases[p.i])
	otherMiddle, otherMoved := p.of(&releases[p.j])
	for k, v := range middle {
		m := moved[k]
		if otherMoved != nil {
			m += float64(p.sign * otherMoved[k])
		}
		sum += float64(m * (v + float64(p.sign*otherMiddle[k])))
	}
	return audit.Grid(sum)
}

// of returns the parts of a release that the pair uses.
func (p *auditPair) of(r *Release) (middle, moved []float64) {
	if p.plain {
		return r.plain[0], r.plain[1]
	}
	return r.Middle, r.Moved
}

// Note adds the outcome of a run to the collections of a sampler.
func (s *CrossMoments) Note(sampler *Sampler, o *Observed) error {
	places := make([]Place, len(o.Releases))
	for i := range o.Releases {
		places[i] = o.Releases[i].Place
	}
	if !slices.Equal(places, s.places) {
		return fmt.Errorf("%d releases, of which others were %d", len(places), len(s.places))
	}
	if sampler.Moments != nil {
		var values []float64
		for i, taken := range s.taken {
			values = append(values, o.Releases[i].Residual[:taken]...)
		}
		if err := sampler.Moments.Add(append(values, o.Coins...)); err != nil {
			return err
		}
	}
	if sampler.Wanted != nil {
		row := make([]float64, len(sampler.Wanted))
		for k, pair := range sampler.Wanted {
			row[k] = s.Pairs[pair].value(o.Releases)
		}
		sampler.Pairs = append(sampler.Pairs, row)
	}
	return nil
}
