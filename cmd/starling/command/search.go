package command

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
	"starling/scenarios/guide"
)

// mostFound is the number of places that a search of the help names.
const mostFound = 12

// place is a place of the help that speaks of a word: a kind of a section, a name that describe takes, or
// a part of a topic under a heading.
type place struct{ command, text string }

// search returns the places that speak of a word: names that are the word, then those that have it in a
// heading or a summary, and then parts of topics with the passage in which it stands.
func (p program) search(word string) (found []place, err error) {
	found = p.named(word)
	if strings.Contains(word, ".") && len(found) > 0 {
		return found, nil // a metric, and no word of the topics
	}
	for _, section := range sectionNames {
		for _, k := range p.sectionKinds(section) {
			if speaks(k.Kind.Kind+" "+k.Summary, word) {
				found = append(found, place{"starling help " + section + " " + k.Kind.Kind, k.Summary})
			}
		}
	}
	var mentions []mention
	for _, topic := range topics {
		text, err := topicText(topic)
		if err != nil {
			return nil, err
		}
		parts := partsOf(text)
		for i, part := range parts {
			command := "starling help " + topic
			if i > 0 {
				command += " " + wordsFor(part.heading, parts[1:])
			}
			switch _, body, _ := strings.Cut(part.text, "\n"); {
			case speaks(part.heading, word):
				found = append(found, place{command, part.heading})
			case speaks(body, word):
				mentions = append(mentions, mentioned(command, body, word))
			}
		}
	}
	said := slices.DeleteFunc(slices.Clone(mentions), func(m mention) bool { return m.code })
	if len(said) >= manyMentions {
		mentions = said
	}
	slices.SortStableFunc(mentions, func(a, b mention) int { return cmp.Compare(b.times, a.times) })
	for _, m := range mentions[:min(len(mentions), mostMentions)] {
		found = append(found, m.place)
	}
	return found[:min(len(found), mostFound)], nil
}

// mostMentions is the number of parts of topics whose texts alone speak of a word.
const mostMentions = 6

// mention is a part of a topic that speaks of a word so many times, in its code alone or in sentences.
type mention struct {
	place
	times int
	code  bool
}

// manyMentions is the number of mentions in sentences beside which those in code are left out.
const manyMentions = 3

// mentioned returns the mention of a word in the text of a part: with the beginning of the first sentence
// that has the word, and else of the first lines of code that do.
func mentioned(command, text, word string) mention {
	m := mention{place: place{command: command}}
	for _, w := range strings.Fields(text) {
		if speaks(w, word) {
			m.times++
		}
	}
	for i, block := range strings.Split(text, "```") {
		if prose := i%2 == 0; prose && m.text == "" {
			m.text = passage(block, word)
		}
	}
	m.code = m.text == ""
	m.text = sentence(cmp.Or(m.text, passage(text, word)))
	return m
}

// named returns the metrics, and the kinds without a page of their own, that are a word or begin with it
// and a dot.
func (p program) named(word string) (found []place) {
	word = strings.ToLower(word)
	for _, k := range guide.KindsOf(p.Kinds) {
		if k.Kind.Kind == word && !slices.Contains(sectionNames, k.Section) {
			found = append(found, place{"starling describe " + k.Section + "/" + word, k.Summary})
		}
	}
	for _, m := range p.Kinds.AllMetrics() {
		if begins := strings.HasPrefix(m.Name, word+".") && strings.Count(m.Name, ".") == 1; m.Name == word || begins {
			found = append(found, place{"starling describe " + m.Name, cutClause(m.Summary)})
		}
	}
	return found[:min(len(found), mostNamed)]
}

// cutClause returns the first clause of a summary.
func cutClause(summary string) string {
	first, _, _ := strings.Cut(summary, ";")
	return first
}

// mostNamed is the number of metrics and kinds among the places of a search.
const mostNamed = 4

// wordsFor returns the fewest words of a heading that no other heading of its topic has, as one word of a
// command where a shell would not read them as they are.
func wordsFor(heading string, parts []topicPart) string {
	words := strings.Fields(strings.ToLower(heading))
	for n := 1; n < len(words); n++ {
		for first := 0; first+n <= len(words); first++ {
			text := strings.Trim(strings.Join(words[first:first+n], " "), ",:")
			having := 0
			for _, part := range parts {
				if strings.Contains(strings.ToLower(part.heading), text) {
					having++
				}
			}
			if having == 1 && len(text) >= leastStem && !strings.ContainsAny(text, "'`\",:") {
				return text
			}
		}
	}
	return document.Word(strings.ToLower(heading))
}

// passageWidth is the number of characters of a passage, but for its last word.
const passageWidth = 90

// passage returns the sentence of a text that speaks of a word, or the words around it where the sentence
// is long, without marks of Markdown; empty where none does.
func passage(text, word string) string {
	words := strings.Fields(withoutMarks(text))
	at := slices.IndexFunc(words, func(w string) bool { return speaks(w, word) })
	if at < 0 {
		return ""
	}
	first, size := at, len(words[at])
	for first > 0 && !endsSentence(words[first-1]) && size < passageWidth {
		first--
		size += len(words[first]) + 1
	}
	last := at + 1
	for last < len(words) && !endsSentence(words[last-1]) && size < passageWidth {
		size += len(words[last]) + 1
		last++
	}
	cut := strings.TrimSuffix(strings.TrimSpace(strings.ReplaceAll(strings.Join(words[first:last], " "), partEnd, "")), ":")
	if first > 0 && !endsSentence(words[first-1]) {
		cut = "… " + cut
	}
	if !endsSentence(words[last-1]) && last < len(words) {
		cut += " …"
	}
	return cut
}

// partEnd is a word of its own where a paragraph, a heading, an item or a row of a table ends.
const partEnd = "¶"

// endsSentence reports whether a word ends a sentence.
func endsSentence(word string) bool {
	return strings.HasSuffix(word, ".") || word == partEnd
}

// withoutMarks returns Markdown as words: a row of a table is its cells with a colon after the first, and heads of
// tables, which say nothing of their own, are left out.
func withoutMarks(text string) string {
	var b strings.Builder
	parts := strings.Split(text, "`")
	for i := range parts {
		if i%2 == 0 { // in code a star is a star
			parts[i] = strings.ReplaceAll(parts[i], "*", "")
		}
	}
	lines := strings.Split(strings.Join(parts, ""), "\n")
	for i, line := range lines {
		switch row := strings.HasPrefix(line, "|"); {
		case row && (strings.HasPrefix(line, "| ---") || i+1 < len(lines) && strings.HasPrefix(lines[i+1], "| ---")):
		case row:
			cells := strings.Split(strings.Trim(line, "| "), " | ")
			fmt.Fprintf(&b, "%s %s ", strings.Replace(strings.Join(cells, " "), cells[0], cells[0]+":", 1), partEnd)
		case line == "" || strings.HasPrefix(line, "#"):
			fmt.Fprintf(&b, "%s %s ", strings.TrimLeft(line, "# "), partEnd)
		case strings.HasPrefix(line, "- "):
			fmt.Fprintf(&b, "%s %s ", partEnd, line[2:])
		default:
			b.WriteString(line + " ")
		}
	}
	return b.String()
}

// searchPage returns the Markdown of the entries of the glossary for a word, and of the places that speak
// of it; nil where none does.
func (p program) searchPage(args []string) ([]byte, error) {
	word := strings.Join(args, " ")
	words, err := glossary()
	if err != nil {
		return nil, err
	}
	entries := ofGlossary(words, word)
	if len(args) > 1 && len(entries) == 0 {
		return nil, nil
	}
	var found []place
	if len(args) == 1 {
		if found, err = p.search(word); err != nil {
			return nil, err
		}
	}
	if len(found) == 0 && len(entries) == 0 {
		return nil, nil
	}
	var page bytes.Buffer
	fmt.Fprintf(&page, "# Help that speaks of %s\n", shell.Plain(word))
	for _, entry := range entries {
		fmt.Fprintf(&page, "\n- **%s**: %s\n", entry.Name, sentence(entry.Summary))
	}
	if len(found) == 0 {
		return page.Bytes(), nil
	}
	page.WriteString("\n| command | description |\n| --- | --- |\n")
	for _, at := range found {
		shell.WriteRow(&page, "`"+at.command+"`", at.text)
	}
	return page.Bytes(), nil
}

// leastStem is the least number of letters that make a word of a text stand for a longer one, as
// period does for periodic.
const leastStem = 5

// speaks reports whether a text has a word that begins with the given one, or that the given one
// begins with.
func speaks(text, word string) bool {
	word = strings.ToLower(word)
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if strings.HasPrefix(w, word) || len(w) >= leastStem && strings.HasPrefix(word, w) {
			return true
		}
	}
	return false
}
