package inspect

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/auditing"
	"starling/scenarios/document"
	"starling/scenarios/results"
	"starling/scenarios/results/tabular"
	"starling/scenarios/view/plot"
)

// auditFlags are the flags of audit.
type auditFlags struct {
	// samples is the number of outcomes that are drawn on each of two neighbouring inputs, for
	// every loss. With power it is the largest such number.
	samples int
	// confidence is the confidence of all bounds together, in (0, 1).
	confidence float64
	// sabotage is the text of --sabotage, scale=S, empty for none.
	sabotage string
	// limit bounds the time of the whole audit: fewer samples are drawn if all would take
	// longer. 0 is no limit.
	limit time.Duration
	// seeds are the seeds of independent audits.
	seeds []uint
	// power is the wanted chance of finding noise of violation times its scale; 0 takes
	// samples as given.
	power     float64
	violation float64
	// set holds overrides of the scenario, data the folder of data sets.
	set  []string
	data string
	json bool
	// results is the folder of all results.
	results string
	// arm is the arm that is audited alone; empty for all.
	arm string
}

// The defaults of audit.
const (
	usualSamples    = 50_000
	usualConfidence = 0.99
	usualAuditTime  = 2 * time.Minute
	usualMost       = 1_000_000 // samples with --power
	usualViolation  = 0.5
	auditMechanisms = "mechanisms"
)

// newAudit is the verb audit. Its argument names the subject: the mechanisms by themselves, a
// scenario, or the scenario of a finished run. The help below is for users. `starling help
// audits` explains the statistics, and package auditing the faults that an audit can and
// cannot find.
func (p program) newAudit() *cobra.Command {
	var flags auditFlags
	cmd := &cobra.Command{
		Use:   "audit [mechanisms|SCENARIO|FILE|RUN]",
		Short: "Test accounted privacy losses against outcomes",
		Long: `Test the privacy ledger by experiment. An audit runs each private arm of a scenario, or of
a finished run, on two neighbouring inputs that differ as far as the problem allows. From
the messages it computes a lower bound on the privacy loss. A lower bound above the
accounted loss refutes the ledger. Audits use a small size of their own. With
'mechanisms', or without an argument, every mechanism is audited by itself.

Three statistics judge a run. The likelihood ratio of the messages takes the noise to be
as stated. Differences and sums of two releases do not: repeated or shared noise cancels
in them. Means, squares and covariances of the noise are compared with the stated ones. An
input that moves a release further than its noise allows refutes the loss without samples.

A correct program passes with probability --confidence or more, all tests together.
--seed 1,2,3 repeats the audit with other outcomes. --power P takes as many samples as
find noise of --violation times its scale with probability P, up to --samples; a few
thousand outcomes estimate the number. --arm NAME audits one arm, with all of the time
and the confidence. --sabotage scale=S draws S times the accounted noise, which shows that
the audit finds such an error.

` + shell.NamesOfRuns + `

Exit status: 0 nothing is refuted and all noise is as stated; 1 an accounted loss is
exceeded, a release moves further than stated, or noise is not as stated; 2 bad input.`,
		Example: `  starling audit
  starling audit ofl-logistic --samples 100000 --confidence 0.999
  starling audit last --arm epsilon=1
  starling audit ofl-logistic --power 0.9 --violation 0.8 --seed 1,2
  starling audit dpdonc-localization --sabotage scale=0.5 --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return shell.Usage(fmt.Errorf("audit takes one scenario or run, or mechanisms; got %d arguments", len(args)))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			name := auditMechanisms
			if len(args) > 0 {
				name = args[0]
			}
			return p.auditNamed(cmd, name, flags)
		},
	}
	cmd.Flags().IntVar(&flags.samples, "samples", usualSamples, "outcomes of each of the two inputs, for every loss")
	cmd.Flags().Float64Var(&flags.confidence, "confidence", usualConfidence, "confidence of all bounds together")
	cmd.Flags().UintSliceVar(&flags.seeds, "seed", nil, "seeds of independent audits; 1 if absent")
	cmd.Flags().Float64Var(&flags.power, "power", 0, "choose the samples of every loss, to find the violation with this chance")
	cmd.Flags().Float64Var(&flags.violation, "violation", usualViolation, "with --power: the part of its noise at which a loss is to be found exceeded")
	cmd.Flags().StringVar(&flags.sabotage, "sabotage", "", "scale=S: draw S times the noise that is accounted for")
	cmd.Flags().DurationVar(&flags.limit, "time", usualAuditTime, "how long the audit may take: fewer samples are drawn if all would take longer; 0 for no limit")
	shell.AddOverrides(cmd, &flags.set)
	shell.AddDataFlag(cmd, &flags.data)
	shell.AddResults(cmd, &flags.results)
	cmd.Flags().StringVar(&flags.arm, "arm", "", "audit only this arm")
	cmd.Flags().BoolVar(&flags.json, "json", false, "print JSON")
	return cmd
}

// auditNamed audits, prints, and fails with an error if anything was found: an audit in a
// script shows by its exit code.
func (p program) auditNamed(cmd *cobra.Command, name string, flags auditFlags) error {
	// The scale is 1 unless --sabotage is given. auditing.Options is the only place in
	// the program that can hold another scale: a scenario cannot.
	noise, err := sabotage(flags.sabotage)
	if err != nil {
		return err
	}
	options := auditing.Options{
		Samples: flags.samples, Confidence: flags.confidence, Noise: noise, Time: flags.limit, Data: flags.data,
		Power: flags.power, Violation: flags.violation, Arm: flags.arm,
	}
	// With --power the number of samples follows from the wanted chance, and the usual
	// number would cut it short. --samples on the command line remains a limit.
	if flags.power != 0 && !cmd.Flags().Changed("samples") {
		options.Samples = usualMost
	}
	for _, seed := range flags.seeds {
		options.Seeds = append(options.Seeds, uint64(seed))
	}
	// Everything is computed before anything is printed: an audit that fails half way
	// prints an error and no table.
	found, err := p.audited(cmd, name, flags, options)
	if err != nil {
		return err
	}
	if flags.json {
		err = shell.WriteJSON(cmd.OutOrStdout(), auditObject(found, options))
	} else {
		err = printAudit(cmd.OutOrStdout(), found, options, flags.limit)
	}
	if err != nil {
		return err
	}
	// The table is printed first also where the audit fails: it shows the loss that is
	// exceeded.
	return auditFailure(name, found)
}

// auditFailure returns the error of an audit that found something, and nil for one that
// found nothing. An exceeded loss, a release that moves further than is stated, and noise that
// is not as stated are different findings: each can be there without the others, so the error
// counts each.
//
// Rows that are beyond the claim of the paper, but not beyond the accounted loss, are no
// failure: they refute the claim and not the program. The table names them.
func auditFailure(name string, found []auditing.Audited) error {
	exceeded, moved, unlike := 0, 0, 0
	for i := range found {
		if found[i].Exceeded() {
			exceeded++
		}
		if found[i].MovesBeyond() {
			moved++
		}
		if !found[i].NoiseAsStated() {
			unlike++
		}
	}
	var findings []string
	for _, f := range []struct {
		count int
		text  string
	}{
		{exceeded, "outcomes exceed the accounted loss in %d"},
		{moved, "the inputs move a release further than is stated in %d"},
		{unlike, "the noise is not as stated in %d"},
	} {
		if f.count > 0 {
			findings = append(findings, fmt.Sprintf(f.text, f.count))
		}
	}
	if findings == nil {
		return nil
	}
	findings[0] += " of " + document.Counted(len(found), "row")
	return fmt.Errorf("%s: %s", name, strings.Join(findings, ", and "))
}

// audited audits the mechanisms by themselves, a scenario, or the scenario of a finished
// run. The argument decides: the word mechanisms, a scenario or a file, or else a run.
func (p program) audited(cmd *cobra.Command, name string, flags auditFlags, options auditing.Options) ([]auditing.Audited, error) {
	options.Began = time.Now() // data sets are read before the audit begins
	if name == auditMechanisms {
		if len(flags.set) > 0 {
			return nil, shell.Usage(errors.New("--set changes a scenario, and mechanisms are none"))
		}
		if flags.arm != "" {
			return nil, shell.Usage(errors.New("--arm is of a scenario, and mechanisms have none"))
		}
		return auditing.Mechanisms(cmd.Context(), options)
	}
	// The scenario of a run has all overrides applied, so the audit is of the scenario that was
	// run. The audit runs it again and reads no recorded metric.
	name, dir, err := shell.FindScenario(cmd, flags.results, name)
	if err != nil {
		return nil, err
	}
	if dir != "" {
		if _, err := results.Open(dir); err != nil {
			return nil, document.BadInput(err)
		}
	}
	list, err := shell.Overrides(flags.set)
	if err != nil {
		return nil, err
	}
	scenario, err := p.Loader(flags.data).Load(name, list...)
	if err != nil {
		return nil, err
	}
	options.Arm = plot.ArmNamed(plot.Arms(scenario), options.Arm)
	return auditing.Audit(scenario, cmd.Context(), options)
}

// sabotage reads the text of --sabotage, scale=S, and returns S > 0. Empty text returns
// 1, the noise as it is accounted. The form scale=S leaves room for other sabotages.
func sabotage(text string) (float64, error) {
	if text == "" {
		return 1, nil
	}
	value, ok := strings.CutPrefix(text, "scale=")
	scale, err := strconv.ParseFloat(value, 64)
	if !ok || err != nil || !(scale > 0) {
		return 0, shell.Usage(fmt.Errorf("--sabotage %s: want scale=S, S a number above 0", text))
	}
	return scale, nil
}

// auditVerdict returns the verdict of an audit on one loss, as the last column of the table.
// The cases stand in the order in which they are decided:
//
//	not private                      nothing protects: there is no loss to compare outcomes with
//	moved beyond ...                 the inputs move a release further than is stated: an error of the program
//	ledger not refuted, claim ...    the bound is above the paper's claim, not above the accounted loss
//	not refuted; so many samples ... the samples could not have shown the accounted loss
//	not refuted                      the bound is at most the accounted loss
//	exceeded ...                     the program leaks more than it accounts: an error of the program
func auditVerdict(a *auditing.Audited) string {
	switch {
	case !a.Private():
		return "not private"
	case !a.Exceeded() && a.MovesBeyond():
		return fmt.Sprintf("a release moves %s times as far as stated", short(a.Beyond))
	case !a.Exceeded() && a.BeyondClaim():
		return "ledger not refuted, claim refuted"
	// So few outcomes could not have exceeded the loss of any mechanism; saying "not refuted"
	// alone would claim too much.
	case !a.Exceeded() && a.Canaries == 0 && a.Accounted > a.Reach:
		return fmt.Sprintf("not refuted; so many samples show at most %s", short(a.Reach))
	case !a.Exceeded():
		return "not refuted"
	case a.Canaries > 0:
		return "exceeded"
	case a.Statistic != "":
		return fmt.Sprintf("exceeded, with %d samples, by the %s", a.Shown, a.Statistic)
	}
	return fmt.Sprintf("exceeded, with %d samples", a.Shown)
}

// noiseVerdicts returns lines on the noise of the runs with moments that were taken. There is
// one line for each row with noise that deviates, with the clearest deviation, and one line in
// all for the rows with noise as stated. That last line states the number of moments that were
// compared and the least correlation that would have been found; without that number "as
// stated" would say nothing.
func noiseVerdicts(found []auditing.Audited) (lines []string) {
	stated, tests, correlation := 0, 0, 0.0
	for i := range found {
		a := &found[i]
		switch {
		case a.Noise == nil:
		case a.NoiseAsStated():
			stated++
			tests += a.Noise.Tests
			correlation = max(correlation, a.Noise.Correlation)
		default:
			// Deviations come with the clearest first.
			worst := a.Noise.Deviations[0]
			lines = append(lines, fmt.Sprintf("%s: the noise is not as stated: %s is %s, want 0 within %s; %d of %d moments deviate",
				auditName(a), worst.Residuals, short(worst.Value), short(worst.Limit), len(a.Noise.Deviations), a.Noise.Tests))
		}
	}
	if stated > 0 {
		lines = append(lines, fmt.Sprintf("the noise is as stated in %s: %d means, squares and covariances; a correlation beyond %s would have shown",
			document.Counted(stated, "row"), tests, short(correlation)))
	}
	return lines
}

// powerVerdicts returns lines on the numbers of samples that --power asked for, a line for
// each loss. The numbers are the same for each seed, and so the rows of the first seed stand
// for all. Without --power there are no lines.
func powerVerdicts(found []auditing.Audited, o auditing.Options) (lines []string) {
	if o.Power == 0 {
		return nil
	}
	for i := range found {
		a := &found[i]
		switch {
		case !a.Private() || a.Canaries > 0 || a.Seed != found[0].Seed: // alike for all seeds
		case a.Needed > 0:
			lines = append(lines, fmt.Sprintf("%s: %d samples find %v of the noise with chance %v", auditName(a), a.Needed, o.Violation, o.Power))
		default:
			lines = append(lines, fmt.Sprintf("%s: a few thousand outcomes with %v of the noise do not exceed the loss, and do not tell how many would", auditName(a), o.Violation))
		}
	}
	return lines
}

// cutVerdict returns a line on the losses of which the time allowed fewer samples than were asked
// for; none if it allowed all.
func cutVerdict(found []auditing.Audited, limit time.Duration) (lines []string) {
	cut, asked := 0, 0
	for i := range found {
		if found[i].Asked > 0 {
			cut, asked = cut+1, max(asked, found[i].Asked)
		}
	}
	if cut == 0 {
		return nil
	}
	return []string{fmt.Sprintf("unfinished: in %v fewer samples were drawn than the %d asked for, in %d of %s; --time gives them more", limit, asked, cut, document.Counted(len(found), "row"))}
}

// auditName names the subject of a row: the arm, if there are arms, and the mechanism.
func auditName(a *auditing.Audited) string {
	if a.Arm == "" {
		return a.Mechanism
	}
	return a.Arm + ", " + a.Mechanism
}

// printAudit prints a row for each loss, then verdicts on the noise, then the confidence of
// the whole. Columns that would be empty in every row, arm, claimed and seed, are left out.
func printAudit(w io.Writer, found []auditing.Audited, o auditing.Options, limit time.Duration) error {
	table := tabular.Table{Header: []string{"mechanism", "accounted", "audited", "delta", "samples", "verdict"}}
	arms := len(found) > 0 && found[0].Arm != ""
	if arms {
		// An audit of a scenario has an arm in each row, one of mechanisms in none.
		table.Header = []string{"arm", "mechanism", "claimed", "accounted", "audited", "delta", "samples", "verdict"}
	}
	if len(o.Seeds) > 1 {
		table.Header = append([]string{"seed"}, table.Header...)
	}
	for i := range found {
		a := &found[i]
		row := []string{a.Mechanism}
		if arms {
			row = []string{a.Arm, a.Mechanism, a.Claimed}
		}
		if len(o.Seeds) > 1 {
			row = append([]string{fmt.Sprint(a.Seed)}, row...)
		}
		numbers := []string{"inf", "", "", ""}
		if a.Private() {
			numbers = []string{short(a.Accounted), short(a.Audited), short(a.Delta), fmt.Sprint(a.Samples)}
		}
		table.Rows = append(table.Rows, append(append(row, numbers...), auditVerdict(a)))
	}
	if err := shell.WriteTable(w, table); err != nil {
		return err
	}
	text := ""
	for _, line := range slices.Concat(noiseVerdicts(found), powerVerdicts(found, o), cutVerdict(found, limit)) {
		text += "\n" + line
	}
	if text != "" {
		text += "\n"
	}
	text += fmt.Sprintf("\naudited are lower bounds on epsilon, which hold together with confidence %v; samples are of each of two inputs\n", o.Confidence)
	text += fmt.Sprintf("the chance that an audit of correct code exceeds a loss or finds other noise than stated is at most %s\n", short(1-o.Confidence))
	if o.Noise != 1 {
		text += fmt.Sprintf("sabotaged: noise was drawn at %v of the scale that is accounted for\n", o.Noise)
	}
	return shell.Wrapped(w, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}
