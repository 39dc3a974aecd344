package runner

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestModelNames checks that arms have files of their own, whatever they are called.
func TestModelNames(t *testing.T) {
	long := strings.Repeat("a", 300)
	for i, test := range []struct{ arm, want string }{
		{"Rc/2,tau=5", "Rc%2F2,tau=5.seed-7.safetensors"},
		{"..", "...seed-7.safetensors"},
		{`a "b": ~%`, "a%20%22b%22%3A%20%7E%25.seed-7.safetensors"},
		{long, long[:mostModelName] + "~4.seed-7.safetensors"},
		{"ä", "%C3%A4.seed-7.safetensors"},
	} {
		if got := modelName(test.arm, i, 7); got != test.want || filepath.Base(got) != got {
			t.Errorf("%q: %q, want %q", test.arm, got, test.want)
		}
	}
}
