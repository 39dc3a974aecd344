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

// The least number of parts and of lines of a topic that begins with its contents.
const (
	contentParts = 4
	contentLines = 90
)

// withContents returns a long topic with a list of its headings below its title, and others as
// they are.
func withContents(name string, text []byte) []byte {
	parts := partsOf(text)[1:]
	if len(parts) < contentParts || bytes.Count(text, []byte("\n")) < contentLines {
		return text
	}
	title, rest, _ := bytes.Cut(text, []byte("\n"))
	var page bytes.Buffer
	fmt.Fprintf(&page, "%s\n\nContents; `starling help %s WORDS` prints the parts with such words in the heading:\n\n", title, name)
	for _, part := range parts {
		fmt.Fprintf(&page, "- %s\n", part.heading)
	}
	page.WriteString("\n")
	page.Write(bytes.TrimLeft(rest, "\n"))
	return page.Bytes()
}

// topicParts returns the parts of a topic with some words in their headings, in small letters or
// large.
func topicParts(name, words string) ([]byte, error) {
	text, err := topicText(name)
	if err != nil {
		return nil, err
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
