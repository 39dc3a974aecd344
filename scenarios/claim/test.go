package claim

import (
	"fmt"
	"slices"
	"strings"

	"starling/scenarios/document"
)

// Test decides a claim. Its kinds are in the table below.
type Test interface {
	arms() []string    // that it names
	metrics() []string // that it reads
	level() float64    // confidence in the verdict
	validate() error
	// parts are those of the claim, without intervals, and what they are
	// statistics of. An error is a test that does not fit the run.
	parts(*Data) (parts []Part, statistics string, err error)
}

// kinds are the kinds of tests; each returns one with its defaults.
var kinds = []struct {
	name string
	make func() Test
}{
	{"ordered", func() Test { return &Ordered{Common: usual, At: lastStep} }},
	{"close", func() Test { return &Close{Common: usual, At: lastStep} }},
	{"at-most", func() Test { return &Limit{Common: usual, At: lastStep, Bound: Bound{Times: 1}} }},
	{"at-least", func() Test { return &Limit{Common: usual, At: lastStep, Bound: Bound{Times: 1}} }},
	{"trend", func() Test { return &Trend{Common: usual, From: firstStep, To: lastStep} }},
	{"exponent", func() Test { return &Exponent{Common: usual, From: firstStep, To: lastStep} }},
	{"ratio", func() Test { return &Ratio{Common: usual, At: lastStep} }},
	{"not-testable", func() Test { return &Unable{} }},
}

// Common is what the tests have in common.
type Common struct {
	Kind  string   `yaml:"kind,required" doc:"ordered, close, at-most, at-least, trend, exponent, ratio or not-testable"`
	Level float64  `yaml:"level" doc:"confidence in the verdict, 0.9999 if absent"`
	Arms  []string `yaml:"arms" doc:"arms of the scenario"`
}

var usual = Common{Level: ClaimLevel}

func (c *Common) arms() []string { return c.Arms }
func (c *Common) level() float64 { return c.Level }

// validate checks the level, and that no arm is named twice. Fewer arms than
// the test needs are an error.
func (c *Common) validate(fewest int) error {
	if !(c.Level > 0 && c.Level < 1) {
		return document.At("level", "level %v; want more than 0 and less than 1", c.Level)
	}
	for i, arm := range c.Arms {
		if slices.Contains(c.Arms[:i], arm) {
			return document.At(fmt.Sprintf("arms[%d]", i), "arm %q is there twice", arm)
		}
	}
	if len(c.Arms) < fewest {
		return document.At("arms", "%d arms; want at least %d", len(c.Arms), fewest)
	}
	return nil
}

// decodeTest reads the section of a test.
func decodeTest(section *document.Node) (Test, error) {
	kind, ok := section.Get("kind")
	if !ok || kind.Kind() != document.String {
		return nil, section.Issuef("expected a mapping with a kind, one of %s", strings.Join(kindNames(), ", "))
	}
	for _, k := range kinds {
		if k.name != kind.Value() {
			continue
		}
		test := k.make()
		if err := document.Decode(section, test); err != nil {
			return test, err
		}
		return test, section.Resolve(test.validate())
	}
	return nil, kind.Issuef("%s", document.Unknown("kind", kind.Value(), kindNames()))
}

func kindNames() []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.name
	}
	return names
}

// Decide decides a claim from a run. An error is a claim that does not fit the
// run, such as a metric that it has not.
func Decide(c Claim, data *Data) (Decision, error) {
	if unable, ok := c.Test.(*Unable); ok {
		return Decision{Claim: c, Verdict: NotTestable, Reason: unable.Reason}, nil
	}
	parts, statistics, err := c.Test.parts(data)
	if err != nil {
		return Decision{}, fmt.Errorf("claim %s: %w", c.ID, err)
	}
	decide(parts, c.Test.level())
	d := Decision{Claim: c, Verdict: verdict(parts), Statistics: statistics, Parts: parts}
	if d.Verdict == NotTestable {
		d.Reason = reasons(parts)
	}
	d.Statistics += intervalText(parts, c.Test.level())
	return d, nil
}

// intervalText says what the intervals are, if any has a width.
func intervalText(parts []Part, level float64) string {
	tested, wide := 0, false
	for _, part := range parts {
		if part.State != Untested {
			tested++
			wide = wide || part.Low < part.High
		}
	}
	switch {
	case !wide:
		return ""
	case tested == 1:
		return fmt.Sprintf("; %s %% interval", percent(level))
	}
	return fmt.Sprintf("; %s %% intervals, Holm over %d", percent(level), tested)
}

// Unable is a claim that no run can decide.
type Unable struct {
	Kind   string `yaml:"kind,required"`
	Reason string `yaml:"reason,required" doc:"why, and what shows it instead"`
}

func (u *Unable) arms() []string    { return nil }
func (u *Unable) metrics() []string { return nil }
func (u *Unable) level() float64    { return 0 }

func (u *Unable) validate() error {
	if strings.TrimSpace(u.Reason) == "" {
		return document.At("reason", "the reason is empty")
	}
	return nil
}

func (u *Unable) parts(*Data) ([]Part, string, error) { return nil, "", nil }
