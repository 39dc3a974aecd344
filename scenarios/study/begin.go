package study

// FileBeginner is what a problem that reads a file of the user's own has in the catalog
// besides its builders: it looks at the file and says how a scenario would name it.
type FileBeginner func(path string) ([]Setting, error)

// Setting is a value of a new scenario.
type Setting struct {
	// Path is that of the value; Text is the value in YAML, empty for none.
	Path, Text string
	// Note says how the value was found, for a comment.
	Note string
}
