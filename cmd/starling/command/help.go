package command

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"starling/cmd/starling/help"
	"starling/scenarios/document"
)

// topics are the pages of help, in the order in which a newcomer reads them:
// each is help/NAME.md.
var topics = []string{
	"scenario", "sweeps", "algorithms", "networks", "privacy", "audits", "data", "results", "claims", "extending", "glossary",
}

// topicText returns the Markdown of a topic.
func topicText(name string) ([]byte, error) { return help.Topics.ReadFile(name + ".md") }

// topicTitle is the heading of a topic.
func topicTitle(name string) (string, error) {
	text, err := topicText(name)
	title, _, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
	return title, err
}

// newHelp is cobra's help, which takes an unknown verb for a success, with
// topics and the keys of sections besides.
func (p program) newHelp() *cobra.Command {
	var source bool
	cmd := &cobra.Command{
		Use:   "help [VERB|TOPIC|SECTION [KIND]]",
		Short: "Explain a verb, a topic, or the keys of a section",
		Long: `Explain a verb, a topic, or the keys that a section of a scenario takes with one
of its kinds. A name that is a verb and a topic gets the verb's help and then the
topic. Sections are ` + strings.Join(sectionNames, ", ") + `.`,
		Example: "  starling help run\n  starling help networks\n  starling help algorithm\n  starling help algorithm ofl\n  starling help glossary --markdown > glossary.md",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return p.completeHelp(cmd.Root(), args), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error { return p.explain(cmd, args, source) },
	}
	cmd.Flags().BoolVar(&source, "markdown", false, "print a topic or a section as Markdown")
	return cmd
}

// explain prints what there is about a name: the help of a verb, a topic, the kinds
// of a section.
func (p program) explain(cmd *cobra.Command, args []string, source bool) error {
	root := cmd.Root()
	if len(args) == 0 {
		root.InitDefaultHelpFlag()
		return root.Help()
	}
	page, err := p.pageOf(args)
	if err != nil {
		return err
	}
	// A name can be a verb and a topic, as privacy is: both are printed, the verb first.
	verb, rest, err := root.Find(args)
	isVerb := err == nil && len(rest) == 0 && verb != root
	if page == nil && !isVerb {
		return unknownHelp(root, args)
	}
	if isVerb && !(source && page != nil) {
		verb.InitDefaultHelpFlag()
		if err := verb.Help(); err != nil {
			return err
		}
	}
	if page == nil {
		return nil
	}
	if isVerb && !source {
		fmt.Fprintln(cmd.OutOrStdout())
	}
	return writePage(cmd.OutOrStdout(), page, source)
}

// pageOf is the Markdown of a topic or a section, nil if there is none of the
// name.
func (p program) pageOf(args []string) ([]byte, error) {
	switch name := args[0]; {
	case slices.Contains(sectionNames, name):
		return p.sectionPage(name, args[1:])
	case len(args) > 1:
		return nil, nil
	case slices.Contains(keyNames, name):
		return p.keysPage(name)
	case slices.Contains(topics, name):
		return topicText(name)
	}
	return nil, nil
}

// pageWidth is how many columns lines of help have at most: longer ones are
// hard to read.
const pageWidth = 100

// writePage prints Markdown: for a terminal in its width and with styles, which
// NO_COLOR turns off, for files and pipes as plain text.
func writePage(w io.Writer, text []byte, source bool) error {
	if source {
		_, err := w.Write(text)
		return err
	}
	width, styled := widthOf(w), true
	if width == 0 {
		width, styled = 80, false
	}
	rendered, err := markdown(text, min(width, pageWidth), styled && os.Getenv("NO_COLOR") == "")
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, rendered)
	return err
}

// completeHelp are the words that can follow.
func (p program) completeHelp(root *cobra.Command, args []string) (words []cobra.Completion) {
	switch len(args) {
	case 0:
		for _, verb := range root.Commands() {
			words = append(words, cobra.CompletionWithDesc(verb.Name(), verb.Short))
		}
		for _, name := range topics {
			title, _ := topicTitle(name) // which a test holds
			words = append(words, cobra.CompletionWithDesc(name, title))
		}
		words = append(words, sectionNames...)
		words = append(words, keyNames...)
	case 1:
		kinds, err := p.sectionKinds(args[0])
		if err != nil {
			return nil
		}
		for _, kind := range kinds {
			words = append(words, cobra.CompletionWithDesc(kind.Title, kind.Description))
		}
	}
	return words
}

// unknownHelp suggests the nearest name.
func unknownHelp(root *cobra.Command, args []string) error {
	names := slices.Concat(topics, sectionNames, keyNames)
	for _, verb := range root.Commands() {
		names = append(names, verb.Name())
	}
	if slices.Contains(names, args[0]) {
		return &usageError{fmt.Errorf("help of %s takes no %q", args[0], args[1])}
	}
	return &usageError{fmt.Errorf("unknown verb, topic or section %q%s", args[0], document.Suggest(args[0], names, ""))}
}

// topicsOf are the topics that say more of a verb.
var topicsOf = map[string]string{
	"validate": "scenario", "schema": "scenario", "run": "results", "export": "results", "plot": "results", "compare": "results",
	"report": "results", "replay": "results", "privacy": "privacy", "account": "privacy", "audit": "audits", "reproduce": "claims",
	"data": "data", "topology": "networks", "list": "glossary",
}

// addTopics lists the topics below the verbs, and names the topic of each verb.
func addTopics(root *cobra.Command) {
	for _, verb := range root.Commands() {
		if name, ok := topicsOf[verb.Name()]; ok {
			verb.Long += "\n\nMore: starling help " + name
		}
	}
	var list strings.Builder
	list.WriteString("\nTopics:\n")
	for _, name := range topics {
		title, err := topicTitle(name)
		if err != nil {
			panic(err) // the files are embedded
		}
		fmt.Fprintf(&list, "  %-11s %s\n", name, title)
	}
	fmt.Fprintf(&list, "\nSections of a scenario:\n  %s\n\n", strings.Join(sectionNames, ", "))
	list.WriteString(`Use "starling help TOPIC", "starling help SECTION [KIND]" or, for the keys of a
file, of a sweep and of events, "starling help keys|sweep|events".`)
	// The topics stand below the verbs, before the flags.
	const flags = "{{if .HasAvailableLocalFlags}}"
	before, after, _ := strings.Cut(root.UsageTemplate(), flags)
	root.SetUsageTemplate(before + "{{if not .HasParent}}\n" + list.String() + "{{end}}" + flags + after)
}
