package command

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"starling/scenarios/guide"
)

// forbidden are words and phrases that users should not have to read: words of this project
// alone for things that the field has names of and nouns in the form of a clause.
var forbidden = regexp.MustCompile(`(?i)\b(?:liars?|nodes? that lies?|nobody lies|nodes (?:that )?are equals|what is accounted|what (?:is|was) paid|not told apart|` +
	`this arm runs without noise|not informative|it is proven for|no data of the world|came out the same|times what it hides|learn different things|which of those there are)\b`)

// idioms are stiff phrases that texts outside of the page do without.
var idioms = regexp.MustCompile(`(?i)\b(?:of one's own|as ever|anew|(?:is|are|was|were) there already|hears? nobody by|lost for good|elsewhere than on|` +
	`this topic is about|all the work (?:it|they) may take|at work on it)\b`)

// kept are the beginnings of texts that ledgers and notes of runs hold, which stay as they are.
var kept = []string{"a client is there with probability", "of a first release with Gaussian noise", "what is paid is for adding or removing a sample"}

// keyOfRules matches a key of scenarios, which keeps its name, in the forms in which texts have it.
var keyOfRules = regexp.MustCompile("`liars`|\"liars\"|\\bliars:|liar\\*\\*:")

// mostWords is the largest number of words of a sentence in a topic.
const mostWords = 45

// sayings returns the words of a text that are forbidden.
func sayings(text string) []string {
	return forbidden.FindAllString(keyOfRules.ReplaceAllString(strings.Join(strings.Fields(text), " "), ""), -1)
}

// TestWordsOfUsers reads the topics, the help of verbs, the names of kinds and metrics, and the
// literal texts of the source.
func TestWordsOfUsers(t *testing.T) {
	check := func(where, text string) {
		for _, found := range sayings(text) {
			t.Errorf("%s says %q", where, found)
		}
		if found := idioms.FindString(text); found != "" && !strings.Contains(where, ".js:") {
			t.Errorf("%s says %q", where, found)
		}
	}
	for _, topic := range topics {
		text, err := topicText(topic)
		if err != nil {
			t.Fatal(err)
		}
		check("topic "+topic, string(text))
	}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		check(cmd.CommandPath(), cmd.Short+"\n"+cmd.Long+"\n"+cmd.Flags().FlagUsages())
		for _, verb := range cmd.Commands() {
			visit(verb)
		}
	}
	visit(standard().newRoot())
	for _, k := range guide.KindsOf(standard().Kinds) {
		check("kind "+k.Section+"/"+k.Kind.Kind, k.Summary)
	}
	for _, m := range standard().Kinds.AllMetrics() {
		check("metric "+m.Name, m.Label+"\n"+m.Summary)
	}
	for where, text := range literals(t, "../../../scenarios", "../../../cmd") {
		if !slices.ContainsFunc(kept, func(beginning string) bool { return strings.HasPrefix(text, beginning) }) {
			check(where, text)
		}
	}
	for where, text := range scenarioTexts(t, "../../../scenarios/library") {
		check(where, text)
	}
	if got := sayings("liars lie; `liars` of a rule, {liars: 2}, what was paid, and what is accounted"); !slices.Equal(got, []string{"liars", "what was paid", "what is accounted"}) {
		t.Errorf("forbidden are %q", got)
	}
}

// scenarioTexts are the comments and descriptions of the library's scenarios, by file.
func scenarioTexts(t *testing.T, folder string) map[string]string {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil || len(files) < 50 {
		t.Fatalf("%d scenarios, %v", len(files), err)
	}
	found := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "description:") {
				found[file] += line
			} else if _, comment, ok := strings.Cut(line, "# "); ok {
				found[file] += comment
			}
		}
	}
	return found
}

// literals are the texts of the source, by place: string literals of Go without those of tests,
// and lines of the page without comments.
func literals(t *testing.T, roots ...string) map[string]string {
	found := map[string]string{}
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil || entry.IsDir() || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".min.js"):
				return err
			case strings.HasSuffix(path, ".go"):
				set := token.NewFileSet()
				file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
				if err != nil {
					return err
				}
				ast.Inspect(file, func(n ast.Node) bool {
					if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
						if text, err := strconv.Unquote(literal.Value); err == nil && strings.ContainsRune(text, ' ') {
							found[set.Position(literal.Pos()).String()] = text
						}
					}
					return true
				})
			case strings.HasSuffix(path, ".js") || strings.HasSuffix(path, ".html"):
				text, err := os.ReadFile(path)
				for i, line := range strings.Split(string(text), "\n") {
					if !strings.HasPrefix(strings.TrimSpace(line), "//") {
						found[path+":"+strconv.Itoa(i+1)] = line
					}
				}
				return err
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(found) < 1000 {
		t.Errorf("%d texts in the source", len(found))
	}
	return found
}

// ends matches the end of a sentence, of a row of a table, of an item and of a paragraph.
var ends = regexp.MustCompile("[.?!:;]\\)?(?:\\s+|$)|\n\\s*[-|#]|\n\\s*\n|\\|")

// fenced matches an example.
var fenced = regexp.MustCompile("(?s)```.*?```")

// TestSentencesOfTopics bounds the length of sentences.
func TestSentencesOfTopics(t *testing.T) {
	for _, topic := range topics {
		text, err := topicText(topic)
		if err != nil {
			t.Fatal(err)
		}
		for _, sentence := range ends.Split(fenced.ReplaceAllString(string(text), "\n\n"), -1) {
			if n := len(strings.Fields(sentence)); n > mostWords {
				t.Errorf("topic %s: %d words, want at most %d: %s", topic, n, mostWords, strings.Join(strings.Fields(sentence), " "))
			}
		}
	}
}

// clausal are forms in which a clause stands in for a noun, with the most of each in 1,000 words.
var clausal = []struct {
	form *regexp.Regexp
	most float64
}{
	{regexp.MustCompile(`(?i)\bwhat(?:ever)?\b`), 2},
	{regexp.MustCompile(`(?i)\b(?:that|those)\s+of\b`), 0.5},
}

// TestNounsForUsers counts clausal forms in the topics without their examples, in the help of
// verbs, and in the literal texts of the source without the tags of keys.
func TestNounsForUsers(t *testing.T) {
	texts := map[string]*strings.Builder{"topics": {}, "verbs": {}, "literals": {}}
	for _, topic := range topics {
		text, err := topicText(topic)
		if err != nil {
			t.Fatal(err)
		}
		texts["topics"].WriteString(fenced.ReplaceAllString(string(text), "\n\n"))
	}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		texts["verbs"].WriteString(cmd.Short + "\n" + cmd.Long + "\n" + cmd.Flags().FlagUsages())
		for _, verb := range cmd.Commands() {
			visit(verb)
		}
	}
	visit(standard().newRoot())
	for _, text := range literals(t, "../../../actors", "../../../mechanisms", "../../../messages", "../../../scenarios", "../../../cmd") {
		if !strings.HasPrefix(text, "yaml:") {
			texts["literals"].WriteString(text + "\n")
		}
	}
	for where, text := range texts {
		words := len(strings.Fields(text.String()))
		if words < 5000 {
			t.Errorf("%s have %d words", where, words)
		}
		for _, c := range clausal {
			found := len(c.form.FindAllString(text.String(), -1))
			if per := 1000 * float64(found) / float64(words); per > c.most {
				t.Errorf("%s have %d of %s in %d words, %.2f in 1,000; want at most %g", where, found, c.form, words, per, c.most)
			}
		}
	}
}
