package metric

import "slices"

// Paper is the paper that a scenario is from, as scenario files and manifests
// have it.
type Paper struct {
	Title   string   `json:"title" yaml:"title,required" min:"1" says:"a title of %v characters" range:"any text" doc:"title of the paper"`
	Figure  string   `json:"figure,omitempty" yaml:"figure" range:"any text" doc:"figure, table or section of the paper that the scenario follows; absent, none"`
	Authors []string `json:"authors,omitempty" yaml:"authors" range:"any text" doc:"authors, in the order of the paper; absent, none"`
	URL     string   `json:"url,omitempty" yaml:"url" range:"any text" doc:"where to read the paper; absent, none"`
}

// ArmValue is a value that an arm sets.
type ArmValue struct {
	// Path is a path in the scenario, such as mechanism.epsilon.
	Path string `json:"path"`
	// ArmValue is as document.Node.Text writes it.
	Value string `json:"value"`
}

// Warning is a remark that a reader of the numbers must know. Arm is empty for a warning about
// the whole run.
type Warning struct {
	Code    string `json:"code"`
	Arm     string `json:"arm,omitempty"`
	Message string `json:"message"`
}

// facts are the codes of warnings that state facts.
var facts = []string{"adversaries", "claim", "leaves-paper", "sampled-nodes", "seeds", "start", "stopped", "trusted-server", "tuning", "unit"}

// Fact reports whether a warning states a fact of a scenario, of its paper or of a run: readers see it
// among the notes. Nobody needs to act on it, as on other warnings. Files have both in one list.
func (w Warning) Fact() bool { return slices.Contains(facts, w.Code) }

// Note is a derived quantity worth keeping with an arm, such as a privacy
// parameter or the bound of a theorem. The value is text, so that its writer
// chooses the precision.
type Note struct {
	Arm   string `json:"arm"`
	Key   string `json:"key"`
	Value string `json:"value"`
}
