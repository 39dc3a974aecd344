//go:build unix

package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestNoRoom has verbs write over files where no byte can be written any more: what was there
// stays, and of keys nothing is left that would pass for one.
func TestNoRoom(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"my.yaml", "schema.json", "graph.svg"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("old"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for file, verb := range map[string]string{
		"my.yaml": "init my.yaml --algorithm dsgd --problem logistic --force", "schema.json": "schema --out schema.json",
		"graph.svg": "topology dpdonc-nodes --plot graph.svg", "authority.key": "worker init-tls keys",
	} {
		c := exec.Command("sh", "-c", "ulimit -f 0; exec starling "+verb)
		c.Dir = folder
		said, err := c.CombinedOutput()
		if err == nil {
			t.Errorf("%s wrote without room\n%s", verb, said)
		}
		if text, _ := os.ReadFile(filepath.Join(folder, file)); file != "authority.key" && string(text) != "old" {
			t.Errorf("%s: %s is %q\n%s", verb, file, text, said)
		}
	}
	if keys, _ := filepath.Glob(filepath.Join(folder, "keys", "*.key")); len(keys) > 0 {
		t.Errorf("the keys %q are left", keys)
	}
	again := exec.Command("starling", "worker", "init-tls", "keys")
	again.Dir = folder
	if said, err := again.CombinedOutput(); err != nil {
		t.Errorf("with room: %v\n%s", err, said)
	}
}
