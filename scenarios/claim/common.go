package claim

import (
	"fmt"
	"slices"

	"starling/scenarios/document"
)

// Common holds the keys that all tests share.
type Common struct {
	Kind  string   `yaml:"kind,required" doc:"ordered, close, at-most, at-least, trend, exponent, scaling, ratio or not-testable"`
	Level float64  `yaml:"level" doc:"confidence in the verdict, 0.9999 if absent"`
	Arms  []string `yaml:"arms" doc:"arms of the scenario"`
}

var usual = Common{Level: ClaimLevel}

// arms returns the arms that the test names; none may mean all arms of the scenario.
func (c *Common) arms() []string { return c.Arms }

// level returns the confidence in the verdict.
func (c *Common) level() float64 { return c.Level }

// validate checks the level, and that no arm is named twice. Fewer arms than the test needs
// are an error.
func (c *Common) validate(fewest int) error {
	if !(c.Level > 0 && c.Level < 1) {
		return document.At("level", "level %v; want more than 0 and less than 1", c.Level)
	}
	for i, arm := range c.Arms {
		if slices.Contains(c.Arms[:i], arm) {
			return document.At(fmt.Sprintf("arms[%d]", i), "arm %q is given twice", arm)
		}
	}
	if len(c.Arms) < fewest {
		return document.At("arms", "%d arms; want at least %d", len(c.Arms), fewest)
	}
	return nil
}
