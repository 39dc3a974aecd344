package command

import (
	"bytes"
	"embed"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
)

// topics are the pages of help, in the order in which a newcomer reads them:
// each is help/NAME.md.
var topics = []string{
	"scenario", "choose", "sweeps", "algorithms", "populations", "networks", "privacy", "audits", "data", "results", "runs", "page", "claims", "performance", "clusters", "python", "extending", "glossary",
}

// topicFiles are the files of topics.
//
//go:embed help/*.md
var topicFiles embed.FS

// topicText returns the Markdown of a topic.
func topicText(name string) ([]byte, error) { return topicFiles.ReadFile("help/" + name + ".md") }

// topicTitle is the heading of a topic.
func topicTitle(name string) (string, error) {
	text, err := topicText(name)
	title, _, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
	return title, err
}

// newHelp returns the verb help. It takes the place of cobra's, which prints the root's help
// for an unknown verb and ends with exit status 0; here an unknown name is bad input, with the
// nearest name. Besides verbs it knows the topics, which are Markdown files, and the sections
// of a scenario with their keys, from the schema.
func (p program) newHelp() *cobra.Command {
	var source bool
	var asJSON *bool
	cmd := &cobra.Command{
		Use:   "help [VERB|verbs|topics|TOPIC [HEADING]|SECTION [KIND]|WORD]",
		Short: "Explain a verb, a topic, or the keys of a section, or find a word",
		Long: `Explain a verb, a topic, or the keys that a section of a scenario takes with one
of its kinds. A name that is a verb and a topic gets the topic and then the verb's
help. Sections are ` + strings.Join(sectionNames, ", ") + `.
Of a long topic it prints the first part and the headings of the others. Words of a
heading after a topic print the parts under such headings, and 'all' prints all.
Of any other word, print its entry in the glossary and the topics, kinds and
metrics that speak of it. 'starling help verbs' lists the verbs, 'starling help topics'
the topics. The keys of a kind are printed as 'starling describe' prints them.`,
		Example: "  starling help run\n  starling help networks\n  starling help privacy budgets\n  starling help algorithm\n  starling help algorithm ofl\n  starling help periodic\n  starling help glossary --markdown > glossary.md",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return p.completeHelp(cmd.Root(), args), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if *asJSON {
				return p.explainJSON(cmd, args)
			}
			return p.explain(cmd, args, source)
		},
	}
	asJSON = shell.AddJSON(cmd, "of a name its verb (name, use, summary, text, examples, flags and verbs, or null) and markdown, the text of its topic or section; without a name verbs, topics, sections and keys")
	cmd.Flags().BoolVar(&source, "markdown", false, "print a topic or a section as Markdown")
	return cmd
}

// explain prints the help of a name: the help of a verb, a topic, the kinds of a section, or
// the keys of a kind. Without a name it prints the help of the program. A name that nothing
// has is bad input. Where source is set, topics and sections are printed as Markdown, for
// files.
func (p program) explain(cmd *cobra.Command, args []string, source bool) error {
	root := cmd.Root()
	if len(args) == 0 || len(args) == 1 && args[0] == listOfVerbs {
		// cobra adds --help when a command is executed; this one is not, and its help
		// would lack the flag.
		root.InitDefaultHelpFlag()
		root.HelpFunc()(root, args)
		return nil
	}
	if name := p.describedBy(args); name != "" && !source {
		return p.describe(cmd, name)
	}
	page, err := p.pageOf(args)
	if err != nil {
		return err
	}
	// A name can be a verb and a topic, as privacy is: both are printed, the topic first.
	verb, rest, err := root.Find(args)
	isVerb := err == nil && len(rest) == 0 && verb != root
	if page == nil && !isVerb {
		if page, err = p.searchPage(args); err != nil {
			return err
		}
		if page == nil {
			return unknownHelp(root, args)
		}
	}
	if page != nil {
		if len(args) == 1 && slices.Contains(topics, args[0]) && !source {
			page = essentials(args[0], page)
		}
		if err := writePage(cmd.OutOrStdout(), page, source); err != nil || !isVerb || source {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "\n%s\n\n", verb.CommandPath())
		verb.Long, _, _ = strings.Cut(strings.TrimSuffix(verb.Long, moreOf(verb.Name())), "\n\n") // the topic says the rest
	}
	verb.InitDefaultHelpFlag()
	return verb.Help()
}

// moreOf is the last line of the help of a verb, which names a topic.
func moreOf(topic string) string { return "\n\nMore: starling help " + topic }

// explained is the help of a name, for a program.
type explained struct {
	Name     string         `json:"name"`
	Verb     *explainedVerb `json:"verb"` // null where no verb has the name
	Markdown string         `json:"markdown"`
}

// explainedVerb is a verb.
type explainedVerb struct {
	Name     string          `json:"name"`
	Use      string          `json:"use"`
	Summary  string          `json:"summary"`
	Text     string          `json:"text"`
	Examples string          `json:"examples"`
	Flags    []explainedFlag `json:"flags"`
	Verbs    []string        `json:"verbs"` // those that it has itself
}

// explainedFlag is a flag of a verb.
type explainedFlag struct {
	Name    string `json:"name"`
	Short   string `json:"short"`
	Type    string `json:"type"`
	Default string `json:"default"`
	Text    string `json:"text"`
}

// verbOf describes a verb.
func verbOf(cmd *cobra.Command) *explainedVerb {
	cmd.InitDefaultHelpFlag()
	v := &explainedVerb{
		Name: cmd.CommandPath(), Use: cmd.UseLine(), Summary: cmd.Short, Text: cmd.Long, Examples: cmd.Example,
		Flags: []explainedFlag{}, Verbs: []string{},
	}
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if !flag.Hidden {
			v.Flags = append(v.Flags, explainedFlag{flag.Name, flag.Shorthand, flag.Value.Type(), flag.DefValue, flag.Usage})
		}
	})
	for _, verb := range cmd.Commands() {
		if verb.IsAvailableCommand() {
			v.Verbs = append(v.Verbs, verb.Name())
		}
	}
	return v
}

// explainJSON is explain for a program.
func (p program) explainJSON(cmd *cobra.Command, args []string) error {
	root := cmd.Root()
	if len(args) == 0 {
		type named struct {
			Name    string `json:"name"`
			Summary string `json:"summary"`
		}
		all := struct {
			Verbs    []named  `json:"verbs"`
			Topics   []named  `json:"topics"`
			Sections []string `json:"sections"`
			Keys     []string `json:"keys"`
		}{Sections: sectionNames, Keys: keyNames}
		for _, verb := range root.Commands() {
			if verb.IsAvailableCommand() {
				all.Verbs = append(all.Verbs, named{verb.Name(), verb.Short})
			}
		}
		for _, name := range topics {
			title, err := topicTitle(name)
			if err != nil {
				return err
			}
			all.Topics = append(all.Topics, named{name, title})
		}
		return shell.WriteJSON(cmd.OutOrStdout(), all)
	}
	page, err := p.pageOf(args)
	if err != nil {
		return err
	}
	found := explained{Name: strings.Join(args, " "), Markdown: string(page)}
	if verb, rest, err := root.Find(args); err == nil && len(rest) == 0 && verb != root {
		found.Verb = verbOf(verb)
	}
	if page == nil && found.Verb == nil {
		if page, err = p.searchPage(args); err != nil {
			return err
		}
		if page == nil {
			return unknownHelp(root, args)
		}
		found.Markdown = string(page)
	}
	return shell.WriteJSON(cmd.OutOrStdout(), found)
}

// pageOf returns the Markdown of a topic, of a section, of a kind of a section, or of the
// keys of a file. It is nil where none has the name, which is no error: the name may be a
// verb's. Sections come first, so that a section of the same name as a topic can take a
// kind.
func (p program) pageOf(args []string) ([]byte, error) {
	switch name := args[0]; {
	case slices.Contains(sectionNames, name):
		return p.sectionPage(name, args[1:])
	case len(args) > 1 && slices.Contains(topics, name):
		page, err := topicParts(name, strings.Join(args[1:], " "))
		if err != nil && name == glossaryTopic { // a word, and no heading
			if entry, wrong := p.searchPage(args[1:]); wrong != nil || entry != nil {
				return entry, wrong
			}
		}
		if err != nil { // such as "privacy loss", of which no heading of the topic speaks
			if entry, wrong := p.searchPage(args); wrong != nil || entry != nil {
				return entry, wrong
			}
		}
		return page, err
	case len(args) > 1:
		return nil, nil
	case slices.Contains(keyNames, name):
		return p.keysPage(name)
	case slices.Contains(topics, name):
		return topicText(name)
	case name == listOfTopics:
		return topicsPage()
	}
	return nil, nil
}

// listOfTopics is the name under which help lists its topics.
const listOfTopics = "topics"

// topicsPage returns the Markdown of the list of topics, with the sections of a scenario below it.
func topicsPage() ([]byte, error) {
	var page bytes.Buffer
	page.WriteString("# Topics of help\n\n| command | topic |\n| --- | --- |\n")
	for _, name := range topics {
		title, err := topicTitle(name)
		if err != nil {
			return nil, err
		}
		shell.WriteRow(&page, "`starling help "+name+"`", title)
	}
	fmt.Fprintf(&page, "\nKeys of a scenario: `starling help SECTION KIND`, of the sections %s; `starling help keys`, `sweep` and `events`. Any other word: `starling help WORD`.\n", strings.Join(sectionNames, ", "))
	return page.Bytes(), nil
}

// pageWidth is the largest width of lines of help, in columns: longer ones are hard to read.
const pageWidth = 100

// writePage prints Markdown. On a terminal the page has the terminal's width, up to
// pageWidth, and styles, which the environment variable NO_COLOR turns off. For files and
// pipes it is plain text of 80 columns. With source it is printed as it is.
func writePage(w io.Writer, text []byte, source bool) error {
	if source {
		_, err := w.Write(text)
		return err
	}
	width, styled := shell.WidthOf(w), true
	if width == 0 {
		width, styled = 80, false
	}
	rendered, err := shell.Markdown(text, min(width, pageWidth), styled && os.Getenv("NO_COLOR") == "")
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, rendered)
	return err
}

// completeHelp returns the words that can follow on the command line, for a shell: verbs,
// topics, sections and keys first, then the kinds of a section.
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
		words = append(append(words, keyNames...), listOfVerbs, listOfTopics)
	case 1:
		for _, kind := range p.sectionKinds(args[0]) {
			words = append(words, cobra.CompletionWithDesc(kind.Kind.Kind, kind.Summary))
		}
		if text, err := topicText(args[0]); err == nil {
			for _, part := range partsOf(text)[1:] {
				words = append(words, strings.ToLower(part.heading))
			}
		}
	}
	return words
}

// unknownHelp returns the error of a name that help does not know, with the nearest name,
// or of a word too many after a name that it knows.
func unknownHelp(root *cobra.Command, args []string) error {
	names := slices.Concat(topics, sectionNames, keyNames, []string{listOfTopics, listOfVerbs})
	for _, verb := range root.Commands() {
		names = append(names, verb.Name())
	}
	if slices.Contains(names, args[0]) {
		return shell.Usage(fmt.Errorf("help of %s takes no %q", args[0], args[1]))
	}
	hint := document.Suggest(args[0], names, "")
	if hint == "" {
		if words, err := glossary(); err == nil {
			var known []string
			for _, d := range words {
				known = append(known, d.Name)
			}
			hint = document.Suggest(args[0], known, "")
		}
	}
	if hint == "" {
		hint = "; starling help topics lists the topics, and starling list the kinds and metrics"
	}
	return shell.Usage(fmt.Errorf("unknown verb, topic or section %q%s", args[0], hint))
}

// topicsOf names, for each verb, the topic that says more of it. The help of the verb
// ends with the name of its topic.
var topicsOf = map[string]string{
	"validate": "scenario", "schema": "scenario", "run": "results", "export": "results", "plot": "results", "compare": "results", "table": "results",
	"report": "results", "replay": "results", "privacy": "privacy", "account": "privacy", "audit": "audits", "reproduce": "claims",
	"describe": "scenario", "show": "scenario", "init": "scenario", "data": "data", "topology": "networks", "list": "glossary", "bench": "performance", "merge": "clusters", "batch": "clusters", "worker": "clusters",
	"bundle": "results", "verify": "results", "runs": "runs", "watch": "runs", "tag": "runs", "note": "runs", "rm": "runs", "du": "runs", "ui": "page",
}
