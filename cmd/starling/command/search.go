package command

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"starling/cmd/starling/command/shell"
)

// mostFound is the number of places that a search of the help names.
const mostFound = 12

// place is a place of the help that speaks of a word: a kind of a section, or a part of a topic
// under a heading.
type place struct{ command, text string }

// search returns the places that speak of a word, those that name it in a heading or a summary
// first.
func (p program) search(word string) (found []place, err error) {
	var mentions []place
	for _, section := range sectionNames {
		for _, k := range p.sectionKinds(section) {
			if speaks(k.Kind.Kind+" "+k.Summary, word) {
				found = append(found, place{"starling help " + section + " " + k.Kind.Kind, k.Summary})
			}
		}
	}
	for _, topic := range topics {
		text, err := topicText(topic)
		if err != nil {
			return nil, err
		}
		for part := range bytes.SplitSeq(bytes.TrimPrefix(text, []byte("# ")), []byte("\n## ")) {
			heading, body, _ := strings.Cut(string(part), "\n")
			switch at := (place{"starling help " + topic, heading}); {
			case speaks(heading, word):
				found = append(found, at)
			case speaks(body, word):
				mentions = append(mentions, at)
			}
		}
	}
	found = append(found, mentions...)
	return found[:min(len(found), mostFound)], nil
}

// searchPage returns the Markdown of the places that speak of a word; nil where none does.
func (p program) searchPage(args []string) ([]byte, error) {
	if len(args) > 1 {
		return nil, nil
	}
	found, err := p.search(args[0])
	if len(found) == 0 || err != nil {
		return nil, err
	}
	var page bytes.Buffer
	fmt.Fprintf(&page, "# Help that speaks of %s\n\n| command | description |\n| --- | --- |\n", shell.Plain(args[0]))
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
