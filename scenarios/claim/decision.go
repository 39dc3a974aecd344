package claim

import "fmt"

// Decision is a claim with its verdict and what it rests on.
type Decision struct {
	// Claim is what was decided, with its sentence and its place in the paper.
	Claim   Claim
	Verdict Verdict
	// Statistics says what was measured and how it was tested.
	Statistics string
	// Parts are the numbers, each with its interval and the range that the claim has it
	// in.
	Parts []Part
	// Reason is why the claim is not testable; empty for other verdicts.
	Reason string
}

// Decide decides a claim from a run. An error is a claim that does not fit the
// run, such as a metric that it has not.
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

// intervalText says what the intervals are, if any has a width.
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
