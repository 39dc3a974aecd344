package claim

import (
	"strings"

	"starling/scenarios/document"
)

// Test decides a claim. The kinds of tests are in the table below; package claim's comment
// describes them. A test does not decide by itself: it turns the claim into parts, numbers
// with their claimed ranges, and decide does the statistics for all kinds alike.
type Test interface {
	// arms returns the names of the arms that the test names. They are checked against the
	// scenario before anything is run, so that a claim on a renamed arm does not go unnoticed.
	arms() []string
	// metrics returns the names of the metrics that the test reads.
	metrics() []string
	// level returns the confidence in the verdict, in (0, 1), over all parts of the claim.
	level() float64
	// validate reports faults of the section by itself, without a run.
	validate() error
	// parts returns the parts of the claim, without intervals, and a description of their
	// statistics. An error means that the test does not fit the run.
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
	{atLeast, func() Test { return &Limit{Common: usual, At: lastStep, Bound: Bound{Times: 1}} }},
	{"trend", func() Test { return &Trend{Common: usual, From: firstStep, To: lastStep} }},
	{"exponent", func() Test { return &Exponent{Common: usual, From: firstStep, To: lastStep} }},
	{"scaling", func() Test { return &Scaling{Common: usual, At: lastStep} }},
	{"ratio", func() Test { return &Ratio{Common: usual, At: lastStep} }},
	{"not-testable", func() Test { return &Unable{} }},
}

// decodeTest reads the section of a test: its kind first, then the keys of that kind into
// a test that has the kind's defaults.
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

// Unable is a claim that no run can decide, with the reason. Such claims are in the files so
// that readers see that they were not forgotten.
type Unable struct {
	Kind   string `yaml:"kind,required"`
	Reason string `yaml:"reason,required" doc:"the reason, and the place that shows it instead"`
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
