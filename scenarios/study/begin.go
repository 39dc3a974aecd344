package study

// FileBeginner is what a problem that reads a file of the user's own has in the catalog
// besides its builders: it looks at the file and says how a scenario would name it.
type FileBeginner func(path string) ([]Setting, error)

// Setting is a value of a new scenario.
type Setting struct {
	// Path is that of the value; Text is the value in YAML, empty for none.
	Path, Text string
	// Most, unless it is 0, is the most that the whole number may be that a scenario has there:
	// a larger one becomes Most where the scenario is not valid with it. Text is then empty.
	Most int
	// Note says how the value was found, for a comment.
	Note string
}
