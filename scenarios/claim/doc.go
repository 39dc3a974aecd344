// Package claim decides a paper's claims on its experiments from the results of a run of ours.
// A claim is data: a sentence in our words, its place in the paper, and the test that decides
// it. The package reads claim files, runs the tests, and reports decisions for readers and for
// programs; expected verdicts turn reports into a regression test. It runs no scenario and
// writes no file.
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
//     about another arm's;
//   - scaling: the exponent of its growth in a size that each arm has, such as its nodes
//     or its horizon, is below or above a number;
//   - ratio: the arms are in stated proportions;
//   - not-testable: with the reason.
//
// A metric with a window is the mean over the recorded steps of a part of the horizon that
// ends at the step, under each seed. A metric that swings from step to step is compared over a
// window and not at one step. The accuracy under noise of the tree mechanism is such a metric:
// it depends on the number of ones in the step's binary digits.
//
// A metric with a target is read at the first recorded step, under each seed, at which another metric is as
// good as a value: the seconds, the steps or the bytes until then. An arm with a seed that never reaches the value
// is not tested.
//
// A test reduces a claim to parts, each a number with its claimed range, such as a difference
// of two arms that has to be above 0. A number has a confidence interval:
//
//   - of values under n seeds, mean ± c s/√n. Metrics are skewed, and Student's t of a
//     few seeds would be wrong hundreds of times as often as stated: c is the quantile of
//     the same ratio where the values have the exponential law, the most skewed law
//     with a log-concave density (numeric.SkewedStudent). Normal values are covered
//     more often than stated. Laws that are more skewed, such as the lognormal law of
//     deviation 1, are missed more often, up to about ten times. Differences and ratios
//     are paired by seed, a ratio of means linearised about its value;
//   - of a quantity with two values, such as an event and its absence, at least the
//     exact interval of Clopper and Pearson for the frequency of each;
//   - of a share that is the same under all n seeds, the exact interval of a mean of
//     which a fraction p can be anything from 0 to 1: n seeds miss a fraction p with chance
//     (1-p)^n;
//   - of a statistic over seeds with a standard error of its own, such as
//     regret.expected, the same with that error. Where two of them meet their
//     errors are added, which is right for every dependence between them;
//   - numbers that are derived and not measured, notes, and numbers under each seed have an
//     interval of width 0. So have privacy losses, traffic and other metrics that are
//     declared as derived, where all seeds agree.
//
// One seed, an infinite or undefined number, a note that is no number, and another metric that
// is the same under all seeds, which bounds no mean over others, have no interval: the part is
// not tested. A part is for the claim if its interval lies wholly in the range, against it if
// wholly outside, and undecided otherwise. Intervals have the levels of Holm's steps over the
// tested parts of a claim. So the chance of deciding wrongly any part that is on the edge of
// its range is at most 1 - level. They are not simultaneous intervals.
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
//	results folder           --Read----> Data            the values that the claims need
//	Claim.Test.parts(Data)               -> Part         a number and its range
//	decide                               -> State        interval by Holm, skewed Student
//	verdict                              -> Verdict      of all parts together
//	reports.go, expected.go              -> reports of decisions, and the verdicts expected of later runs
//
// A claim that does not hold is a finding. Nothing is tuned until it holds: a Remark names the
// error of the paper that explains it, where one is known.
package claim
