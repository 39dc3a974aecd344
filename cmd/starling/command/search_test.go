package command

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// TestSpeaks: words are found by their beginning, and by a stem that they begin with.
func TestSpeaks(t *testing.T) {
	for _, test := range []struct {
		text, word string
		want       bool
	}{
		{"Tiers: hierarchical federation", "hierarchical", true},
		{"Tiers: hierarchical federation", "Hierarch", true},
		{"a period, phases", "periodic", true},
		{"personal models", "personalised", true},
		{"a tier of servers", "tiered", false}, // a stem of four letters stands for too much
		{"run", "runs", false},
		{"federation", "ration", false},
	} {
		if got := speaks(test.text, test.word); got != test.want {
			t.Errorf("%q speaks of %q: %v, want %v", test.text, test.word, got, test.want)
		}
	}
}

// TestWordsForHeadings: the words that a search prints of a heading print the part below it.
func TestWordsForHeadings(t *testing.T) {
	for _, topic := range topics {
		text, err := topicText(topic)
		if err != nil {
			t.Fatal(err)
		}
		parts := partsOf(text)
		for _, part := range parts[1:] {
			words := wordsFor(part.heading, parts[1:])
			page, err := topicParts(topic, strings.ReplaceAll(strings.Trim(words, "'"), `'\''`, "'"))
			if err != nil || !strings.Contains(string(page), part.text) {
				t.Errorf("help %s %s: %v\n%s", topic, words, err, page)
			}
		}
	}
}

// TestSentence leaves an identifier at the beginning as it is.
func TestSentence(t *testing.T) {
	for text, want := range map[string]string{"regret.fixed compares.": "regret.fixed compares.", "regret: less.": "Regret: less.", "regret.": "Regret.", "plots/: files": "plots/: files", "budget: {on} is": "budget: {on} is"} {
		if got := sentence(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestPassage cuts the sentence that speaks of a word.
func TestPassage(t *testing.T) {
	long := strings.Repeat("words ", 40)
	for _, test := range []struct{ text, word, want string }{
		{"One. The *ledger* of `a run`\nis kept. Two.", "ledger", "The ledger of a run is kept."},
		{"a period of " + long, "period", "a period of " + strings.Repeat("words ", 14) + "…"},
		{"- nothing", "ledger", ""},
		{"The *arms* `d=2,*` are drawn.", "arms", "The arms d=2,* are drawn."},
	} {
		if got := passage(test.text, test.word); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

// TestGlossaryIsSorted: each part of the glossary has its words in alphabetical order.
func TestGlossaryIsSorted(t *testing.T) {
	text, err := topicText(glossaryTopic)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range partsOf(text)[1:] {
		var words []string
		for entry := range strings.SplitSeq(briefWords(part.text), "\n- **") {
			if word, _, ok := strings.Cut(entry, "**:"); ok {
				words = append(words, strings.ToLower(word))
			}
		}
		if len(words) == 0 || !slices.IsSorted(words) {
			t.Errorf("%s: %q", part.heading, words)
		}
	}
}

// TestHelpOfWords: a word has its entry in the glossary first, and an unknown one the nearest.
func TestHelpOfWords(t *testing.T) {
	for _, test := range []struct {
		args string
		code int
		want []string
	}{
		{"help topics", exitDone, []string{"\nstarling help scenario     The scenario file and its keys\n", "`starling help SECTION KIND`"}},
		{"help unit", exitDone, []string{"Help that speaks of unit\n\n- unit: The protected part of the data"}},
		{"help glossary regret", exitDone, []string{"\n- regret: "}},
		{"help privacy loss", exitDone, []string{"\n- privacy loss: "}},
		{"help regret.run", exitDone, []string{"\nstarling describe regret.run  regret of the worst node in one run"}},
		{"help obsever", exitInput, []string{`"obsever"; did you mean "observer"?`}},
		{"help xyzzy", exitInput, []string{`"xyzzy"; starling help topics lists the topics`}},
		{"help privacy xyzzy", exitInput, []string{"its headings: observers; "}},
	} {
		var out bytes.Buffer
		if code := standard().execute(t.Context(), strings.Fields(test.args), &out, &out); code != test.code {
			t.Errorf("%s: exit %d, want %d", test.args, code, test.code)
		}
		for _, want := range test.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: no %q in\n%s", test.args, want, out.String())
			}
		}
	}
}

// TestPassagesOfTables: a passage of a table is its row, without heads and lines of the table.
func TestPassagesOfTables(t *testing.T) {
	text := "Some text\n\n| column | seeds |\n| --- | --- |\n| `value` | mean over the seeds |\n| p | of the seeds |\n"
	if got, want := passage(text, "seeds"), "value: mean over the seeds"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
