package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"starling/mechanisms/factorization"
	"starling/scenarios/results/figure"
)

// factorizeFlags are the flags of factorize.
type factorizeFlags struct {
	kind    string
	options factorization.Options
	plot    string
	json    bool
}

func newFactorize() *cobra.Command {
	var flags factorizeFlags
	cmd := &cobra.Command{
		Use:   "factorize --kind KIND --n N",
		Short: "Factorize prefix sums for correlated noise",
		Long: `Factorize the n x n lower triangle of ones as A = BC, and say what correlated
noise B xi on n prefix sums costs: mse, the mean variance of a sum at unit
sensitivity; max_error, its largest standard deviation; sensitivity, the largest
column norm of C; gap, a certified bound on how far the mse is from the least
possible (of optimal and ar-sum); seconds; and the numbers that a stream of the
noise keeps for each coordinate. With --plot, draw the mse of all kinds, or of
the kinds that --kind lists, over n up to N.

The kinds: ` + strings.Join(kindNames(), ", ") + `.`,
		Example: `  starling factorize --kind optimal --n 1024 --gap 1e-9
  starling factorize --kind ar-sum --n 1000000 --chains 6 --json
  starling factorize --kind tree,toeplitz,optimal --n 4096 --plot mse.svg`,
		Args: exactly(0, "flags only"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := needFlags(cmd, "n"); err != nil {
				return err
			}
			if flags.plot != "" {
				return plotFactorizations(flags)
			}
			if err := needFlags(cmd, "kind"); err != nil {
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
	cmd.Flags().Float64Var(&o.Gap, "gap", factorization.DefaultGap, "relative gap to which optimal and ar-sum find the optimum")
	cmd.Flags().StringVar(&flags.plot, "plot", "", "draw the mse over n to this file: .svg, .png or .pdf")
	cmd.Flags().BoolVar(&flags.json, "json", false, "print JSON")
	return cmd
}

func kindNames() []string {
	var names []string
	for _, kind := range factorization.Kinds() {
		names = append(names, string(kind))
	}
	return names
}

// What kinds with a size of their own have if nothing is said.
const (
	usualChains  = 6
	usualBands   = 64
	usualBuffers = 4
)

// of returns the options for a kind: those that it does not use are left out,
// unless somebody asked for them.
func (f *factorizeFlags) of(kind factorization.Kind, n int) factorization.Options {
	o := f.options
	o.Kind, o.N = kind, n
	set := func(value *int, usual int, uses bool) {
		if uses && *value == 0 {
			*value = usual
		}
	}
	set(&o.Chains, usualChains, kind == factorization.ARSum)
	set(&o.Bands, min(usualBands, n), kind == factorization.BandedToeplitz)
	set(&o.Buffers, usualBuffers, kind == factorization.BLT)
	if kind != factorization.Optimal && kind != factorization.ARSum && o.Gap == factorization.DefaultGap {
		o.Gap = 0
	}
	return o
}

func factorize(cmd *cobra.Command, flags factorizeFlags) error {
	if err := oneOf("kind", flags.kind, kindNames()...); err != nil {
		return err
	}
	options := flags.of(factorization.Kind(flags.kind), flags.options.N)
	if err := options.Validate(); err != nil {
		return &usageError{err}
	}
	began := time.Now()
	f, err := factorization.New(options)
	if err != nil {
		return err
	}
	values := []accounted{
		{"mse", number(f.MSE())},
		{"max_error", number(f.MaxError())},
		{"sensitivity", number(f.Sensitivity())},
		{"gap", number(f.Gap())},
		{"seconds", number(time.Since(began).Seconds())},
		{"memory_per_coordinate", number(f.MemoryPerCoordinate())},
	}
	return printAccounted(cmd.OutOrStdout(), values, flags.json)
}

// plotFactorizations draws the mse of kinds over n: powers of two, and N.
func plotFactorizations(flags factorizeFlags) error {
	if err := checkFigureFile("plot", flags.plot); err != nil {
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
		series := figure.Series{Name: kind}
		for _, n := range sizes {
			options := flags.of(factorization.Kind(kind), n)
			options.Bands = min(options.Bands, n)
			if err := options.Validate(); err != nil {
				return &usageError{err}
			}
			factors, err := factorization.New(options)
			if err != nil {
				return err
			}
			series.X, series.Y = append(series.X, float64(n)), append(series.Y, factors.MSE())
		}
		f.Series = append(f.Series, series)
	}
	return figure.Save(f, flags.plot)
}
