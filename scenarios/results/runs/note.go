package runs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"starling/scenarios/results"
)

// longestNote is the length of the longest note, in bytes.
const longestNote = 4096

// CheckNote refuses a text that cannot be a note: one that is too long, or has characters that
// no reader shows.
func CheckNote(text string) error {
	hidden := func(c rune) bool { return c != '\n' && c != '\t' && !unicode.IsPrint(c) && !unicode.IsSpace(c) }
	switch {
	case len(text) > longestNote:
		return fmt.Errorf("the note has %d bytes, want at most %d", len(text), longestNote)
	case !utf8.ValidString(text):
		return errors.New("the note is not UTF-8")
	case strings.ContainsFunc(text, hidden):
		return errors.New("the note has characters that cannot be shown")
	}
	return nil
}

// Note is the note of the run in a folder; empty where it has none. A file that cannot be a
// note is an error.
func Note(dir string) (string, error) {
	text, err := results.ReadSmall(filepath.Join(dir, results.NoteFile), longestNote+1)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	note := strings.TrimSpace(string(text))
	return note, CheckNote(note)
}

// SetNote gives the run in a folder a note in place of the one that it has. An empty text takes
// the note away. Nothing of a run depends on its note.
func SetNote(dir, text string) error {
	text = strings.TrimSpace(text)
	if err := CheckNote(text); err != nil {
		return err
	}
	path := filepath.Join(dir, results.NoteFile)
	if text == "" {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	return results.WriteFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text+"\n")
		return err
	})
}
