package command

import (
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/mechanisms/accountant"
	"starling/scenarios/document"
)

// laplaceRelease is Laplace noise on one or more releases, and the delta at which their losses compose.
type laplaceRelease struct {
	epsilon, scale, sensitivity, delta float64
	releases                           int
}

// newAccountLaplace is account laplace: from a privacy loss to the scale of the noise, or back. Exactly one of the
// flags --epsilon and --scale is given.
func newAccountLaplace() *cobra.Command {
	var l laplaceRelease
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "laplace --sensitivity S {--epsilon EPS | --scale B}",
		Short: "Calibrate Laplace noise to epsilon, or account its loss",
		Long: `Calibrate Laplace noise of scale B on every coordinate, whose standard deviation is
B times the square root of 2, for a vector that one datum moves by at most the
sensitivity in 1-norm: with --epsilon, print the least scale whose privacy loss is
within it; with --scale, print the loss. One release has sensitivity/B.

The losses of --releases add up. With --delta they compose more sharply, by the
distribution of the loss of Laplace noise, and --epsilon is the loss of all
releases together at delta. With --json, print an object of scale, epsilon,
delta, releases and epsilon_each.`,
		Example: `  starling account laplace --epsilon 1 --sensitivity 2
  starling account laplace --scale 10 --sensitivity 1 --releases 100 --delta 1e-5`,
		Args: shell.Exactly(0, "flags only"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := shell.NeedFlags(cmd, "sensitivity"); err != nil {
				return err
			}
			if cmd.Flags().Changed("epsilon") == cmd.Flags().Changed("scale") {
				return shell.Usage(fmt.Errorf("account laplace needs one of --epsilon and --scale"))
			}
			values, err := l.account(cmd.Flags().Changed("epsilon"))
			if err != nil {
				return shell.Usage(err)
			}
			return printAccounted(cmd.OutOrStdout(), l.finding(float64(values[0].value), float64(values[1].value)), values, asJSON)
		},
	}
	flags := cmd.Flags()
	shell.Synonyms(flags, map[string]string{"eps": "epsilon"})
	flags.Float64Var(&l.epsilon, "epsilon", 0, "`EPS` above 0 of all releases, also as --eps")
	flags.Float64Var(&l.scale, "scale", 0, "scale `B` of the noise, above 0")
	flags.Float64Var(&l.sensitivity, "sensitivity", 0, "how far one datum moves the vector in 1-norm, `S` above 0 (required)")
	flags.IntVar(&l.releases, "releases", 1, "number of releases `K` of which one datum is part")
	flags.Float64Var(&l.delta, "delta", 0, "`DELTA` at which the losses of releases compose; 0 adds them up")
	flags.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// account returns scale, epsilon, delta, releases and the epsilon of each release. Errors name the flag that is out
// of its range.
func (l *laplaceRelease) account(calibrated bool) ([]accounted, error) {
	// The conditions are negated so that NaN is refused.
	switch {
	case !(l.sensitivity > 0) || math.IsInf(l.sensitivity, 1):
		return nil, fmt.Errorf("--sensitivity %v is not a finite number above 0", l.sensitivity)
	case calibrated && (!(l.epsilon > 0) || math.IsInf(l.epsilon, 1)):
		return nil, fmt.Errorf("--epsilon %v is not a finite number above 0", l.epsilon)
	case !calibrated && (!(l.scale > 0) || math.IsInf(l.scale, 1)):
		return nil, fmt.Errorf("--scale %v is not a finite number above 0", l.scale)
	case l.releases < 1:
		return nil, fmt.Errorf("--releases %d is not a number of at least 1", l.releases)
	case !(l.delta >= 0 && l.delta < 1):
		return nil, fmt.Errorf("--delta %v is not in [0, 1)", l.delta)
	}
	each := l.sensitivity / l.scale
	var err error
	if calibrated {
		if each, err = l.eachWithin(l.epsilon); err != nil {
			return nil, err
		}
	}
	all, err := l.together(each)
	return []accounted{
		{"scale", shell.Number(l.sensitivity / each)}, {"epsilon", shell.Number(all)}, {"delta", shell.Number(l.delta)},
		{"releases", shell.Number(l.releases)}, {"epsilon_each", shell.Number(each)},
	}, err
}

// together is the epsilon of all releases at delta where each has one.
func (l *laplaceRelease) together(each float64) (float64, error) {
	var total accountant.Total
	total.AddTimes(accountant.Loss{Epsilon: each, Laplace: each}, l.releases)
	return total.Epsilon(l.delta, accountant.PLD)
}

// eachWithin is the largest epsilon of each release with which all of them are within one.
func (l *laplaceRelease) eachWithin(epsilon float64) (float64, error) {
	low, high := epsilon/float64(l.releases), epsilon // the sum, and no loss but of one release
	if l.releases == 1 || l.delta == 0 {
		return low, nil
	}
	const halvings = 40
	for range halvings {
		middle := (low + high) / 2
		all, err := l.together(middle)
		if err != nil {
			return 0, err
		}
		if all <= epsilon {
			low = middle
		} else {
			high = middle
		}
	}
	return low, nil
}

// finding states the privacy loss in a sentence.
func (l *laplaceRelease) finding(scale, epsilon float64) string {
	of, at := "", ""
	if l.releases > 1 {
		of = " for " + document.Counted(l.releases, "release")
	}
	if l.delta > 0 {
		at = fmt.Sprintf(" at δ = %.4g", l.delta)
	}
	return fmt.Sprintf("Laplace noise of scale %.4g on every coordinate gives ε = %.4g%s%s, where a datum moves the vector by %.4g in 1-norm.", scale, epsilon, at, of, l.sensitivity)
}
