package claim

import (
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
