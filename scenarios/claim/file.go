package claim

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"starling/scenarios/document"
)

// File holds the claims on one scenario.
type File struct {
	// Quick holds the values that make the scenario small, in the order of the file; none if
	// the claims state no reduced size.
	Quick  []Setting
	Claims []Claim
	// document gives faults of the claims their places, once the arms of the scenario are
	// known.
	document *document.Document
}

// Setting replaces one value of a scenario.
type Setting struct {
	// Path is the path of the value in the scenario, such as seeds.count.
	Path string
	// Text is the value, in YAML.
	Text string
}

// Claim is a claim of a paper with the test that decides it.
type Claim struct {
	// ID names the claim in its file and in expected verdicts.
	ID string
	// Where is its place in the paper: a theorem, a figure, a section. It is empty for a claim
	// of the file's own.
	Where string
	// Says is the claim as a sentence in our words.
	Says string
	// Remark explains a known error of the paper. It is shown where the claim
	// does not hold.
	Remark string
	// Caution is a warning on the use of the numbers. It is always shown.
	Caution string
	// Test decides the claim.
	Test Test
	// path is the path of the claim in its file.
	path string
}

// Arms returns the arms that the claim names. It is empty if the claim is on all arms of the
// run, or on none.
func (c Claim) Arms() []string { return c.Test.arms() }

// Metrics returns the metrics that decide the claim.
func (c Claim) Metrics() []string { return c.Test.metrics() }

// Level returns the confidence in the verdict on the claim; 0 where no run decides it.
func (c Claim) Level() float64 { return c.Test.level() }

// fileVersion is the version of the format that this build reads.
const fileVersion = 1

var validID = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// Decode reads a claim file strictly. Positions name the file by name. All problems are
// reported at once, as document.Issues.
func Decode(name string, text []byte) (*File, error) {
	doc, err := document.Parse(name, text)
	if err != nil {
		return nil, err
	}
	var raw struct {
		Version int            `yaml:"version,required"`
		Quick   *document.Node `yaml:"quick"`
		Claims  []rawClaim     `yaml:"claims,required"`
	}
	issues := doc.Resolve("", document.Decode(doc.Root(), &raw))
	if node, ok := doc.Find("version"); ok && raw.Version != fileVersion {
		return nil, node.Issuef("version %s; this build reads version %d", node.Text(), fileVersion)
	}
	f := &File{document: doc}
	f.Quick, err = settings(raw.Quick)
	issues = append(issues, doc.Resolve("quick", err)...)
	if list, ok := doc.Find("claims"); ok && len(issues) == 0 && len(raw.Claims) == 0 {
		issues = append(issues, list.Issuef("there is no claim"))
	}
	for i := range raw.Claims {
		path := fmt.Sprintf("claims[%d]", i)
		c, err := raw.Claims[i].claim(path)
		issues = append(issues, doc.Resolve(path, err)...)
		if slices.ContainsFunc(f.Claims, func(other Claim) bool { return other.ID == c.ID && c.ID != "" }) {
			issues = append(issues, doc.Resolve(path, document.At("id", "there is a claim %q before", c.ID))...)
		}
		f.Claims = append(f.Claims, c)
	}
	if err := issues.Err(); err != nil {
		return nil, err
	}
	return f, nil
}

// settings reads the values of a mapping from paths to scalars and lists.
func settings(section *document.Node) (list []Setting, err error) {
	if section == nil {
		return nil, nil
	}
	if section.Kind() != document.Mapping {
		return nil, section.Issuef("expected a mapping from paths of the scenario to values, got %s", section.Text())
	}
	for path, value := range section.Entries() {
		if value.Kind() == document.Mapping {
			return nil, value.Issuef("expected a number, a word, a list or none, got %s", value.Text())
		}
		list = append(list, Setting{Path: path, Text: value.Text()})
	}
	return list, nil
}

// rawClaim is a claim as the file has it.
type rawClaim struct {
	ID     string `yaml:"id,required"`
	Source struct {
		Where string `yaml:"where,required"`
	} `yaml:"source"`
	Says    string         `yaml:"says,required"`
	Remark  string         `yaml:"remark"`
	Caution string         `yaml:"caution"`
	Test    *document.Node `yaml:"test,required"`
}

// claim checks the texts and reads the test.
func (r *rawClaim) claim(path string) (Claim, error) {
	c := Claim{ID: r.ID, Where: r.Source.Where, Says: r.Says, Remark: r.Remark, Caution: r.Caution, path: path}
	var errs []error
	if r.ID != "" && !validID.MatchString(r.ID) {
		errs = append(errs, document.At("id", "%q is no id: lower-case words and digits joined by '-'", r.ID))
	}
	for _, text := range []struct{ path, value string }{{"says", r.Says}, {"source.where", r.Source.Where}, {"remark", r.Remark}, {"caution", r.Caution}} {
		if text.value != strings.TrimSpace(text.value) || strings.Contains(text.value, "\n") {
			errs = append(errs, document.At(text.path, "want one line without spaces around it"))
		}
	}
	if r.Test == nil {
		return c, errors.Join(errs...)
	}
	var err error
	c.Test, err = decodeTest(r.Test)
	return c, errors.Join(append(errs, err)...)
}

// RecordedArm is an arm of a scenario, and the metrics that its runs record.
type RecordedArm struct {
	Name    string
	Metrics []string
}

// Check reports arms that the claims name and the scenario does not have, and metrics that
// none of the arms of a claim records.
func (f *File) Check(arms []RecordedArm) error {
	var issues document.Issues
	names := make([]string, len(arms))
	for i, arm := range arms {
		names[i] = arm.Name
	}
	for _, c := range f.Claims {
		for i, name := range c.Test.arms() {
			if slices.Contains(names, name) {
				continue
			}
			err := document.At(fmt.Sprintf("test.arms[%d]", i), "the scenario has no arm %q%s", name, document.Suggest(name, names, "it has"))
			issues = append(issues, f.document.Resolve(c.path, err)...)
		}
		var recorded []string
		for _, arm := range arms {
			if named := c.Test.arms(); len(named) == 0 || slices.Contains(named, arm.Name) {
				recorded = append(recorded, arm.Metrics...)
			}
		}
		for i, metric := range c.Test.metrics() {
			if len(recorded) > 0 && !slices.Contains(recorded, metric) {
				key := "test.metric"
				if i > 0 {
					key = "test.over"
				}
				err := document.At(key, "no arm of the claim records %q%s", metric, document.Suggest(metric, recorded, "they record"))
				issues = append(issues, f.document.Resolve(c.path, err)...)
			}
		}
	}
	return issues.Err()
}

// Risk returns an upper bound on the chance that a run decides any of the claims wrongly: the
// sum of 1 - level over the claims that a run decides.
func (f *File) Risk() (sum float64) {
	for _, c := range f.Claims {
		if _, ok := c.Test.(*Unable); !ok {
			sum += 1 - c.Test.level()
		}
	}
	return sum
}

// Line gives the source line at a position, for document.Issues.Render.
func (f *File) Line(p document.Position) (string, bool) { return f.document.Line(p) }
