package claim

import (
	"bufio"
	"fmt"
	"io"
	"slices"

	"starling/scenarios/document"
)

// Expected holds the expected verdicts of runs of scenarios. They turn reproduce into a
// regression test.
type Expected struct {
	// Name is the name of the verdicts in messages: their file, or the library.
	Name string
	// Quick means that the runs have the reduced size.
	Quick bool
	// Scenarios are in the order of the file.
	Scenarios []ExpectedScenario
}

// ExpectedScenario holds the verdicts on one scenario, in the order of its claims.
type ExpectedScenario struct {
	Name   string
	Claims []ExpectedVerdict
}

// ExpectedVerdict is the expected verdict on one claim.
type ExpectedVerdict struct {
	ID      string
	Verdict Verdict
}

// expectedVersion is the version of the format that this build reads.
const expectedVersion = 1

// DecodeExpected reads expected verdicts, strictly. Positions and messages call them name.
// Problems are document.Issues.
func DecodeExpected(name string, text []byte) (*Expected, error) {
	doc, err := document.Parse(name, text)
	if err != nil {
		return nil, err
	}
	var raw struct {
		Version  int            `yaml:"version,required"`
		Quick    bool           `yaml:"quick,required"`
		Verdicts *document.Node `yaml:"verdicts,required"`
	}
	issues := doc.Resolve("", document.Decode(doc.Root(), &raw))
	if node, ok := doc.Find("version"); ok && raw.Version != expectedVersion {
		return nil, node.Issuef("version %s; this build reads version %d", node.Text(), expectedVersion)
	}
	if err := issues.Err(); err != nil {
		return nil, err
	}
	e := &Expected{Name: name, Quick: raw.Quick}
	if raw.Verdicts.Kind() != document.Mapping {
		return nil, raw.Verdicts.Issuef("expected a mapping from scenarios to verdicts, got %s", raw.Verdicts.Text())
	}
	for scenario, claims := range raw.Verdicts.Entries() {
		if claims.Kind() != document.Mapping {
			issues = append(issues, claims.Issuef("expected a mapping from claims to verdicts, got %s", claims.Text()))
		}
		expected := ExpectedScenario{Name: scenario}
		for id, verdict := range claims.Entries() {
			if !slices.Contains(Verdicts(), Verdict(verdict.Value())) {
				issues = append(issues, verdict.Issuef("unknown verdict %s; known: %s", verdict.Text(), verdictNames()))
			}
			expected.Claims = append(expected.Claims, ExpectedVerdict{id, Verdict(verdict.Value())})
		}
		e.Scenarios = append(e.Scenarios, expected)
	}
	if err := issues.Err(); err != nil {
		return nil, err
	}
	return e, nil
}

// NewExpected returns the verdicts of reports. Scenarios that were not run, because their data
// are missing, are left out.
func NewExpected(reports []Report, quick bool) *Expected {
	e := &Expected{Quick: quick}
	for _, r := range reports {
		if r.Dir == "" {
			continue
		}
		scenario := ExpectedScenario{Name: r.Scenario}
		for _, d := range r.Decisions {
			scenario.Claims = append(scenario.Claims, ExpectedVerdict{d.Claim.ID, d.Verdict})
		}
		e.Scenarios = append(e.Scenarios, scenario)
	}
	return e
}

// Keep adds the older verdicts on scenarios that e lacks and that are among names. It returns
// the names of these scenarios.
func (e *Expected) Keep(older *Expected, names []string) (kept []string) {
	for _, s := range older.Scenarios {
		if _, ok := e.find(s.Name); !ok && slices.Contains(names, s.Name) {
			e.Scenarios = append(e.Scenarios, s)
			kept = append(kept, s.Name)
		}
	}
	slices.SortFunc(e.Scenarios, func(a, b ExpectedScenario) int { return slices.Index(names, a.Name) - slices.Index(names, b.Name) })
	return kept
}

func (e *Expected) find(name string) (ExpectedScenario, bool) {
	i := slices.IndexFunc(e.Scenarios, func(s ExpectedScenario) bool { return s.Name == name })
	if i < 0 {
		return ExpectedScenario{}, false
	}
	return e.Scenarios[i], true
}

// Write writes the verdicts in the form that DecodeExpected reads.
func (e *Expected) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	command := "starling reproduce"
	if e.Quick {
		command += " --quick"
	}
	fmt.Fprintf(b, "# The verdicts of `%s`, written by its flag --write-expect.\nversion: %d\nquick: %t\nverdicts:", command, expectedVersion, e.Quick)
	if len(e.Scenarios) == 0 {
		b.WriteString(" {}")
	}
	b.WriteString("\n")
	for _, s := range e.Scenarios {
		fmt.Fprintf(b, "  %s:\n", s.Name)
		for _, c := range s.Claims {
			fmt.Fprintf(b, "    %s: %s\n", c.ID, c.Verdict)
		}
	}
	return b.Flush()
}

// Comparison holds the differences of verdicts from expected ones.
type Comparison struct {
	// Same counts the verdicts that equal the expected ones.
	Same int
	// Changes has a sentence for each difference.
	Changes []string
	// Skipped are scenarios that were not run because their data are missing.
	Skipped []string
	// Unknown are scenarios without an expected verdict.
	Unknown []string
}

// Compare compares the verdicts of reports with the expected ones. A scenario without expected
// verdicts is no change: the expected verdicts may cover a part of the library, and Unknown
// names the rest. whole means that the reports are on the whole library: an expected scenario
// that is not among them is then a change.
func (e *Expected) Compare(reports []Report, whole bool) (c Comparison) {
	var seen []string
	for _, r := range reports {
		seen = append(seen, r.Scenario)
		if r.Dir == "" {
			c.Skipped = append(c.Skipped, r.Scenario)
			continue
		}
		s, ok := e.find(r.Scenario)
		if !ok {
			c.Unknown = append(c.Unknown, r.Scenario)
			continue
		}
		c.scenario(r, s)
	}
	for _, s := range e.Scenarios {
		if whole && !slices.Contains(seen, s.Name) {
			c.Changes = append(c.Changes, fmt.Sprintf("%s: verdicts are expected, and it has no claims", s.Name))
		}
	}
	return c
}

// scenario compares the verdicts on one scenario.
func (c *Comparison) scenario(r Report, s ExpectedScenario) {
	change := func(id, format string, arguments ...any) {
		c.Changes = append(c.Changes, fmt.Sprintf("%s, claim %s: ", r.Scenario, id)+fmt.Sprintf(format, arguments...))
	}
	for _, d := range r.Decisions {
		i := slices.IndexFunc(s.Claims, func(v ExpectedVerdict) bool { return v.ID == d.Claim.ID })
		switch {
		case i < 0:
			change(d.Claim.ID, "%s, expected nothing", d.Verdict)
		case s.Claims[i].Verdict != d.Verdict:
			change(d.Claim.ID, "%s, expected %s", d.Verdict, s.Claims[i].Verdict)
		default:
			c.Same++
		}
	}
	for _, v := range s.Claims {
		if !slices.ContainsFunc(r.Decisions, func(d Decision) bool { return d.Claim.ID == v.ID }) {
			change(v.ID, "there is no such claim, expected %s", v.Verdict)
		}
	}
}

// verdictNames lists the verdicts for messages.
func verdictNames() (text string) {
	for i, v := range Verdicts() {
		if i > 0 {
			text += ", "
		}
		text += string(v)
	}
	return text
}
