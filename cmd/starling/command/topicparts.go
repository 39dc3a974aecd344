package command

import (
	"bytes"
	"fmt"
	"strings"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
)

// topicPart is a part of a topic: its heading, and its text from the heading on. The first part of
// a topic is its title.
type topicPart struct{ heading, text string }

// partsOf returns the parts of a topic, in their order.
func partsOf(text []byte) (parts []topicPart) {
	for i, part := range bytes.Split(text, []byte("\n## ")) {
		mark := "## "
		if i == 0 {
			mark = ""
		}
		heading, _, _ := strings.Cut(strings.TrimPrefix(string(part), "# "), "\n")
		parts = append(parts, topicPart{heading, mark + string(part) + "\n"})
	}
	return parts
}

// The least number of parts and of lines of a topic of which help prints the first part and the headings.
const (
	longParts = 4
	longLines = 150
)

// wholeTopic is the word that prints all parts of a topic.
const wholeTopic = "all"

// essentials returns the first part of a long topic with the headings of the others, and a short topic as
// it is.
func essentials(name string, text []byte) []byte {
	parts := partsOf(text)
	if len(parts)-1 < longParts || bytes.Count(text, []byte("\n")) < longLines {
		return text
	}
	var page bytes.Buffer
	if name == glossaryTopic {
		fmt.Fprintf(&page, "%s\nThe first sentence on each word. `starling describe WORD` has all on one, and `starling help %s %s` the whole topic.\n", parts[0].text, name, wholeTopic)
		for _, part := range parts[1:] {
			page.WriteString("\n" + briefWords(part.text))
		}
		return page.Bytes()
	}
	fmt.Fprintf(&page, "%s\n## More\n\n`starling help %s WORDS` prints the parts with such words in the heading, `starling help %s %s` the whole topic:\n\n", parts[0].text, name, name, wholeTopic)
	for _, part := range parts[1:] {
		fmt.Fprintf(&page, "- %s\n", part.heading)
	}
	return page.Bytes()
}

// briefWords returns a part of the glossary with the first word of each entry and the first sentence on it.
func briefWords(text string) string {
	entries := strings.Split(text, "\n- **")
	page := strings.TrimRight(entries[0], "\n") + "\n"
	for _, entry := range entries[1:] {
		head, said, _ := strings.Cut(entry, "**:")
		word, _, _ := strings.Cut(head, ",")
		page += fmt.Sprintf("\n- **%s**: %s", word, firstSentence(said))
	}
	return page + "\n"
}

// firstSentence is the first sentence of a text, with its full stop.
func firstSentence(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if first, _, more := strings.Cut(text, ". "); more {
		return first + "."
	}
	return text
}

// topicParts returns the parts of a topic with some words in their headings, in small letters or
// large; of wholeTopic all of it.
func topicParts(name, words string) ([]byte, error) {
	text, err := topicText(name)
	if err != nil || words == wholeTopic {
		return text, err
	}
	var page, list []string
	for _, part := range partsOf(text)[1:] {
		heading := strings.ToLower(part.heading)
		list = append(list, heading)
		if strings.Contains(heading, strings.ToLower(words)) {
			page = append(page, part.text)
		}
	}
	if len(page) == 0 {
		if len(list) == 0 {
			return nil, shell.Usage(fmt.Errorf("help of %s has no headings", name))
		}
		return nil, shell.Usage(fmt.Errorf("help of %s has no heading with %q%s", name, words, document.Suggest(strings.ToLower(words), list, "its headings:")))
	}
	return []byte(strings.Join(page, "\n")), nil
}
