package command

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/mechanisms/factorization"
	"starling/scenarios/document"
	"starling/scenarios/forecast"
	"starling/scenarios/limits"
	"starling/scenarios/results/figure"
)

// factorizeFlags are the flags of factorize.
type factorizeFlags struct {
	// kind is one kind or, with --plot, several with commas between them.
	kind string
	// options are the options of factorization.New, but for the kind.
	options factorization.Options
	// inputs is the number of inputs that a record is in; fit has the factorization fitted to
	// it.
	inputs factorization.Participation
	fit    bool
	// plot is the file to draw to; empty prints a table.
	plot string
	// memory is the memory that may be taken, such as 8GiB, and most the same in bytes; 0 is
	// no limit.
	memory  string
	most    int64
	json    bool
	privacy factorizePrivacy
}

// factorizePrivacy is the privacy for which the noise is calibrated. Without --epsilon the
// factorization is described at unit sensitivity and unit noise, and nothing here is used.
type factorizePrivacy struct {
	// epsilon and delta are the target of the calibration. sensitivity is the distance by
	// which one datum moves an input in 2-norm, 1 by default.
	epsilon, delta, sensitivity float64
	// accountant is zcdp or exact; see calibrate.
	accountant string
	// given is true if --epsilon is on the command line: without it no noise is calibrated.
	given bool
}

// newFactorize is the verb factorize. It shows the cost of correlated noise before a scenario
// is written.
func newFactorize() *cobra.Command {
	var flags factorizeFlags
	cmd := &cobra.Command{
		Use:   "factorize --kind KIND --n N",
		Short: "Factorize prefix sums for correlated noise",
		Long: `Factorize the n x n lower triangle of ones as A = BC, and print the error and
memory of correlated noise B xi on n prefix sums: mse, the mean variance of a sum at unit
sensitivity; max_error, its largest standard deviation; sensitivity, the largest
column norm of C; gap, a certified bound on the distance of the mse from the
least possible (of optimal and ar-sum); seconds; and the numbers that a stream of the
noise keeps for each coordinate. With --epsilon and --delta, also the noise
for that privacy: sigma, the standard deviation of xi, where one datum moves one
input by at most --sensitivity, and rmse, the root mean square error of a sum of
one coordinate. A record that takes part in --times inputs, at least --apart steps
apart, moves the release further: mse, max_error, sensitivity, sigma and rmse are
then for such a record, and --fit has the coefficients of banded-toeplitz and blt
be the best for it. With --plot, draw the mse of all kinds, or of
the kinds that --kind lists, over n up to N.

The kinds: ` + strings.Join(kindNames(), ", ") + `.`,
		Example: `  starling factorize --kind optimal --n 1024 --gap 1e-9
  starling factorize --kind ar-sum --n 1000000 --chains 6 --json
  starling factorize --kind toeplitz --n 4096 --epsilon 2 --delta 1e-3
  starling factorize --kind blt --buffers 2 --n 2052 --times 6 --apart 342 --fit
  starling factorize --kind tree,toeplitz,optimal --n 4096 --plot mse.svg`,
		Args: shell.Exactly(0, "flags only"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := shell.NeedFlags(cmd, "n"); err != nil {
				return err
			}
			var err error
			if _, flags.most, err = processLimits(0, flags.memory); err != nil {
				return err
			}
			if err := flags.privacy.check(cmd); err != nil {
				return err
			}
			if err := flags.inputs.Validate(); err != nil {
				return shell.Usage(err)
			}
			if flags.plot != "" {
				if flags.inputs != factorization.Once || flags.fit {
					return shell.Usage(errors.New("--plot draws the mse of a record in one input; --times, --apart and --fit are not for it"))
				}
				return plotFactorizations(cmd, flags)
			}
			if err := shell.NeedFlags(cmd, "kind"); err != nil {
				return err
			}
			return factorize(cmd, flags)
		},
	}
	o := &flags.options
	cmd.Flags().StringVar(&flags.kind, "kind", "", "the factorization; with --plot, several, separated by commas")
	cmd.Flags().IntVar(&o.N, "n", 0, "the number of steps (required)")
	cmd.Flags().IntVar(&o.Chains, "chains", 0, fmt.Sprintf("autoregressive chains of ar-sum, %d if absent", usualChains))
	cmd.Flags().IntVar(&o.Bands, "bands", 0, fmt.Sprintf("nonzero diagonals of C of banded-toeplitz, %d if absent", usualBands))
	cmd.Flags().IntVar(&o.Buffers, "buffers", 0, fmt.Sprintf("geometric sequences of blt, %d if absent", usualBuffers))
	cmd.Flags().IntVar(&flags.inputs.Times, "times", 1, "in how many inputs a record takes part at most, `K`")
	cmd.Flags().IntVar(&flags.inputs.Apart, "apart", 1, "how many steps two of them are apart at least, `B`")
	cmd.Flags().BoolVar(&flags.fit, "fit", false, "fit banded-toeplitz or blt to such a record")
	cmd.Flags().Float64Var(&o.Gap, "gap", factorization.DefaultGap, "relative gap to which optimal and ar-sum find the optimum")
	p := &flags.privacy
	shell.Synonyms(cmd.Flags(), map[string]string{"eps": "epsilon"})
	cmd.Flags().Float64Var(&p.epsilon, "epsilon", 0, "calibrate the noise to (`EPS`, DELTA)")
	cmd.Flags().Float64Var(&p.delta, "delta", 0, "`DELTA` between 0 and 1, with --epsilon")
	cmd.Flags().Float64Var(&p.sensitivity, "sensitivity", 1, "how far one datum moves an input in 2-norm, `S` above 0, with --epsilon")
	cmd.Flags().StringVar(&p.accountant, "accountant", "exact", "zcdp or exact, with --epsilon")
	cmd.Flags().StringVar(&flags.plot, "plot", "", "draw the mse over n to this file: .svg, .png or .pdf")
	cmd.Flags().StringVar(&flags.memory, "memory", "", "memory that it may take, such as 8GiB; default: four fifths of the machine's or the container's")
	cmd.Flags().BoolVar(&flags.json, "json", false, "print JSON")
	return cmd
}

// kindNames are the names of the factorizations.
func kindNames() []string {
	var names []string
	for _, kind := range factorization.Kinds() {
		names = append(names, string(kind))
	}
	return names
}

// The defaults of kinds with a size of their own.
const (
	usualChains  = 6
	usualBands   = 64
	usualBuffers = 4
)

// of returns the options for a kind and a number of steps n. A size that the kind uses has its
// usual value by default. A size that the kind does not use stays as the user has given it,
// and factorization.Options.Validate refuses it.
func (f *factorizeFlags) of(kind factorization.Kind, n int) factorization.Options {
	o := f.options
	if o.Kind, o.N = kind, n; f.plot != "" {
		o.Bands = min(o.Bands, n)
	}
	if f.fit {
		o.Fit = f.inputs
	}
	// set gives an option its usual value where the kind uses it and it was not given.
	set := func(value *int, usual int, uses bool) {
		if uses && *value == 0 {
			*value = usual
		}
	}
	set(&o.Chains, usualChains, kind == factorization.ARSum)
	set(&o.Bands, min(usualBands, n), kind == factorization.BandedToeplitz)
	set(&o.Buffers, usualBuffers, kind == factorization.BLT)
	// The gap has a default on the command line, which a kind that solves no optimization
	// must not see.
	if kind != factorization.Optimal && kind != factorization.ARSum && o.Gap == factorization.DefaultGap {
		o.Gap = 0
	}
	return o
}

// check refuses options that cannot be met, and factorizations that do not fit in memory: the
// garbage collector needs some of it, too.
func (f *factorizeFlags) check(o factorization.Options) error {
	if err := o.Validate(); err != nil {
		return shell.Usage(err)
	}
	bytes := o.Bytes()
	if f.inputs.Times > 1 { // coefficients of C, and a ring of as many rows as inputs are apart
		bytes += float64(8 * (float64(o.N) + float64(min(f.inputs.Apart, o.N))))
	}
	const room = 1.25
	if needed := int64(room * bytes); f.most > 0 && needed > f.most {
		return shell.Usage(fmt.Errorf("factorization %s of %d steps takes about %s of memory, and may take %s; raise --memory, or take a kind that keeps nothing for a step, such as tree-online or blt",
			o.Kind, o.N, forecast.FormatBytes(needed), forecast.FormatBytes(f.most)))
	}
	return nil
}

// factorize builds one factorization and prints its cost. The time that it prints is the time
// of building the factorization, and not of drawing noise.
func factorize(cmd *cobra.Command, flags factorizeFlags) error {
	if err := oneOf("kind", flags.kind, kindNames()...); err != nil {
		return err
	}
	options := flags.of(factorization.Kind(flags.kind), flags.options.N)
	if err := flags.check(options); err != nil {
		return err
	}
	began := time.Now()
	board := &limits.Board{}
	stop := shell.ShowWork(cmd, board)
	f, err := built(cmd.Context(), board, options)
	stop()
	if err != nil {
		return err
	}
	sensitivity, err := f.SensitivityOf(flags.inputs)
	if err != nil {
		return err
	}
	further := sensitivity / f.Sensitivity() // than a record in one input
	values := []accounted{
		{"mse", shell.Number(f.MSE() * further * further)},
		{"max_error", shell.Number(f.MaxError() * further)},
		{"sensitivity", shell.Number(sensitivity)},
		{"gap", shell.Number(f.Gap())},
		{"seconds", shell.Number(time.Since(began).Seconds())},
		{"memory_per_coordinate", shell.Number(f.MemoryPerCoordinate())},
	}
	noise, err := flags.privacy.noise(f, further)
	if err != nil {
		return shell.Usage(err)
	}
	mse, largest := float64(values[0].value), float64(values[1].value)
	finding := fmt.Sprintf("At a noise multiplier of 1, the factorization %s adds to %s a variance of %.4g on average, and a standard deviation of at most %.4g.", options.Kind, document.Counted(options.N, "prefix sum"), mse, largest)
	return printAccounted(cmd.OutOrStdout(), finding, append(values, noise...), flags.json)
}

// built returns a factorization. It reports its progress on a board, and ends with a context.
func built(ctx context.Context, board *limits.Board, o factorization.Options) (*factorization.Factorization, error) {
	notice := board.Begin(fmt.Sprintf("factorization %s of %d steps", o.Kind, o.N))
	defer notice.End()
	return factorization.Build(o, func(p factorization.Progress) error {
		notice.Tell(p.String())
		return ctx.Err()
	})
}

// check refuses flags of privacy that miss their partner: epsilon and delta go together,
// and sensitivity and accountant need both. No privacy parameter has a default. check
// also notes whether noise is asked for.
func (p *factorizePrivacy) check(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	p.given = given("epsilon")
	switch {
	case p.given != given("delta"):
		return shell.Usage(errors.New("--epsilon and --delta need each other"))
	case p.given && given("plot"):
		return shell.Usage(errors.New("--plot draws the mse at unit sensitivity; --epsilon is not for it"))
	}
	if !given("epsilon") && (given("sensitivity") || given("accountant")) {
		return shell.Usage(errors.New("--sensitivity and --accountant calibrate noise; they need --epsilon and --delta"))
	}
	return oneOf("accountant", p.accountant, "zcdp", "exact")
}

// noise returns epsilon and delta, sigma, which is the standard deviation of a coordinate
// of xi, and rmse, which is the root mean square error of a sum of one coordinate. One
// datum moves one input by at most sensitivity in 2-norm, and so moves C x by at most
// sensitivity times the largest column norm of C, or further by a factor where it is in
// several inputs. noise returns nothing where no privacy is asked for.
func (p *factorizePrivacy) noise(f *factorization.Factorization, further float64) ([]accounted, error) {
	if !p.given {
		return nil, nil
	}
	values, err := calibrate(p.epsilon, p.delta, p.sensitivity, p.accountant)
	if err != nil {
		return nil, err
	}
	// unit is the deviation for an input that moves by sensitivity, without C. sigma
	// needs the column norm of C besides; the mse is at a sensitivity of 1, so that the
	// norm is in it already.
	unit := float64(values[0].value)
	return []accounted{
		{"epsilon", shell.Number(p.epsilon)}, {"delta", shell.Number(p.delta)},
		{"sigma", shell.Number(unit * further * f.Sensitivity())}, {"rmse", shell.Number(unit * further * math.Sqrt(f.MSE()))},
	}, nil
}

// plotFactorizations draws the mean squared error of kinds over n, at powers of two below
// N and at N, on logarithmic axes. Kinds with a size of their own have the same size at
// each n; the bands are at most n.
func plotFactorizations(cmd *cobra.Command, flags factorizeFlags) error {
	if err := shell.CheckFigureFile("plot", flags.plot); err != nil {
		return err
	}
	kinds := kindNames()
	if flags.kind != "" {
		kinds = strings.Split(flags.kind, ",")
	}
	var sizes []int
	for n := 1; n < flags.options.N; n *= 2 {
		sizes = append(sizes, n)
	}
	sizes = append(sizes, flags.options.N)
	f := figure.Figure{
		Title: "Error of factorizations of prefix sums", XLabel: "number of steps n", YLabel: "mse at unit sensitivity",
		LogX: true, LogY: true,
	}
	for _, kind := range kinds {
		if err := oneOf("kind", kind, kindNames()...); err != nil {
			return err
		}
		for _, n := range []int{1, flags.options.N} {
			if err := flags.check(flags.of(factorization.Kind(kind), n)); err != nil {
				return err
			}
		}
	}
	board := &limits.Board{}
	defer board.Begin("figure of the mse").End()
	defer shell.ShowWork(cmd, board)()
	for _, kind := range kinds {
		series := figure.Series{Name: kind}
		for _, n := range sizes {
			options := flags.of(factorization.Kind(kind), n)
			factors, err := built(cmd.Context(), board, options)
			if err != nil {
				return err
			}
			series.X, series.Y = append(series.X, float64(n)), append(series.Y, factors.MSE())
		}
		f.Series = append(f.Series, series)
	}
	return figure.Save(f, flags.plot)
}
