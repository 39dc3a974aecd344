package claim

import "fmt"

// Decision is a claim with its verdict and the grounds for it.
type Decision struct {
	// Claim is the claim that was decided, with its sentence and its place in the paper.
	Claim   Claim
	Verdict Verdict
	// Statistics describes the measured quantity and its statistics.
	Statistics string
	// Parts are the numbers, each with its interval and its claimed range.
	Parts []Part
	// Reason is the reason why the claim is not testable; empty for other verdicts.
	Reason string
}

// Decide decides a claim from a run. An error means that the claim does not fit the run: it
// names a metric, for example, that the run does not have.
func Decide(c Claim, data *Data) (Decision, error) {
	if unable, ok := c.Test.(*Unable); ok {
		return Decision{Claim: c, Verdict: NotTestable, Reason: unable.Reason}, nil
	}
	parts, statistics, err := c.Test.parts(data)
	if err != nil {
		return Decision{}, fmt.Errorf("claim %s: %w", c.ID, err)
	}
	// Reading the run and deciding are apart: a part knows nothing of files, and
	// intervals nothing of arms.
	decide(parts, c.Test.level())
	d := Decision{Claim: c, Verdict: verdict(parts), Statistics: statistics, Parts: parts}
	if d.Verdict == NotTestable {
		d.Reason = reasons(parts)
	}
	d.Statistics += intervalText(parts, c.Test.level())
	return d, nil
}

// intervalText describes the intervals, if any has a width.
func intervalText(parts []Part, level float64) string {
	tested, wide := 0, false
	for _, part := range parts {
		if part.State != Untested {
			tested++
			wide = wide || part.Low < part.High
		}
	}
	switch {
	case !wide:
		return ""
	case tested == 1:
		return fmt.Sprintf("; %s %% interval", percent(level))
	}
	return fmt.Sprintf("; %s %% intervals, Holm over %d", percent(level), tested)
}
