package command

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/mechanisms/accountant"
	"starling/scenarios/document"
	"starling/scenarios/results/tabular"
)

// accountVerbs returns the verbs of this package.
func accountVerbs() []*cobra.Command { return []*cobra.Command{newAccount(), newFactorize()} }

// newAccount is the verb account. It has a verb of its own for each kind of noise.
func newAccount() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "account gaussian|laplace|sampled-gaussian",
		Short: "Calibrate noise to a privacy loss, or account the loss of noise",
		Long: `Calibrate Gaussian noise to (epsilon, delta) or Laplace noise to epsilon, or account
the privacy loss of either, and of steps of the sampled Gaussian mechanism. No
privacy parameter has a default.

Exit status: 0 done, 1 failed, 2 bad input.`,
		Example: `  starling account gaussian --epsilon 2 --delta 1e-3 --sensitivity 1
  starling account laplace --scale 10 --sensitivity 1 --releases 100 --delta 1e-5
  starling account sampled-gaussian --q 0.015 --sigma 1.1 --steps 1000 --delta 1e-5`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return shell.UnknownVerb(cmd, args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newAccountGaussian(), newAccountLaplace(), newAccountSampled())
	cmd.SetFlagErrorFunc(func(of *cobra.Command, err error) error {
		if words := of.Flags().Args(); of == cmd && len(words) > 0 { // the flags are of a verb that there is not
			return shell.UnknownVerb(cmd, words[0])
		}
		return shell.FlagError(of, err)
	})
	return cmd
}

// accounted is a value that account or factorize prints, with its name: the head of a
// column of the table, and the name in JSON.
type accounted struct {
	name  string
	value shell.Number
}

// newAccountGaussian is account gaussian. Epsilon, delta and sensitivity have no default:
// a privacy parameter that nobody chose would be taken for a recommendation.
func newAccountGaussian() *cobra.Command {
	var epsilon, sigma, delta, sensitivity float64
	var by string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "gaussian {--epsilon EPS | --sigma SIGMA} --delta DELTA --sensitivity S",
		Short: "Calibrate Gaussian noise to (epsilon, delta), or account its loss",
		Long: `Calibrate Gaussian noise, of standard deviation sigma on every coordinate, to
(epsilon, delta) for a vector that one datum moves by at most the sensitivity in
2-norm. With --sigma in place of --epsilon, print the epsilon of that noise. The noise of a whole stream of correlated noise is calibrated by the
largest column norm times how far one datum moves its input.

The accountant zcdp takes the rho whose classic conversion gives (epsilon,
delta), exact the least noise that is private enough (Balle, Wang 2018). With
--json, print an object of sigma, epsilon, delta and rho.`,
		Example: `  starling account gaussian --epsilon 2 --delta 1e-3 --sensitivity 1
  starling account gaussian --epsilon 0.5 --delta 1e-3 --sensitivity 2 --accountant zcdp --json`,
		Args: shell.Exactly(0, "flags only"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("sigma") {
				if err := shell.NeedFlags(cmd, "epsilon", "delta", "sensitivity"); err != nil {
					return err
				}
			}
			if err := shell.NeedFlags(cmd, "delta", "sensitivity"); err != nil {
				return err
			}
			if cmd.Flags().Changed("sigma") && cmd.Flags().Changed("epsilon") {
				return shell.Usage(errors.New("account gaussian takes one of --epsilon and --sigma: the loss, or the noise"))
			}
			if err := oneOf("accountant", by, "zcdp", "exact"); err != nil {
				return err
			}
			if err := checkDelta(delta); err != nil {
				return err
			}
			values, err := calibrate(epsilon, delta, sensitivity, by)
			if cmd.Flags().Changed("sigma") {
				values, err = lossOfGaussian(sigma, delta, sensitivity, by)
			}
			if err != nil {
				return shell.Usage(err)
			}
			epsilon := float64(values[1].value)
			finding := fmt.Sprintf("Gaussian noise of standard deviation %.4g on every coordinate gives ε = %.4g at δ = %.4g, where a datum moves the vector by %.4g in 2-norm.", float64(values[0].value), epsilon, delta, sensitivity)
			return printAccounted(cmd.OutOrStdout(), finding, values, asJSON)
		},
	}
	flags := cmd.Flags()
	shell.Synonyms(flags, map[string]string{"eps": "epsilon"})
	flags.Float64Var(&epsilon, "epsilon", 0, "`EPS` above 0, also as --eps (required, or --sigma)")
	flags.Float64Var(&sigma, "sigma", 0, "standard deviation `SIGMA` of the noise, above 0, in place of --epsilon")
	flags.Float64Var(&delta, "delta", 0, "`DELTA` between 0 and 1 (required)")
	flags.Float64Var(&sensitivity, "sensitivity", 0, "how far one datum moves the vector in 2-norm, `S` above 0 (required)")
	flags.StringVar(&by, "accountant", "exact", "zcdp or exact")
	flags.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// checkDelta refuses a value of --delta that is no probability below 1 and above 0.
func checkDelta(delta float64) error {
	if delta > 0 && delta < 1 {
		return nil
	}
	return shell.Usage(fmt.Errorf("--delta %v is not between 0 and 1", delta))
}

// calibrate returns sigma, epsilon, delta and rho, in that order. sigma is the standard
// deviation of the noise on each coordinate: sensitivity times the sigma for a sensitivity of
// 1. rho is the parameter of zero-concentrated privacy, 1 / (2 sigma^2) of the sigma at unit
// sensitivity.
//
// by names the accountant. "exact" takes the least sigma that is (epsilon, delta)-private, by
// the analytic Gaussian mechanism of Balle and Wang (2018). "zcdp" takes the rho for which the
// classic conversion gives (epsilon, delta); its sigma is larger.
//
// Errors name the flag that is out of its range.
func calibrate(epsilon, delta, sensitivity float64, by string) ([]accounted, error) {
	// Both conditions are negated so that NaN is refused.
	if !(sensitivity > 0) || math.IsInf(sensitivity, 1) {
		return nil, fmt.Errorf("--sensitivity %v is not a finite number above 0", sensitivity)
	}
	if !(epsilon > 0) {
		return nil, fmt.Errorf("--epsilon %v is not a number above 0", epsilon)
	}
	var unit, rho float64
	var err error
	if by == "exact" {
		unit, err = accountant.GaussianSigma(epsilon, delta)
		rho = accountant.GaussianRho(unit)
	} else {
		rho, err = accountant.RhoOf(epsilon, delta)
		unit = accountant.SigmaOfRho(rho)
	}
	return []accounted{
		{"sigma", shell.Number(sensitivity * unit)}, {"epsilon", shell.Number(epsilon)}, {"delta", shell.Number(delta)}, {"rho", shell.Number(rho)},
	}, err
}

// lossOfGaussian returns sigma, epsilon, delta and rho of noise of a standard deviation, as calibrate does of an epsilon.
func lossOfGaussian(sigma, delta, sensitivity float64, by string) ([]accounted, error) {
	if !(sensitivity > 0) || math.IsInf(sensitivity, 1) {
		return nil, fmt.Errorf("--sensitivity %v is not a finite number above 0", sensitivity)
	}
	if !(sigma > 0) || math.IsInf(sigma, 1) {
		return nil, fmt.Errorf("--sigma %v is not a finite number above 0", sigma)
	}
	unit := sigma / sensitivity
	epsilon, err := accountant.GaussianEpsilon(unit, delta)
	if by != "exact" {
		epsilon, err = accountant.ZCDPEpsilon(accountant.GaussianRho(unit), delta)
	}
	return []accounted{
		{"sigma", shell.Number(sigma)}, {"epsilon", shell.Number(epsilon)}, {"delta", shell.Number(delta)}, {"rho", shell.Number(accountant.GaussianRho(unit))},
	}, err
}

// newAccountSampled is account sampled-gaussian: from steps to epsilon, or from epsilon
// to steps. The flags --steps and --budget are the two directions, and exactly one is
// given.
func newAccountSampled() *cobra.Command {
	var s accountant.SampledGaussian
	var delta, budget float64
	var by string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "sampled-gaussian --q Q --sigma SIGMA --delta DELTA {--steps N | --budget EPS}",
		Short: "Account the steps of the sampled Gaussian mechanism",
		Long: `Account the steps of the sampled Gaussian mechanism, as in DP-SGD: every record
enters a step with probability q, its contribution is clipped, and the sum gets
Gaussian noise of sigma times the clipping norm. Neighbours differ by adding or
removing one record. With --steps, print the epsilon of that many steps at
delta; with --budget, the last number of steps whose epsilon is within it.

The accountant pld composes privacy loss distributions and is sharp: an upper
bound within a percent. rdp takes the Rényi divergences at whole orders 2 to 64
and their plain conversion, as most papers do; rdp-cks takes many orders and the
conversion of Canonne, Kamath and Steinke. With --json, print an object of epsilon, delta, steps and
order; the order is null where no Rényi order gave the epsilon.`,
		Example: `  starling account sampled-gaussian --q 0.015 --sigma 1.1 --steps 79 --delta 1e-5
  starling account sampled-gaussian --q 0.015 --sigma 1.1 --budget 2 --delta 1e-5 --accountant rdp --json`,
		Args: shell.Exactly(0, "flags only"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := shell.NeedFlags(cmd, "q", "sigma", "delta"); err != nil {
				return err
			}
			if err := checkDelta(delta); err != nil {
				return err
			}
			if cmd.Flags().Changed("steps") == cmd.Flags().Changed("budget") {
				return shell.Usage(fmt.Errorf("%s needs one of --steps and --budget", strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")))
			}
			if err := oneOf("accountant", by, methods()...); err != nil {
				return err
			}
			within := &budget
			if !cmd.Flags().Changed("budget") {
				within = nil
			}
			values, err := accountSteps(s, delta, within, accountant.Method(by))
			if err != nil {
				return shell.Usage(err)
			}
			return printAccounted(cmd.OutOrStdout(), findingOfSteps(s, values, within), values, asJSON)
		},
	}
	flags := cmd.Flags()
	shell.Synonyms(flags, map[string]string{"epsilon": "budget", "eps": "budget"})
	flags.Float64Var(&s.Rate, "q", 0, "sampling rate `Q` from 0 to 1 (required)")
	flags.Float64Var(&s.Noise, "sigma", 0, "noise multiplier `SIGMA` (required)")
	flags.Float64Var(&delta, "delta", 0, "`DELTA` between 0 and 1 (required)")
	flags.IntVar(&s.Steps, "steps", 0, "number of steps `N`")
	flags.Float64Var(&budget, "budget", 0, "the epsilon `EPS` to stay within, also as --epsilon")
	flags.StringVar(&by, "accountant", string(accountant.PLD), strings.Join(methods(), ", "))
	flags.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// accountSteps returns epsilon, delta, steps and order: of the steps there are,
// or, where there is a budget, of the most that are within it.
func accountSteps(s accountant.SampledGaussian, delta float64, budget *float64, by accountant.Method) ([]accounted, error) {
	var epsilon, order float64
	var err error
	// The two directions. StepsWithin returns the most steps and their loss: an epsilon of at
	// most the budget, and the order that gives it.
	if budget == nil {
		epsilon, order, err = s.Epsilon(delta, by)
	} else {
		s.Steps, epsilon, order, err = s.StepsWithin(*budget, delta, by)
	}
	return []accounted{
		{"epsilon", shell.Number(epsilon)}, {"delta", shell.Number(delta)}, {"steps", shell.Number(s.Steps)}, {"order", shell.Number(order)},
	}, err
}

// methods returns the names of the accounting methods, for the flag and its error.
func methods() (names []string) {
	for _, m := range accountant.Methods() {
		names = append(names, string(m))
	}
	return names
}

// oneOf refuses a value that is not one of the known ones, and suggests the nearest.
func oneOf(flag, value string, known ...string) error {
	if slices.Contains(known, value) {
		return nil
	}
	return shell.Usage(fmt.Errorf("--%s %q is not one of %s%s", flag, value, strings.Join(known, ", "), document.Suggest(value, known, "")))
}

// findingOfSteps states the privacy loss of steps of the sampled Gaussian mechanism in a sentence.
func findingOfSteps(s accountant.SampledGaussian, values []accounted, budget *float64) string {
	epsilon, delta, steps := float64(values[0].value), float64(values[1].value), document.Counted(int(values[2].value), "step")
	of := fmt.Sprintf("at sampling rate %.4g and noise multiplier %.4g", s.Rate, s.Noise)
	switch {
	case math.IsInf(epsilon, 1):
		return fmt.Sprintf("%s %s have no bound on the privacy loss.", steps, of)
	case budget != nil:
		return fmt.Sprintf("%s %s stay within ε = %.4g: they reach ε = %.4g at δ = %.4g.", steps, of, *budget, epsilon, delta)
	}
	return fmt.Sprintf("%s %s have ε = %.4g at δ = %.4g.", steps, of, epsilon, delta)
}

// meanings are the words for the values that account and factorize print.
var meanings = map[string]string{
	"sigma":                 "standard deviation of the noise",
	"epsilon":               "privacy loss in nats",
	"delta":                 "additive part of the guarantee",
	"rho":                   "the same privacy in zCDP",
	"steps":                 "steps of the mechanism",
	"scale":                 "scale of the noise",
	"releases":              "releases that compose",
	"epsilon_each":          "privacy loss of one release",
	"order":                 "Rényi order of the epsilon",
	"mse":                   "mean variance of a prefix sum",
	"max_error":             "largest standard deviation of a sum",
	"sensitivity":           "how far one record moves the releases, in 2-norm",
	"gap":                   "bound on the distance to the optimum",
	"seconds":               "time of the computation",
	"memory_per_coordinate": "numbers kept for each coordinate",
	"rmse":                  "root mean square error of a sum",
}

// printAccounted prints the finding, and names and values: as a table of one row, on a terminal with a row
// for each value and its meaning, or as an object. A value that is NaN, such as the order where no Rényi order
// gave the epsilon, is an empty cell, no row, or null.
func printAccounted(w io.Writer, finding string, values []accounted, asJSON bool) error {
	if asJSON {
		object := map[string]shell.Number{} // encoded by name
		for _, v := range values {
			object[v.name] = v.value
		}
		return shell.WriteJSON(w, object)
	}
	if err := shell.WriteText(w, "", finding); err != nil {
		return err
	}
	fmt.Fprintln(w)
	width := shell.WidthOf(w)
	table := tableOfAccounted(values, width > 0)
	if width == 0 || width >= leastBeside {
		return shell.WriteTable(w, table)
	}
	return writeMeaningsBelow(w, table)
}

// leastBeside is the least width of a terminal on which a meaning stands beside its value.
const leastBeside = 60

// writeMeaningsBelow prints the quantities with their values, and each meaning below, for a narrow terminal.
func writeMeaningsBelow(w io.Writer, table tabular.Table) error {
	width := 0
	for _, row := range table.Rows {
		width = max(width, len(row[0]))
	}
	for _, row := range table.Rows {
		shell.Printf(w, "%-*s  %s\n", width, row[0], row[1])
		if err := shell.WriteText(w, "  ", row[2]); err != nil {
			return err
		}
	}
	return nil
}

// tableOfAccounted returns a table of one row, or where rows is set of one for each value, with its meaning.
func tableOfAccounted(values []accounted, rows bool) tabular.Table {
	table := tabular.Table{Header: make([]string, len(values)), Rows: [][]string{make([]string, len(values))}}
	upright := tabular.Table{Header: []string{"quantity", "value", "meaning"}}
	for i, v := range values {
		table.Header[i] = v.name
		if math.IsNaN(float64(v.value)) {
			continue
		}
		table.Rows[0][i] = strconv.FormatFloat(float64(v.value), 'g', 8, 64)
		upright.Rows = append(upright.Rows, []string{strings.ReplaceAll(v.name, "_", " "), table.Rows[0][i], meanings[v.name]})
	}
	if rows {
		return upright
	}
	return table
}
