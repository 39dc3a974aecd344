package document

import "testing"

// TestWord quotes words that a shell would split or change.
func TestWord(t *testing.T) {
	for text, want := range map[string]string{
		"every step": "'every step'", "central,epsilon=8": "central,epsilon=8", "results/a/*": "'results/a/*'", "": "''", "it's": `'it'\''s'`, "kind={a,b}": "'kind={a,b}'",
	} {
		if got := Word(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
