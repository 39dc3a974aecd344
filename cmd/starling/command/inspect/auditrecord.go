package inspect

import (
	"starling/cmd/starling/command/shell"
	"starling/mechanisms/audit"
	"starling/scenarios/auditing"
)

// auditRow is one audited loss as JSON, a line of the table with all its digits. It has the
// fields of auditing.Audited, which documents how each is computed.
type auditRow struct {
	// Arm is absent in an audit of mechanisms. Mechanism names the source of the noise, and
	// Inputs the two neighbouring inputs, in words.
	Arm       string `json:"arm,omitempty"`
	Mechanism string `json:"mechanism"`
	Inputs    string `json:"inputs"`
	// Claimed is the paper's words on the loss, such as an epsilon for every step.
	Claimed string `json:"claimed,omitempty"`
	// Claim is Claimed as an epsilon at Delta; 0 where the claim cannot be stated so.
	Claim shell.Number `json:"claim"`
	// Accounted is the epsilon at Delta that the ledger states; null where nothing
	// protects.
	Accounted shell.Number `json:"accounted"`
	// Audited is the lower bound on epsilon at Delta that the outcomes give. 0 says
	// nothing.
	Audited shell.Number `json:"audited"`
	Delta   shell.Number `json:"delta"`
	// Confidence is the confidence of this bound alone. All bounds together have the
	// confidence of the report.
	Confidence shell.Number `json:"confidence"`
	// Samples is the number of outcomes of each input that were drawn. Canaries is the number
	// of records that were told apart in one run, in place of samples. Shown is the number of
	// samples with which the loss was first exceeded, absent where it is not.
	Samples  int `json:"samples"`
	Canaries int `json:"canaries,omitempty"`
	Shown    int `json:"shown_with,omitempty"`
	// Private is false where Accounted is null.
	Private bool `json:"private"`
	// Reach is the largest bound that so many samples can give; 0 for an audit in one
	// run.
	Reach shell.Number `json:"reach"`
	// Exceeded: Audited is above Accounted. Beyond: Audited is above Claim, where there
	// is one.
	Exceeded bool `json:"exceeded"`
	Beyond   bool `json:"beyond_claim"`
	// Moved is the distance that the inputs move a release, over the stated distance, where it
	// is larger than that; absent elsewhere.
	Moved shell.Number `json:"moved_beyond,omitzero"`
	// Seed is the seed of the audit, not of a run of the scenario.
	Seed uint64 `json:"seed"`
	// Statistic gave the bound; absent for the likelihood ratio.
	Statistic string `json:"statistic,omitempty"`
	// Needed is the number of samples that --power asks for; absent where the pilot does not
	// determine it. Asked is the number that was to be drawn, absent where the time allowed as
	// many.
	Needed int `json:"needed,omitempty"`
	Asked  int `json:"asked,omitempty"`
	// Noise is the comparison of moments; absent where none were taken.
	Noise *auditNoise `json:"noise,omitempty"`
}

// auditNoise compares the moments of the noise with the stated ones. The moments are means,
// squares and covariances of the noise that runs have drawn, divided by their stated
// deviations.
type auditNoise struct {
	// AsStated means that no moment deviates. Runs is the number of runs over which the
	// moments are taken, and Tests the number of moments that were compared.
	AsStated bool `json:"as_stated"`
	Runs     int  `json:"runs"`
	Tests    int  `json:"tests"`
	// Miss is the chance, at most, that correct noise deviates in any of the tests.
	Miss shell.Number `json:"miss"`
	// Correlation is such that a larger one between two residuals would have shown.
	Correlation shell.Number `json:"correlation"`
	// Deviating is the number of tests that deviate; Deviations has the clearest of them.
	Deviating  int              `json:"deviating"`
	Deviations []auditDeviation `json:"deviations,omitempty"`
}

// auditDeviation is a moment that is not 0 within its limit. Value is a mean over its
// standard deviation, or a correlation, and Limit is in the same unit. Residuals names
// the moment in words.
type auditDeviation struct {
	Residuals string       `json:"residuals"`
	Value     shell.Number `json:"value"`
	Limit     shell.Number `json:"limit"`
}

// mostDeviations is the number of moments that are named, the clearest first. Where noise is
// broken thousands of moments deviate, and a reader learns nothing from the last of them.
const mostDeviations = 8

// noiseObject is the comparison of moments as JSON; nil where no moments were taken.
func noiseObject(n *audit.Noise) *auditNoise {
	if n == nil {
		return nil
	}
	o := &auditNoise{
		AsStated: n.AsStated(), Runs: n.Runs, Tests: n.Tests, Miss: shell.Number(n.Miss), Correlation: shell.Number(n.Correlation), Deviating: len(n.Deviations),
	}
	for _, d := range n.Deviations[:min(mostDeviations, len(n.Deviations))] {
		o.Deviations = append(o.Deviations, auditDeviation{d.Residuals, shell.Number(d.Value), shell.Number(d.Limit)})
	}
	return o
}

// auditReport is the object that audit --json prints.
type auditReport struct {
	// Confidence is the confidence of all bounds together.
	Confidence shell.Number `json:"confidence"`
	// Noise is the ratio of the drawn noise to the accounted noise: 1, or the scale of
	// --sabotage.
	Noise shell.Number `json:"noise"`
	// Losses has a row for each audited loss, in the order of the table.
	Losses []auditRow `json:"losses"`
}

// auditObject is an audit as JSON. Losses is an empty list and not null where nothing was
// audited.
func auditObject(found []auditing.Audited, o auditing.Options) auditReport {
	report := auditReport{Confidence: shell.Number(o.Confidence), Noise: shell.Number(o.Noise), Losses: []auditRow{}}
	for i := range found {
		a := &found[i]
		report.Losses = append(report.Losses, auditRow{
			Arm: a.Arm, Mechanism: a.Mechanism, Inputs: a.Inputs, Claimed: a.Claimed,
			Accounted: shell.Number(a.Accounted), Audited: shell.Number(a.Audited), Delta: shell.Number(a.Delta), Confidence: shell.Number(a.Confidence),
			Samples: a.Samples, Canaries: a.Canaries, Shown: a.Shown, Private: a.Private(), Reach: shell.Number(a.Reach), Exceeded: a.Exceeded(),
			Claim: shell.Number(a.Claim), Beyond: a.BeyondClaim(), Moved: shell.Number(a.Beyond), Seed: a.Seed, Statistic: a.Statistic, Needed: a.Needed, Asked: a.Asked, Noise: noiseObject(a.Noise),
		})
	}
	return report
}
