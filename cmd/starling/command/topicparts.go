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
	fmt.Fprintf(&page, "%s\n## More\n\n`starling help %s WORDS` prints the parts with such words in the heading, `starling help %s %s` the whole topic:\n\n", parts[0].text, name, name, wholeTopic)
	for _, part := range parts[1:] {
		line := part.heading
		if words := headWords(part.text); name == glossaryTopic {
			line += ": " + strings.Join(words, ", ")
		}
		fmt.Fprintf(&page, "- %s\n", line)
	}
	return page.Bytes()
}

// headWords returns the first word of each entry of a part of the glossary, in small letters but for abbreviations.
func headWords(text string) (words []string) {
	for entry := range strings.SplitSeq(text, "\n- **") {
		head, _, ok := strings.Cut(entry, "**:")
		if !ok {
			continue // the heading
		}
		word, _, _ := strings.Cut(head, ",")
		if second := strings.TrimPrefix(word, word[:1]); second == strings.ToLower(second) {
			word = strings.ToLower(word)
		}
		words = append(words, word)
	}
	return words
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
