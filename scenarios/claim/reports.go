package claim

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"starling/scenarios/results/tabular"
)

// Report holds the decisions of a run of one scenario on its claims.
type Report struct {
	// Scenario and Description are the scenario's own.
	Scenario    string
	Description string
	// Paper has authors and title; empty if the scenario names none.
	Paper string
	// Dir is the results folder; empty where the scenario could not be run.
	Dir string
	// Plots are the figures in its folder plots, by name.
	Plots []string
	// Digest is the run's digest, so that a verdict can be traced to bits.
	Digest  string
	Seeds   int
	Horizon int64
	// Reduced holds the values that make the run smaller than the paper's; none if it is not
	// smaller. Verdicts of a reduced run are no verdicts on the paper.
	Reduced   []Setting
	Decisions []Decision
}

// size describes the size of the run.
func (r *Report) size() string {
	if r.Dir == "" {
		return "not run"
	}
	text := counted(r.Seeds, "seed", "seeds") + ", " + counted(int(r.Horizon), "step", "steps")
	if len(r.Reduced) == 0 {
		return text
	}
	var settings []string
	for _, s := range r.Reduced {
		settings = append(settings, s.Path+"="+s.Text)
	}
	return text + "; REDUCED by --quick: " + strings.Join(settings, ", ")
}

// valueOf returns the part's number as text.
func valueOf(p *Part) string { return tabular.FormatValue(p.Value) }

// intervalOf returns the part's interval as text.
func intervalOf(p *Part) string {
	switch {
	case p.State == Untested:
		return ""
	case p.N == 0:
		return "derived"
	case p.Low == p.High:
		return fmt.Sprintf("under all %d seeds", p.N)
	}
	return fmt.Sprintf("[%s, %s]", tabular.FormatValue(p.Low), tabular.FormatValue(p.High))
}

// stateOf returns the part's state, with the reason if it is not tested.
func stateOf(p *Part) string {
	if p.State == Untested {
		return string(p.State) + ": " + p.Reason
	}
	return string(p.State)
}

// tally returns a sentence with the counts of the verdicts of reports.
func tally(reports []Report) string {
	count, claims := map[Verdict]int{}, 0
	reduced := false
	for _, r := range reports {
		reduced = reduced || len(r.Reduced) > 0
		for _, d := range r.Decisions {
			claims++
			count[d.Verdict]++
		}
	}
	text := fmt.Sprintf("%s: %s, %d partly, %s, %d undecided, %d not testable",
		counted(claims, "claim", "claims"), counted(count[Holds], "holds", "hold"), count[Partly],
		counted(count[DoesNotHold], "does not hold", "do not hold"), count[Undecided], count[NotTestable])
	if reduced {
		text += "; the runs are reduced, so these are no verdicts on the paper's experiments"
	}
	return text
}

// counted returns a number with its noun, in the singular or plural.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// The layout of a text table: a verdict, then everything else beside it.
const (
	textWidth  = 100
	textIndent = 16
)

// WriteText writes reports as a table for a terminal of textWidth columns. Only folders, and
// names that are as long, exceed the width.
func WriteText(w io.Writer, reports []Report) error {
	var b strings.Builder
	for i := range reports {
		r := &reports[i]
		fmt.Fprintf(&b, "%s\n", r.Scenario)
		wrap(&b, r.Description, 2)
		wrap(&b, r.Paper, 2)
		wrap(&b, r.size(), 2)
		if r.Dir != "" {
			fmt.Fprintf(&b, "  results  %s\n", r.Dir)
		}
		if len(r.Plots) > 0 {
			fmt.Fprintf(&b, "  figures  %s\n", strings.Join(r.Plots, ", "))
		}
		b.WriteString("\n")
		for k := range r.Decisions {
			if err := writeDecision(&b, &r.Decisions[k]); err != nil {
				return err
			}
		}
	}
	wrap(&b, tally(reports), 0)
	wrap(&b, Correction(), 0)
	_, err := io.WriteString(w, b.String())
	return err
}

// writeDecision writes the sentence of a claim beside its verdict, the parts, and the sources.
func writeDecision(b *strings.Builder, d *Decision) error {
	var sentence strings.Builder
	wrap(&sentence, d.Claim.Says, textIndent)
	b.WriteString("  " + string(d.Verdict) + sentence.String()[2+len(d.Verdict):])
	wrap(b, sourceOf(&d.Claim), textIndent)
	if d.Verdict == NotTestable {
		wrap(b, "why: "+d.Reason, textIndent)
		b.WriteString("\n")
		return nil
	}
	if err := writeParts(b, d.Parts); err != nil {
		return err
	}
	wrap(b, "by "+d.Statistics, textIndent)
	if d.Claim.Caution != "" {
		wrap(b, "caution: "+d.Claim.Caution, textIndent)
	}
	if d.Claim.Remark != "" && d.Verdict != Holds {
		wrap(b, "remark: "+d.Claim.Remark, textIndent)
	}
	b.WriteString("\n")
	return nil
}

// sourceOf returns the place of the claim in the paper, and its ID.
func sourceOf(c *Claim) string {
	if c.Where == "" {
		return "claim: " + c.ID
	}
	return fmt.Sprintf("paper: %s (%s)", c.Where, c.ID)
}

// writeParts writes the parts as a table, a part a line. Where labels are too long for that
// they have lines of their own.
func writeParts(b *strings.Builder, parts []Part) error {
	apart := false
	for {
		table := tabular.Table{Header: []string{"measured", "value", "interval", "claimed", ""}}
		for i := range parts {
			p := &parts[i]
			label := p.Label
			if apart {
				label = ""
			}
			table.Rows = append(table.Rows, []string{label, valueOf(p), intervalOf(p), p.Claimed, stateOf(p)})
		}
		var text strings.Builder
		if err := table.Write(&text); err != nil {
			return err
		}
		lines := strings.SplitAfter(strings.TrimSuffix(text.String(), "\n"), "\n")
		if !apart && slices.ContainsFunc(lines, func(line string) bool { return textIndent+utf8.RuneCountInString(line) > textWidth }) {
			apart = true
			continue
		}
		for i, line := range lines {
			if apart && i > 0 {
				wrap(b, parts[i-1].Label, textIndent)
			}
			b.WriteString(strings.Repeat(" ", textIndent) + strings.TrimSuffix(line, "\n") + "\n")
		}
		return nil
	}
}

// wrap writes text in lines of at most textWidth runes, each indented; a word
// that is longer has a line of its own. Empty text is no line.
func wrap(b *strings.Builder, text string, indent int) {
	column := 0
	for _, word := range strings.Fields(text) {
		length := utf8.RuneCountInString(word)
		if column > 0 && column+1+length <= textWidth {
			b.WriteString(" " + word)
			column += 1 + length
			continue
		}
		if column > 0 {
			b.WriteString("\n")
		}
		b.WriteString(strings.Repeat(" ", indent) + word)
		column = indent + length
	}
	if column > 0 {
		b.WriteString("\n")
	}
}

// WriteMarkdown writes reports in Markdown, a table for each scenario.
func WriteMarkdown(w io.Writer, reports []Report) error {
	var b strings.Builder
	for i := range reports {
		r := &reports[i]
		fmt.Fprintf(&b, "### %s\n\n", r.Scenario)
		var paragraph []string
		for _, text := range []string{r.Description, r.Paper, r.size()} {
			if text != "" {
				paragraph = append(paragraph, markdown(text)+".")
			}
		}
		b.WriteString(strings.Join(paragraph, " ") + "\n\n")
		b.WriteString("| verdict | claim | measured | source |\n| --- | --- | --- | --- |\n")
		for k := range r.Decisions {
			d := &r.Decisions[k]
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", d.Verdict, markdown(d.Claim.Says), markdownParts(d), markdown(d.Claim.Where))
		}
		b.WriteString("\n")
	}
	b.WriteString(markdown(tally(reports)) + ". " + markdown(Correction()) + ".\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// markdownParts returns a cell with the parts of a decision.
func markdownParts(d *Decision) string {
	if d.Verdict == NotTestable {
		return markdown(d.Reason)
	}
	var lines []string
	for i := range d.Parts {
		p := &d.Parts[i]
		line := fmt.Sprintf("%s: %s", p.Label, valueOf(p))
		if interval := intervalOf(p); interval != "" {
			line += " " + interval
		}
		if p.Claimed != "" {
			line += ", claimed " + p.Claimed
		}
		lines = append(lines, markdown(line+": "+stateOf(p)))
	}
	lines = append(lines, markdown("by "+d.Statistics))
	if d.Claim.Caution != "" {
		lines = append(lines, markdown(d.Claim.Caution))
	}
	if d.Claim.Remark != "" && d.Verdict != Holds {
		lines = append(lines, markdown(d.Claim.Remark))
	}
	return strings.Join(lines, "<br>")
}

// markdown keeps text from ending a cell of a table or opening a tag.
func markdown(text string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "\n", " ").Replace(text)
}

// reportJSON, decisionJSON and partJSON are reports with names and units for machines.
// Infinite numbers and NaN are null.
type (
	reportJSON struct {
		Scenario string   `json:"scenario"`
		Paper    string   `json:"paper"`
		Results  string   `json:"results"`
		Digest   string   `json:"digest"`
		Figures  []string `json:"figures"`
		Seeds    int      `json:"seeds"`
		Horizon  int64    `json:"horizon"`
		Reduced  bool     `json:"reduced"`
		// Correction is the same in every report.
		Correction correctionJSON `json:"correction"`
		Claims     []decisionJSON `json:"claims"`
	}
	correctionJSON struct {
		FamilyLevel float64 `json:"family_level"`
		Claims      int     `json:"family_claims"`
		ClaimLevel  float64 `json:"claim_level"`
		Method      string  `json:"method"`
	}
	decisionJSON struct {
		ID         string     `json:"id"`
		Where      string     `json:"where"`
		Says       string     `json:"says"`
		Verdict    Verdict    `json:"verdict"`
		Reason     string     `json:"reason,omitempty"`
		Remark     string     `json:"remark,omitempty"`
		Caution    string     `json:"caution,omitempty"`
		Level      float64    `json:"level,omitempty"` // 0 if no run decides the claim
		Statistics string     `json:"statistics,omitempty"`
		Parts      []partJSON `json:"parts"`
	}
	partJSON struct {
		Label   string   `json:"label"`
		Value   *float64 `json:"value"`
		Low     *float64 `json:"interval_low"`
		High    *float64 `json:"interval_high"`
		Level   float64  `json:"interval_level"`
		Seeds   int      `json:"seeds"`
		Claimed string   `json:"claimed"`
		State   State    `json:"state"`
		Reason  string   `json:"reason,omitempty"`
	}
)

// WriteJSON writes reports as an array, indented.
func WriteJSON(w io.Writer, reports []Report) error {
	list := []reportJSON{}
	for _, r := range reports {
		out := reportJSON{
			Scenario: r.Scenario, Paper: r.Paper, Results: r.Dir, Digest: r.Digest, Figures: append([]string{}, r.Plots...),
			Seeds: r.Seeds, Horizon: r.Horizon, Reduced: len(r.Reduced) > 0, Claims: []decisionJSON{},
			Correction: correctionJSON{FamilyLevel, FamilyClaims, ClaimLevel, Correction()},
		}
		for _, d := range r.Decisions {
			out.Claims = append(out.Claims, newDecisionJSON(d))
		}
		list = append(list, out)
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(list)
}

// newDecisionJSON returns a decision as JSON; the level is 0 where no run decides.
func newDecisionJSON(d Decision) decisionJSON {
	out := decisionJSON{
		ID: d.Claim.ID, Where: d.Claim.Where, Says: d.Claim.Says, Verdict: d.Verdict,
		Reason: d.Reason, Remark: d.Claim.Remark, Caution: d.Claim.Caution, Statistics: d.Statistics, Parts: []partJSON{},
		Level: d.Claim.Level(),
	}
	for _, p := range d.Parts {
		out.Parts = append(out.Parts, partJSON{
			Label: p.Label, Value: finite(p.Value), Low: finite(p.Low), High: finite(p.High), Level: p.Level,
			Seeds: p.N, Claimed: p.Claimed, State: p.State, Reason: p.Reason,
		})
	}
	return out
}

// finite returns nil for a number that JSON cannot express.
func finite(x float64) *float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return &x
}
