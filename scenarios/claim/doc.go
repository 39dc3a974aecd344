// Package claim decides what a paper claims of its experiments from what a run
// of ours left. A claim is data: a sentence in our words, where the paper says
// it, and the test that decides it. The package reads claim files and runs the
// tests; it runs no scenario and writes no file.
//
// The kinds of tests, each on a metric at a step or over steps:
//
//   - ordered: the arms, as listed, ascend;
//   - close: the arms differ from the first, or the nodes of a run from each
//     other, by no more than a margin;
//   - at-most, at-least: a metric, a ratio of two, or a note of the run against
//     a number or a note;
//   - trend: the metric falls, or grows, from one step to another;
//   - exponent: the exponent of its growth in t is below or above a number, or
//     about that of another arm;
//   - scaling: the exponent of its growth in a size that each arm has, such as its nodes
//     or its horizon, is below or above a number;
//   - ratio: the arms are in stated proportions;
//   - not-testable: with the reason.
//
// A metric with a window is the mean over the recorded steps of a part of the
// horizon that ends at the step, under each seed. A metric that swings from step to
// step, such as the accuracy under noise of the tree mechanism, which depends on how
// many bits of the step are set, is compared over a window and not at one step.
//
// A test reduces a claim to parts, each a number with the range that the claim
// has it in, such as a difference of two arms that has to be above 0. A number
// has a confidence interval:
//
//   - of values under n seeds, mean ± c s/√n. Metrics are skewed, and Student's t of a
//     few seeds would be wrong hundreds of times as often as it says: c is the quantile of
//     the same ratio where the values have the exponential law, the most skewed of those
//     whose density is log-concave (probability.SkewedStudent). Normal values are covered
//     more often than stated. Laws that are more skewed, such as the lognormal law of
//     deviation 1, are missed more often, up to about ten times. Differences and ratios
//     are paired by seed, a ratio of means linearised about its value;
//   - of values of which there are two, such as what happens or does not, at least the
//     exact interval of Clopper and Pearson for how often each is met;
//   - of a share that is the same under all n seeds, the exact interval of a mean of
//     which a part p is anything from 0 to 1, where n seeds miss a part p with the chance
//     (1-p)^n;
//   - of a statistic over seeds with a standard error of its own, such as
//     regret.expected, the same with that error. Where two of them meet their
//     errors are added, which is right for every dependence between them;
//   - what is derived and not measured, notes, and what a claim has under each seed, has an
//     interval of width 0. So have privacy losses, traffic and other metrics that are
//     declared as derived, where all seeds agree.
//
// One seed, an infinite or undefined number, a note that is no number, and another metric
// that is the same under all seeds, which bounds no mean over others, have no
// interval: the part is not tested. A part is for the claim if its interval lies
// wholly in the range, against it if wholly outside, and undecided otherwise.
// Intervals are those of Holm's steps over the tested parts of a claim, so that
// the chance of deciding any part wrongly that is on the edge of its range is at
// most 1 - level. They are not simultaneous intervals.
//
// The level of a claim is ClaimLevel, 99.99 %, unless its test states another:
// Bonferroni's correction of FamilyLevel, 95 %, for FamilyClaims claims, 500. So
// the chance that any part in the whole library is decided wrongly is at most
// 5 %. The level is constant because a verdict must depend on the run alone: not
// on which scenarios are reproduced with it, and not on claims that are added to
// the library later.
//
// A claim is for all of its parts: one that is refuted refutes it. The verdict,
// in this order:
//
//   - not testable: no part was tested;
//   - does not hold: some part is against the claim;
//   - holds: all parts were tested and are for it;
//   - partly: some part is for it and none against; the others are undecided or
//     were not tested;
//   - undecided: no part is for it or against it.
//
// # From a file to a verdict
//
//	library/claims/NAME.yaml --Decode--> File --Check--> the arms exist
//	results folder           --Read----> Data            what the claims need of it
//	Claim.Test.parts(Data)               -> Part         a number and its range
//	decide                               -> State        interval by Holm, skewed Student
//	verdict                              -> Verdict      of all parts together
//	claim/verdicts                       -> reports, and the verdicts expected of later runs
//
// A claim that does not hold is a finding. Nothing is tuned until it holds: a Remark says
// which error of the paper explains it, where one is known.
package claim
