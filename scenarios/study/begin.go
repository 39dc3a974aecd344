package study

// FileBeginner is the capability of a problem of the catalog that reads a file of the user's
// own. Begin looks at the file and returns the settings by which a scenario would name it. given are
// texts that the user has set for keys of the section problem.
type FileBeginner interface {
	Begin(path string, given map[string]string) ([]Setting, error)
}

// Setting is a value of a new scenario.
type Setting struct {
	// Path is the path of the value; Text is the value in YAML, empty for none.
	Path, Text string
	// Most, unless it is 0, is the largest whole number that is allowed there. If the scenario
	// is not valid with a larger number, the number becomes Most. Text is then empty.
	Most int
	// Note says how the value was found, for a comment.
	Note string
}
