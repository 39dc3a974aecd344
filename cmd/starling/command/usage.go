package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/results/tabular"
)

// verbGroups are the verbs by the work that they are for, in the order in which the help of the program
// has them.
var verbGroups = []struct {
	title string
	verbs []string
}{
	{"Begin", []string{"data", "describe", "help", "init", "list", "show", "topology"}},
	{"Run", []string{"run", "tune", "validate", "watch"}},
	{"Read", []string{"du", "export", "note", "notes", "plot", "replay", "report", "rm", "runs", "table", "tag", "ui"}},
	{"Compare", []string{"compare", "privacy"}},
	{"Check", []string{"account", "audit", "bundle", "reproduce", "verify"}},
	{"Run in parallel", []string{"batch", "merge", "worker"}},
	{"Extend", []string{"bench", "completion", "factorize", "man", "schema", "version"}},
}

// addGroups puts the verbs into their groups.
func addGroups(root *cobra.Command) {
	for _, group := range verbGroups {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title + ":"})
		for _, verb := range root.Commands() {
			if slices.Contains(group.verbs, verb.Name()) {
				verb.GroupID = group.title
			}
		}
		// cobra adds these two when the program is executed.
		if slices.Contains(group.verbs, "help") {
			root.SetHelpCommandGroupID(group.title)
		}
		if slices.Contains(group.verbs, "completion") {
			root.SetCompletionCommandGroupID(group.title)
		}
	}
}

// addTopics lists the topics and sections below the verbs in the help of the program, and
// names its topic in the help of each verb. cobra builds help from a template, and the
// list is put into that: there is no other place between the verbs and the flags.
func addTopics(root *cobra.Command) {
	for _, verb := range root.Commands() {
		if name, ok := topicsOf[verb.Name()]; ok {
			verb.Long += moreOf(name)
		}
	}
	var list strings.Builder
	list.WriteString("\nTopics:\n")
	list.WriteString("{{wrappedTopics}}")
	list.WriteString("\nSections of a scenario:\n{{wrappedLine \"" + strings.Join(sectionNames, ", ") + "\"}}\n\n")
	list.WriteString("{{narrowed `Use \"starling help TOPIC\", \"starling help SECTION [KIND]\" or, for the keys of a\nfile, of a sweep and of events, \"starling help keys|sweep|events\".`}}")
	// The topics stand below the verbs, before the flags, and the long text of a verb below its flags.
	const flags = "{{if .HasAvailableLocalFlags}}"
	before, after, _ := strings.Cut(root.UsageTemplate(), flags)
	const text = "{{if and .HasParent (not brief) .Long}}\n{{narrowed (.Long | trimTrailingWhitespaces)}}{{end}}"
	usage := before + "{{if not .HasParent}}\n" + list.String() + "{{end}}" + flags + after + text
	usage = strings.Replace(usage, "{{if .Runnable}}\n  {{.UseLine}}{{end}}{{if .HasAvailableSubCommands}}\n  {{.CommandPath}} [command]{{end}}",
		"{{if and .Runnable .HasParent}}\n  {{.UseLine}}{{end}}{{if .HasAvailableSubCommands}}\n  {{.CommandPath}} VERB [flags]{{end}}", 1)
	usage = strings.ReplaceAll(usage, "{{rpad .Name .NamePadding }} {{.Short}}", "{{wrappedItem .Name .NamePadding .Short}}")
	usage = strings.ReplaceAll(usage, "{{.Example}}", "{{wrappedExample .Example}}")
	const more = `Use "{{.CommandPath}} [command] --help" for more information about a command.`
	usage = strings.ReplaceAll(usage, more, `{{narrowed (printf "Use \"%s [command] --help\" for more information about a command." .CommandPath)}}`)
	for _, set := range []string{".LocalFlags", ".InheritedFlags"} {
		usage = strings.ReplaceAll(usage, set+".FlagUsages", "wrappedFlags "+set)
	}
	usage = strings.Replace(usage, "{{if .HasAvailableInheritedFlags}}", "{{if and .HasAvailableInheritedFlags (not brief)}}", 1)
	root.SetUsageTemplate(usage + "{{if and .HasParent brief}}\nAll of it: {{.CommandPath}} --help\n{{end}}")
	short := false // the help of -h, in which all fits one screen
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if !cmd.HasParent() && !slices.Contains(args, listOfVerbs) {
			writeFirstScreen(cmd)
			return
		}
		short = slices.Contains(args, "-h") && !slices.Contains(args, "--help")
		help(cmd, args)
	})
	cobra.AddTemplateFunc("brief", func() bool { return short })
	width := 0 // of the terminal: cobra has the flags of a verb printed into memory first
	cobra.AddTemplateFunc("wrappedText", func(cmd *cobra.Command, text string) string {
		width = shell.WidthOf(cmd.OutOrStdout())
		return narrowed(text, width)
	})
	cobra.AddTemplateFunc("narrowed", func(text string) string { return narrowed(text, width) })
	cobra.AddTemplateFunc("wrappedItem", func(name string, padding int, text string) string { return item(name, padding, text, width) })
	cobra.AddTemplateFunc("wrappedTopics", func() string {
		var list strings.Builder
		for _, name := range topics {
			title, err := topicTitle(name)
			if err != nil {
				panic(err) // the files are embedded
			}
			list.WriteString("  " + item(name, 11, title, width) + "\n")
		}
		return list.String()
	})
	cobra.AddTemplateFunc("wrappedLine", func(text string) string { return shell.WrapLine("  "+text, width) })
	cobra.AddTemplateFunc("wrappedExample", func(text string) string { return example(text, width) })
	cobra.AddTemplateFunc("wrappedFlags", func(flags *pflag.FlagSet) string {
		return groupedFlags(flags, min(width, pageWidth), short)
	})
	begin := "{{if .HasParent}}{{wrappedText $ .Short}}.\n\n{{else}}{{with (or .Long .Short)}}{{wrappedText $ . |"
	template := strings.Replace(root.HelpTemplate(), "{{with (or .Long .Short)}}{{. |", begin, 1)
	root.SetHelpTemplate(strings.Replace(template, "{{end}}{{if or .Runnable", "{{end}}{{end}}{{if or .Runnable", 1))
}

// item is an entry of a list that is indented by two columns: a name, and a text that goes on
// below itself where a terminal is narrow. A width of 0 is no terminal.
func item(name string, padding int, text string, width int) string {
	head := fmt.Sprintf("%-*s ", padding, name)
	if width == 0 {
		return head + text
	}
	lines := tabular.Wrap(text, max(width-2-len(head), 16))
	return head + strings.Join(lines, "\n"+strings.Repeat(" ", 2+len(head)))
}

// example is commands that fit a terminal: a longer one goes on in the next line, as a shell
// takes it.
func example(text string, width int) string {
	if width == 0 {
		return text
	}
	const onward, indent = " \\", "    "
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		var parts []string
		for len(line) > width {
			cut := strings.LastIndex(line[:max(0, width-len(onward)+1)], " ")
			if start := len(line) - len(strings.TrimLeft(line, " ")); cut < start { // a word that is longer
				if cut = start + strings.Index(line[start:], " "); cut < start {
					break
				}
			}
			if strings.Count(line[:cut], "'")%2 == 1 {
				break // in quotes, which take a line as it is
			}
			parts = append(parts, line[:cut]+onward)
			line = indent + line[cut+1:]
		}
		lines[i] = strings.Join(append(parts, line), "\n")
	}
	return strings.Join(lines, "\n")
}

// writtenWidth is the width of the texts of verbs in the source.
const writtenWidth = 88

// narrowed is a text of a verb on a terminal that is narrower than the text. Paragraphs are
// wrapped anew, and text in columns goes on below itself. A width of 0 is no terminal.
func narrowed(text string, width int) string {
	if width == 0 || width >= writtenWidth {
		return text
	}
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		if !strings.Contains(strings.TrimSpace(p), "  ") {
			paragraphs[i] = strings.Join(tabular.Wrap(p, width), "\n")
			continue
		}
		lines := strings.Split(p, "\n")
		for k, line := range lines {
			if strings.Contains(strings.TrimSpace(line), "  ") { // a word and its description
				lines[k] = shell.WrapLine(line, width)
			}
		}
		paragraphs[i] = strings.Join(lines, "\n")
	}
	return strings.Join(paragraphs, "\n\n")
}
