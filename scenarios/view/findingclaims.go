package view

import (
	"math"
	"slices"
	"strconv"

	"starling/scenarios/accounts"
)

// claimed returns the claimed epsilon of an arm, nil where there is none, and the accounted one to the
// observers of the claim.
func (r *Run) claimed(arm string, stated []statement) (claimed *float64, loss float64) {
	loss = math.NaN()
	for i := range r.Source.Manifest.Ledger {
		entry := &r.Source.Manifest.Ledger[i]
		at := slices.IndexFunc(stated, func(s statement) bool { return s.observer == entry.Observer })
		if entry.Arm != arm || entry.ClaimedEpsilon == nil || at < 0 {
			continue
		}
		if claimed == nil || stated[at].epsilon / *entry.ClaimedEpsilon > loss / *claimed {
			claimed, loss = entry.ClaimedEpsilon, stated[at].epsilon
		}
	}
	return claimed, loss
}

// claimText compares the loss with the claim: kept, or its excess in percent of the claim.
func (r *FindingRow) claimText() string {
	switch accounts.VerdictOf(r.Covered, r.Claimed) {
	case accounts.Kept:
		return kept
	case accounts.Exceeded:
		if math.IsInf(r.Covered, 1) {
			return "exceeded"
		}
		return percent(r.Covered / *r.Claimed - 1) + above
	}
	return ""
}

// claimCell is claimText with the loss to the observers of the claim, where the strongest observer learns more.
func (r *FindingRow) claimCell() string {
	if text := r.claimText(); text != kept || !r.coversLess() {
		return text
	}
	return kept + " at " + lossText(r.Covered)
}

// coversLess reports whether the claim leaves out the strongest observer.
func (r *FindingRow) coversLess() bool { return r.Covered < r.Epsilon }

// kept is the text of a loss within its claim.
const kept = "kept"

// above follows the part of a claim by which a loss is above it.
const above = " % above"

// percent writes a positive part in percent: tenths below 10 %, and no part as nothing.
func percent(part float64) string {
	switch v := 100 * part; {
	case v < 0.1:
		return strconv.FormatFloat(v, 'g', 1, 64)
	case v < 9.95:
		return strconv.FormatFloat(v, 'f', 1, 64)
	default:
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
}

// worst is the greatest loss of statements, to the strongest observer.
func worst(list []statement) float64 {
	if len(list) == 0 {
		return math.NaN()
	}
	loss := 0.0
	for _, s := range list {
		loss = math.Max(loss, s.epsilon)
	}
	return loss
}
