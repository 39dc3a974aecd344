package library

import (
	"slices"
	"strings"
)

// Subject is a question of the library's scenarios.
type Subject struct {
	Title string
	// names are names of scenarios, and beginnings of names, which end in a hyphen.
	names []string
}

// Subjects returns the subjects in the order of lists. subjects.txt has a line for each.
func Subjects() []Subject {
	text, err := files.ReadFile("subjects.txt")
	if err != nil {
		panic(err) // the file is embedded
	}
	var list []Subject
	for line := range strings.Lines(string(text)) {
		title, names, _ := strings.Cut(line, ": ")
		list = append(list, Subject{title, strings.Fields(names)})
	}
	return list
}

// SubjectOf returns the title of the first subject with the name of a scenario, or else with a beginning of it;
// empty where none has.
func SubjectOf(scenario string) string {
	list := Subjects()
	for _, has := range []func(name string) bool{
		func(name string) bool { return name == scenario },
		func(name string) bool { return strings.HasSuffix(name, "-") && strings.HasPrefix(scenario, name) },
	} {
		if i := slices.IndexFunc(list, func(s Subject) bool { return slices.ContainsFunc(s.names, has) }); i >= 0 {
			return list[i].Title
		}
	}
	return ""
}
