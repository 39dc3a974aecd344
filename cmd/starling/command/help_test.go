package command

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/claim"
	"starling/scenarios/document"
	"starling/scenarios/guide"
	"starling/scenarios/kind"
)

// pagesOfHelp are the README and the topics, by path.
func pagesOfHelp(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("help/*.md")
	if err != nil || len(files) != len(topics) {
		t.Fatalf("%d topics are listed, %d files are there; %v", len(topics), len(files), err)
	}
	pages := map[string]string{}
	for _, file := range append(files, "../../../README.md", "../CHANGELOG.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		pages[file] = string(text)
	}
	return pages
}

// mostReadme is how long the README may be, in bytes: who opens it should read it.
const mostReadme = 12 * 1024

func TestReadmeIsShort(t *testing.T) {
	if size := len(pagesOfHelp(t)["../../../README.md"]); size > mostReadme {
		t.Errorf("README.md has %d bytes, at most %d are wanted: say it in a topic", size, mostReadme)
	}
}

// Every file that a page links to is there, and every other link is of a paper on arXiv.
func TestHelpLinks(t *testing.T) {
	found := 0
	for file, text := range pagesOfHelp(t) {
		for _, link := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(text, -1) {
			if regexp.MustCompile(`^https://arxiv\.org/abs/\d{4}\.\d{5}(v\d)?$`).MatchString(link[1]) {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), link[1])); err != nil {
				t.Errorf("%s: %v", file, err)
			}
			found++
		}
	}
	if found < 10 {
		t.Errorf("%d links were found", found)
	}
}

// Every command that a page names has a verb that there is, with flags that it
// takes; and help knows every name that it is asked for.
func TestHelpNamesCommands(t *testing.T) {
	found := 0
	for file, text := range pagesOfHelp(t) {
		for _, line := range commandsIn(text) {
			words := strings.Fields(line)
			if words[1] == "VERB" || words[1] == strings.ToUpper(words[1]) {
				continue
			}
			found++
			root := standard().newRoot()
			verb, rest, err := root.Find(words[1:])
			if err != nil {
				t.Errorf("%s: %s: %v", file, line, err)
				continue
			}
			for _, word := range words {
				name, _, _ := strings.Cut(strings.TrimPrefix(word, "--"), "=")
				if strings.HasPrefix(word, "--") && name != "help" && verb.Flags().Lookup(name) == nil {
					t.Errorf("%s: %s: no flag --%s", file, line, name)
				}
			}
			if verb.Name() == "help" && !helps(root, rest) {
				t.Errorf("%s: %s: there is no such help", file, line)
			}
		}
	}
	if found < 40 {
		t.Errorf("%d commands were found", found)
	}
}

// commandsIn are the commands of a page, in code of a line or in blocks.
func commandsIn(text string) (commands []string) {
	text = regexp.MustCompile(`\\\n +`).ReplaceAllString(text, "")
	for _, match := range regexp.MustCompile("(?m)`(starling [^`]+)`|^(starling .*)$").FindAllStringSubmatch(text, -1) {
		commands = append(commands, match[1]+match[2])
	}
	return commands
}

// helps tells whether help has something about names, the capitals apart, which
// stand for others.
func helps(root *cobra.Command, names []string) bool {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return strings.HasPrefix(name, "--") || name == strings.ToUpper(name)
	})
	var out bytes.Buffer
	return len(names) == 0 || standard().execute(root.Context(), append([]string{"help"}, names...), &out, &out) == exitDone
}

// Every topic is rendered within the width, with the same words whether styled or
// not; lines of code alone may be longer, and those fit a terminal of 80 columns.
func TestTopicsAreRendered(t *testing.T) {
	escape := regexp.MustCompile(`\x1b\[[0-9]+m`)
	for _, name := range topics {
		source, err := topicText(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, width := range []int{40, 80, 120} {
			plain, err := shell.Markdown(source, width, false)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			styled, err := shell.Markdown(source, width, true)
			want, got := strings.Fields(strings.ReplaceAll(plain, "`", "")), strings.Fields(escape.ReplaceAllString(styled, ""))
			if diff := cmp.Diff(want, got); err != nil || diff != "" || plain == styled {
				t.Errorf("%s: %v; styled (-plain +styled)\n%s", name, err, diff)
			}
			if strings.Contains(plain, "**") || strings.Contains(plain, "](") {
				t.Errorf("%s: Markdown is left in\n%s", name, plain)
			}
			for line := range strings.Lines(plain) {
				if size := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); size > width && (size > 80 || !strings.HasPrefix(line, "  ")) {
					t.Errorf("%s at %d columns: %s", name, width, line)
				}
			}
		}
	}
}

func TestMarkdown(t *testing.T) {
	source := "# A *title*\n\nWords of `code`, **bold**\nand [a link](data.md).\n\n- one\n- two `three four`\n  five\n\n2. second\n3. third\n\n" +
		"| a | b |\n| --- | --- |\n| `x` | y `z`. |\n\n```sh\nls  -l\n\n  x\n```\n"
	want := "A title\n\nWords of `code`,\nbold and a link.\n\n- one\n- two `three four`\n  five\n\n2. second\n3. third\n\na  b\nx  y z.\n\n  ls  -l\n\n    x\n"
	got, err := shell.Markdown([]byte(source), 20, false)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	styled, err := shell.Markdown([]byte("a `b c`."), 80, true)
	if want := "a \x1b[36mb\x1b[0m \x1b[36mc\x1b[0m.\n"; err != nil || styled != want {
		t.Errorf("%q, %v, want %q", styled, err, want)
	}
	if got, err := shell.Markdown([]byte("> quoted\n"), 80, false); err == nil {
		t.Errorf("%q, want an error: quotations are not rendered", got)
	}
}

// Every kind of every section has its keys in the help; a mapping may name one with the same keys.
func TestSectionPages(t *testing.T) {
	g, err := guide.New(standard().Kinds)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range guide.KindsOf(standard().Kinds) {
		page, err := standard().sectionPage(k.Section, []string{k.Kind.Kind})
		if err != nil {
			t.Fatal(err)
		}
		checkExample(t, &k, page)
		options, _ := g.Options(k.Section, k.Kind.Kind)
		for _, o := range options {
			mapping, _, _ := strings.Cut(o.Key, ".")
			_, after, _ := strings.Cut(string(page), "- **"+strings.TrimSuffix(mapping, "[]")+"**: ")
			within, _, _ := strings.Cut(after, "\n- **")
			if !strings.Contains(string(page), "- **"+o.Key+"**: ") && !strings.Contains(within, "the keys of `") {
				t.Errorf("%s %s: no key %s in\n%s", k.Section, k.Kind.Kind, o.Key, page)
			}
		}
		if _, err := shell.Markdown(page, 80, false); err != nil {
			t.Errorf("%s %s: %v", k.Section, k.Kind.Kind, err)
		}
	}
}

// checkExample holds that the page of a kind begins with an example in a few lines, and that its keys are
// the kind's: the section has no faults.
func checkExample(t *testing.T, k *guide.Named, page []byte) {
	t.Helper()
	_, after, _ := strings.Cut(string(page), "\n```yaml\n")
	example, _, shown := strings.Cut(after, "```\n")
	if n := strings.Count(example, "\n"); !shown || n < 2 || n > 8 {
		t.Errorf("%s %s: an example of %d lines in\n%s", k.Section, k.Kind.Kind, n, page)
		return
	}
	doc, err := document.Parse("example", []byte(example))
	if err != nil {
		t.Fatalf("%s %s: %v", k.Section, k.Kind.Kind, err)
	}
	section, ok := doc.Find(strings.TrimPrefix(around[k.Section]+"."+k.Section, "."))
	if !ok {
		t.Fatalf("%s %s: no section in\n%s", k.Section, k.Kind.Kind, example)
	}
	var kinds []kind.Kind
	for _, s := range standard().Kinds.Sections() {
		if s.Name == k.Section {
			kinds = *s.Kinds
		}
	}
	if err := k.CheckValues(kinds, section); err != nil {
		t.Errorf("%s %s: %v", k.Section, k.Kind.Kind, err)
	}
}

// TestRequiredFirst has required keys before others at each depth, with their own keys behind them.
func TestRequiredFirst(t *testing.T) {
	var options []guide.Option
	for _, text := range strings.Fields("a b! b.x b.y! b.y.z c d! e.p/one e.q!/one e.r!/two") {
		key, form, _ := strings.Cut(text, "/")
		options = append(options, guide.Option{Key: strings.TrimSuffix(key, "!"), Required: strings.HasSuffix(key, "!"), Form: form})
	}
	options = slices.Insert(options, 7, guide.Option{Key: "e"})
	var keys []string
	for _, o := range requiredFirst(options, 0) {
		keys = append(keys, o.Key)
	}
	if got, want := strings.Join(keys, " "), "b b.y b.y.z b.x d a c e e.q e.p e.r"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestHelpClaims: the claims that the topic shows are a file of claims.
func TestHelpClaims(t *testing.T) {
	text, err := topicText("claims")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ = bytes.Cut(text, []byte("```yaml\n"))
	text, _, _ = bytes.Cut(text, []byte("```"))
	if f, err := claim.Decode("claims.md", text); err != nil || len(f.Claims) != 1 || len(f.Quick) != 2 {
		t.Errorf("%+v, %v", f, err)
	}
}

// TestVerbsHaveGroups puts every verb into one group of the help, in one line of 80 columns each, and on
// 44 columns in lines that fit.
func TestVerbsHaveGroups(t *testing.T) {
	root := standard().newRoot()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	var grouped []string
	for _, group := range verbGroups {
		grouped = append(grouped, group.verbs...)
	}
	for _, verb := range root.Commands() {
		if n := len(slices.DeleteFunc(slices.Clone(grouped), func(name string) bool { return name != verb.Name() })); n != 1 {
			t.Errorf("%s is in %d groups", verb.Name(), n)
		}
		if n := 2 + max(len(verb.Name()), verb.NamePadding()) + 1 + len(verb.Short); n > 80 {
			t.Errorf("%s: a line of %d columns", verb.Name(), n)
		}
	}
	if len(grouped) != len(root.Commands()) {
		t.Errorf("%d verbs in groups, %d verbs", len(grouped), len(root.Commands()))
	}
}

// TestTopicsBeginWithCommands checks that a command stands first in every topic.
func TestTopicsBeginWithCommands(t *testing.T) {
	first := regexp.MustCompile("^# .+\n\n```sh( no-ci)?\nstarling ")
	for _, name := range topics {
		if text, err := topicText(name); err != nil || !first.Match(text) {
			t.Errorf("%s: %v, %.80s", name, err, text)
		}
	}
}

// TestShortHelp: -h of a verb fits one screen, with the examples before the flags, and --help has its text as well.
func TestShortHelp(t *testing.T) {
	text := func(args ...string) string {
		var out bytes.Buffer
		root := standard().newRoot()
		root.SetOut(&out)
		root.SetArgs(args)
		if err := root.Execute(); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	for _, verb := range []string{"run", "plot", "compare", "table", "privacy", "validate"} {
		short, long := text(verb, "-h"), text(verb, "--help")
		if lines := strings.Count(short, "\n"); lines > 50 {
			t.Errorf("%s -h has %d lines", verb, lines)
		}
		for _, page := range []string{short, long} {
			if examples, flags := strings.Index(page, "\nExamples:\n"), strings.Index(page, "\nFlags:\n"); examples < 0 || flags < examples {
				t.Errorf("%s: examples at %d, flags at %d:\n%s", verb, examples, flags, page)
			}
		}
		if strings.Contains(short, "More: starling help") || !strings.Contains(long, "More: starling help") {
			t.Errorf("%s: -h:\n%s\n--help:\n%s", verb, short, long)
		}
	}
}
