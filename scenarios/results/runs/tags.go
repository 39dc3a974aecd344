package runs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"starling/scenarios/results"
)

// The limits of tags: the length of one, in bytes, and the number of a run's.
const (
	longestTag = 64
	mostTags   = 64
)

// CheckTag refuses a word that cannot be a tag: tags have letters, digits and marks, and
// neither spaces nor commas, so that lists of them can be read.
func CheckTag(tag string) error {
	switch {
	case tag == "":
		return errors.New("a tag is empty")
	case len(tag) > longestTag:
		return fmt.Errorf("tag %q has %d bytes, want at most %d", tag, len(tag), longestTag)
	case !utf8.ValidString(tag):
		return fmt.Errorf("tag %q is not UTF-8", tag)
	case strings.ContainsFunc(tag, func(c rune) bool { return c == ',' || unicode.IsSpace(c) || !unicode.IsPrint(c) }):
		return fmt.Errorf("tag %q: want a word without spaces and commas", tag)
	case strings.HasPrefix(tag, "-"):
		return fmt.Errorf("tag %q begins with a dash, as flags do", tag)
	}
	return nil
}

// Tags are the tags of the run in a folder, sorted; none where there is no file of tags.
func Tags(dir string) ([]string, error) {
	path := filepath.Join(dir, results.TagsFile)
	text, err := results.ReadSmall(path, mostTags*(longestTag+2))
	if errors.Is(err, fs.ErrNotExist) {
		return []string{}, nil
	}
	if err != nil {
		return nil, err
	}
	return decodeTags(text), nil
}

// decodeTags reads a tag a line. A line that cannot be a tag is passed over: people write such
// files, too.
func decodeTags(text []byte) []string {
	tags := []string{}
	for line := range strings.Lines(string(text)) {
		if tag := strings.TrimSpace(line); CheckTag(tag) == nil && len(tags) < mostTags {
			tags = append(tags, tag)
		}
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

// SetTags gives the run in a folder these tags in place of those that it has. Nothing of a
// run depends on its tags.
func SetTags(dir string, tags []string) error {
	for _, tag := range tags {
		if err := CheckTag(tag); err != nil {
			return err
		}
	}
	tags = slices.Compact(slices.Sorted(slices.Values(tags)))
	if len(tags) > mostTags {
		return fmt.Errorf("%d tags, want at most %d", len(tags), mostTags)
	}
	path := filepath.Join(dir, results.TagsFile)
	if len(tags) == 0 {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	return results.WriteFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, strings.Join(tags, "\n")+"\n")
		return err
	})
}
