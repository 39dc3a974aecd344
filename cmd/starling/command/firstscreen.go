package command

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
)

// listOfVerbs is the name under which help lists all verbs and topics with their texts.
const listOfVerbs = "verbs"

// firstVerbs are the verbs of the first screen, in the order of the work on a study.
var firstVerbs = []struct {
	title string
	verbs []string
}{
	{"Begin", []string{"list", "describe", "init"}},
	{"Run", []string{"run", "tune"}},
	{"Read", []string{"runs", "notes", "plot", "table", "report", "ui"}},
	{"Compare", []string{"compare", "privacy"}},
}

// writeFirstScreen prints the help of the program on one screen: the verbs of most studies with their texts, and the
// names of the others and of topics.
func writeFirstScreen(root *cobra.Command) {
	w := root.OutOrStdout()
	width := shell.WidthOf(w)
	shell.Printf(w, "%s\n\nUsage:\n  starling VERB [flags]\n\nExamples:\n%s\n", narrowed(strings.TrimSpace(root.Long), width), example(root.Example, width))
	var shown, others []string
	for _, group := range firstVerbs {
		fmt.Fprintf(w, "\n%s:\n", group.title)
		for _, name := range group.verbs {
			if verb, _, err := root.Find([]string{name}); err == nil {
				fmt.Fprintln(w, "  "+item(name, 8, verb.Short, width))
			}
		}
		shown = append(shown, group.verbs...)
	}
	for _, group := range verbGroups {
		for _, name := range group.verbs {
			if !slices.Contains(shown, name) {
				others = append(others, name)
			}
		}
	}
	slices.Sort(others)
	for _, names := range []struct {
		title string
		list  []string
	}{{"Other verbs", others}, {"Topics", topics}, {"Sections of a scenario", sectionNames}, {"Flags", []string{"--help", "--version", "--errors text|json"}}} {
		line := shell.WrapLine("  "+strings.Join(names.list, ", "), cmp.Or(width, 80))
		fmt.Fprintf(w, "\n%s:\n%s\n", names.title, line)
	}
	fmt.Fprintln(w, "\n"+narrowed("\"starling VERB --help\" describes a verb, \"starling help verbs\" lists all,\n\"starling help TOPIC\" is a topic, and \"starling help SECTION KIND\" has the keys\nof a kind. \"starling help keys\" has the keys of a scenario.", width))
}
