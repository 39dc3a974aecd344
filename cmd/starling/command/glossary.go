package command

import (
	"slices"
	"strings"

	"starling/scenarios/guide"
)

// glossaryTopic is the topic of words.
const glossaryTopic = "glossary"

// glossary returns the entries of the topic glossary: each of the words before a colon has the
// text after it, and a word of two parts of the topic is there twice.
func glossary() (list []guide.Description, err error) {
	text, err := topicText(glossaryTopic)
	if err != nil {
		return nil, err
	}
	for entry := range strings.SplitSeq(string(text), "\n- **") {
		words, said, ok := strings.Cut(entry, "**:")
		if !ok {
			continue // the heading of the topic
		}
		said, _, _ = strings.Cut(said, "\n\n")
		said = strings.Join(strings.Fields(said), " ")
		for word := range strings.SplitSeq(words, ",") {
			list = append(list, guide.Description{Section: guide.Glossary, Name: strings.ToLower(strings.TrimSpace(word)), Summary: said})
		}
	}
	return list, nil
}

// ofGlossary returns the entries of a word, in small letters or large.
func ofGlossary(list []guide.Description, word string) []guide.Description {
	return slices.DeleteFunc(slices.Clone(list), func(d guide.Description) bool { return d.Name != strings.ToLower(word) })
}
