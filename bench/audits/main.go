// Command audits draws scenarios at random and audits every one of them: all private
// algorithms, with mechanisms, graphs, crashes, churn, delays, losses, attackers, rules
// against them, aggregation, participation and budgets. Correct books are refuted by none of
// the audits, with the chance that is stated for all of them together.
//
//	go run ./bench/audits                    # 300 scenarios, 5,000 samples each
//	go run ./bench/audits -first 17 -count 1 -print
//
// A scenario is a function of the seed and of its number: a refuted one is drawn again by
// its number alone. The program is no test, for it takes hours; its test draws the scenarios
// and audits few of them.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"starling/scenarios/auditing"
)

// options are the flags of the program.
type options struct {
	seed                  uint64
	first, count, samples int
	confidence            float64
	limit                 time.Duration
	having                string
	print                 bool
}

// read reads the flags.
func read() (o options) {
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the scenarios")
	flag.IntVar(&o.first, "first", 0, "number of the first scenario")
	flag.IntVar(&o.count, "count", 300, "number of scenarios")
	flag.IntVar(&o.samples, "samples", 5000, "outcomes of each of two inputs")
	flag.Float64Var(&o.confidence, "confidence", 0.99, "confidence of all audits together")
	flag.DurationVar(&o.limit, "time", 0, "longest time for the samples of one audit; 0 is no limit")
	flag.StringVar(&o.having, "having", "", "audit the scenarios alone that have this text, such as \"kind: tiers\"")
	flag.BoolVar(&o.print, "print", false, "print every scenario, and not only those that are refuted")
	flag.Parse()
	return o
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	refuted, err := run(ctx, read(), os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "audits:", err)
	}
	if refuted > 0 || err != nil {
		os.Exit(1)
	}
}

// run audits the scenarios and writes a line for each. It returns the number of those that are
// refuted. It returns an error if drawing fails or ctx ends.
func run(ctx context.Context, o options, to io.Writer) (refuted int, err error) {
	var unaudited, silent, audited int
	for number := o.first; number < o.first+o.count; number++ {
		d, err := draw(o.seed, number)
		if err != nil {
			return refuted, err
		}
		if !strings.Contains(d.text, o.having) {
			continue
		}
		began := time.Now()
		found, err := d.audit(ctx, o)
		if ctx.Err() != nil {
			return refuted, ctx.Err()
		}
		audited++
		verdict, wrong := judged(found, err)
		switch {
		case wrong:
			refuted++
		case err != nil:
			unaudited++
		case len(found) == 0:
			silent++
		}
		fmt.Fprintf(to, "%d %s %s (%.1f s)\n", number, d.title, verdict, time.Since(began).Seconds())
		if o.print || wrong || err != nil {
			fmt.Fprintf(to, "%s\n", d.text)
		}
	}
	fmt.Fprintf(to, "%d scenarios of seed %d: %d refuted, %d that cannot be audited, %d that release nothing\n", audited, o.seed, refuted, unaudited, silent)
	return refuted, nil
}

// audit audits a scenario with its share of the chance of a false verdict.
func (d *drawn) audit(ctx context.Context, o options) ([]auditing.Audited, error) {
	return auditing.Audit(d.scenario, ctx, auditing.Options{
		Samples: o.samples, Confidence: 1 - (1-o.confidence)/float64(max(o.count, 1)), Noise: 1, Time: o.limit,
	})
}

// judged describes the outcome of an audit in words, and reports whether it refutes the books.
func judged(found []auditing.Audited, err error) (verdict string, wrong bool) {
	if err != nil {
		return "not audited: " + err.Error(), false
	}
	var most float64 // the largest ratio of a bound to the stated loss
	for i := range found {
		a := &found[i]
		switch {
		case !a.Private():
		case a.MovesBeyond():
			return fmt.Sprintf("REFUTED: %s, %s", a.Mechanism, a.Inputs), true
		case a.Exceeded():
			return fmt.Sprintf("REFUTED: %s, %s: %.4g is stated, at least %.4g", a.Mechanism, a.Inputs, a.Accounted, a.Finding.Audited), true
		case !a.NoiseAsStated():
			return fmt.Sprintf("REFUTED: %s: the noise is not as stated", a.Mechanism), true
		default:
			most = max(most, a.Finding.Audited/a.Accounted)
		}
	}
	return fmt.Sprintf("not refuted, %d bounds, up to %.2f of what is stated", len(found), most), false
}
