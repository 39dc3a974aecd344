package command

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"starling/cmd/starling/command/shell"
)

// flagGroups are flags by the work that they are for, in the order in which the help of a verb has them. Flags of no
// group come first.
var flagGroups = []struct {
	title string
	flags []string
}{
	{"Axes", []string{"x", "y", "at", "by", "facet", "hue", "dash", "band", "per-step", "linear-x", "log-x", "log-y"}},
	{"Page", []string{"caption", "height", "legend", "style", "title", "width", "xlabel", "ylabel"}},
	{"Speed and memory", []string{"cores", "engine", "memory", "shards"}},
	{"Other processes and machines", []string{"join", "listen", "part", "spread", "stall", "tls-ca", "tls-cert", "tls-key", "wait", "workers"}},
	{"Output", []string{"json", "markdown", "progress", "quiet", "results", "help"}},
}

// fewFlags is the number of flags up to which the help of a verb has one group.
const fewFlags = 8

// groupedFlags is the text of the flags of a verb, by groups where they are many. short has the first clause of each, and
// the names of the flags of later groups but the last.
func groupedFlags(flags *pflag.FlagSet, width int, short bool) string {
	number := 0
	flags.VisitAll(func(*pflag.Flag) { number++ })
	sets := make([]*pflag.FlagSet, 1+len(flagGroups))
	for i := range sets {
		sets[i] = pflag.NewFlagSet("", pflag.ContinueOnError)
	}
	flags.VisitAll(func(f *pflag.Flag) {
		place := 0
		if number > fewFlags {
			place = groupOf(f.Name)
		}
		shown := *f
		if short {
			shown.Usage = firstClause(f.Usage)
		}
		sets[place].AddFlag(&shown)
	})
	var parts []string
	for i, set := range sets {
		text := strings.TrimRight(set.FlagUsagesWrapped(width), "\n")
		if short && i > 0 && i < len(sets)-1 {
			text = flagNames(set, width)
		}
		if i > 0 && text != "" {
			text = flagGroups[i-1].title + ":\n" + text
		}
		if text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n\n") + "\n"
}

// flagNames is a line with the names of flags; empty for none.
func flagNames(set *pflag.FlagSet, width int) string {
	var names []string
	set.VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	if len(names) == 0 {
		return ""
	}
	return shell.WrapLine("      "+strings.Join(names, ", "), cmp.Or(width, pageWidth))
}

// groupOf returns the place of the group of a flag, from 1; 0 for none.
func groupOf(name string) int {
	for i, group := range flagGroups {
		if slices.Contains(group.flags, name) {
			return i + 1
		}
	}
	return 0
}

// firstClause returns the text of a flag up to its first semicolon or colon.
func firstClause(usage string) string {
	for _, end := range []string{"; ", ": ", ", and "} {
		usage, _, _ = strings.Cut(usage, end)
	}
	return usage
}
