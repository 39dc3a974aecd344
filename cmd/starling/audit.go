package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"starling/scenarios"
	"starling/scenarios/results"
)

// auditFlags are the flags of audit.
type auditFlags struct {
	samples    int
	confidence float64
	sabotage   string
	limit      time.Duration
	set        []string
	data       string
	json       bool
}

// What audit does if nothing is said.
const (
	usualSamples    = 50_000
	usualConfidence = 0.99
	usualAuditTime  = 2 * time.Minute
	auditMechanisms = "mechanisms"
)

func newAudit() *cobra.Command {
	var flags auditFlags
	cmd := &cobra.Command{
		Use:   "audit [mechanisms|SCENARIO|FILE|RUN]",
		Short: "Hold accounted privacy losses against what outcomes give away",
		Long: `Draw outcomes on two neighbouring inputs, and bound the privacy loss that tells
them apart from below; a bound above the accounted loss refutes it. Of a scenario,
or the one of a finished run, every private arm is run, at a small size of the
audit's own, with the data of one unit as far to one side, and to the other, as
the bounds of the problem allow, and judged by all that crosses the wire. With
mechanisms, or without argument, every mechanism is audited by itself.

All bounds of an audit hold together with the confidence. With --sabotage scale=S
the noise is drawn at S times its scale without the ledger knowing, to show what
an audit finds, and with how many samples: audits alone can do that.

Exit status: 0 no accounted loss is exceeded (an arm without noise has none), 1
one is, 2 bad input.`,
		Example: `  starling audit
  starling audit ofl-logistic --samples 100000 --confidence 0.999
  starling audit dpdonc-localization --sabotage scale=0.5 --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return &usageError{fmt.Errorf("audit takes one scenario or run, or mechanisms; got %d arguments", len(args))}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			name := auditMechanisms
			if len(args) > 0 {
				name = args[0]
			}
			return auditNamed(cmd, name, flags)
		},
	}
	cmd.Flags().IntVar(&flags.samples, "samples", usualSamples, "outcomes of each of the two inputs, for every loss")
	cmd.Flags().Float64Var(&flags.confidence, "confidence", usualConfidence, "confidence of all bounds together")
	cmd.Flags().StringVar(&flags.sabotage, "sabotage", "", "scale=S: draw S times the noise that is accounted for")
	cmd.Flags().DurationVar(&flags.limit, "time", usualAuditTime, "draw fewer samples if all would take longer; 0 for no limit")
	addOverrides(cmd, &flags.set)
	addDataFlag(cmd, &flags.data)
	cmd.Flags().BoolVar(&flags.json, "json", false, "print JSON")
	return cmd
}

func auditNamed(cmd *cobra.Command, name string, flags auditFlags) error {
	noise, err := sabotage(flags.sabotage)
	if err != nil {
		return err
	}
	options := scenarios.AuditOptions{Samples: flags.samples, Confidence: flags.confidence, Noise: noise, Time: flags.limit, Data: flags.data}
	found, err := audited(cmd, name, flags, options)
	if err != nil {
		return err
	}
	if flags.json {
		err = writeJSON(cmd.OutOrStdout(), auditObject(found, options))
	} else {
		err = printAudit(cmd.OutOrStdout(), found, options)
	}
	if err != nil {
		return err
	}
	exceeded := 0
	for _, a := range found {
		if a.Exceeded() {
			exceeded++
		}
	}
	if exceeded > 0 {
		return fmt.Errorf("%s: outcomes exceed the accounted loss in %d of %s", name, exceeded, scenarios.Counted(len(found), "row"))
	}
	return nil
}

// audited audits the mechanisms, a scenario, or that of a run.
func audited(cmd *cobra.Command, name string, flags auditFlags, options scenarios.AuditOptions) ([]scenarios.Audited, error) {
	if name == auditMechanisms {
		if len(flags.set) > 0 {
			return nil, &usageError{errors.New("--set changes a scenario, and mechanisms are none")}
		}
		return scenarios.AuditMechanisms(cmd.Context(), options)
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		run, err := results.Open(name)
		if err != nil {
			return nil, scenarios.BadInput(err)
		}
		name = filepath.Join(run.Dir, results.ScenarioFile)
	}
	list, err := overrides(flags.set)
	if err != nil {
		return nil, err
	}
	scenario, err := loader(flags.data).Load(name, list...)
	if err != nil {
		return nil, err
	}
	return scenario.Audit(cmd.Context(), options)
}

// sabotage reads scale=S; nothing is a scale of 1.
func sabotage(text string) (float64, error) {
	if text == "" {
		return 1, nil
	}
	value, ok := strings.CutPrefix(text, "scale=")
	scale, err := strconv.ParseFloat(value, 64)
	if !ok || err != nil || !(scale > 0) {
		return 0, &usageError{fmt.Errorf("--sabotage %s: want scale=S, S a number above 0", text)}
	}
	return scale, nil
}

// auditVerdict is what an audit says of one loss.
func auditVerdict(a *scenarios.Audited) string {
	switch {
	case !a.Private():
		return "not private"
	case !a.Exceeded() && a.BeyondClaim():
		return "not refuted; the claim is"
	case !a.Exceeded() && a.Canaries == 0 && a.Accounted > a.Reach:
		return fmt.Sprintf("not refuted; so many samples show at most %s", short(a.Reach))
	case !a.Exceeded():
		return "not refuted"
	case a.Canaries > 0:
		return "exceeded"
	}
	return fmt.Sprintf("exceeded, with %d samples", a.Shown)
}

func printAudit(w io.Writer, found []scenarios.Audited, o scenarios.AuditOptions) error {
	table := results.Table{Header: []string{"mechanism", "accounted", "audited", "delta", "samples", "verdict"}}
	arms := len(found) > 0 && found[0].Arm != ""
	if arms {
		table.Header = []string{"arm", "mechanism", "claimed", "accounted", "audited", "delta", "samples", "verdict"}
	}
	for i := range found {
		a := &found[i]
		row := []string{a.Mechanism}
		if arms {
			row = []string{a.Arm, a.Mechanism, a.Claimed}
		}
		numbers := []string{"inf", "", "", ""}
		if a.Private() {
			numbers = []string{short(a.Accounted), short(a.Audited), short(a.Delta), fmt.Sprint(a.Samples)}
		}
		table.Rows = append(table.Rows, append(append(row, numbers...), auditVerdict(a)))
	}
	if err := table.Write(w); err != nil {
		return err
	}
	text := fmt.Sprintf("\naudited are lower bounds on epsilon, which hold together with confidence %v; samples are of each of two inputs\n", o.Confidence)
	if o.Noise != 1 {
		text += fmt.Sprintf("sabotaged: noise was drawn at %v of the scale that is accounted for\n", o.Noise)
	}
	_, err := io.WriteString(w, text)
	return err
}

// auditRow is a line of the table as JSON.
type auditRow struct {
	Arm        string `json:"arm,omitempty"`
	Mechanism  string `json:"mechanism"`
	Inputs     string `json:"inputs"`
	Claimed    string `json:"claimed,omitempty"`
	Claim      number `json:"claim"`     // claimed, as an epsilon at delta; 0 where it is not one
	Accounted  number `json:"accounted"` // null where nothing protects
	Audited    number `json:"audited"`
	Delta      number `json:"delta"`
	Confidence number `json:"confidence"` // of this bound
	Samples    int    `json:"samples"`
	Canaries   int    `json:"canaries,omitempty"`
	Shown      int    `json:"shown_with,omitempty"`
	Private    bool   `json:"private"`
	Reach      number `json:"reach"` // the most that so many samples can show; 0 for one run
	Exceeded   bool   `json:"exceeded"`
	Beyond     bool   `json:"beyond_claim"`
}

type auditReport struct {
	Confidence number     `json:"confidence"` // of all bounds together
	Noise      number     `json:"noise"`      // of what is accounted for
	Losses     []auditRow `json:"losses"`
}

func auditObject(found []scenarios.Audited, o scenarios.AuditOptions) auditReport {
	report := auditReport{Confidence: number(o.Confidence), Noise: number(o.Noise), Losses: []auditRow{}}
	for i := range found {
		a := &found[i]
		report.Losses = append(report.Losses, auditRow{
			Arm: a.Arm, Mechanism: a.Mechanism, Inputs: a.Inputs, Claimed: a.Claimed,
			Accounted: number(a.Accounted), Audited: number(a.Audited), Delta: number(a.Delta), Confidence: number(a.Confidence),
			Samples: a.Samples, Canaries: a.Canaries, Shown: a.Shown, Private: a.Private(), Reach: number(a.Reach), Exceeded: a.Exceeded(),
			Claim: number(a.Claim), Beyond: a.BeyondClaim(),
		})
	}
	return report
}
