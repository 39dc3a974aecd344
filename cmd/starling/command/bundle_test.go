package command

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// rewritten copies an archive with another text in one of its files.
func rewritten(t *testing.T, archive, name, old, new string) string {
	t.Helper()
	from, err := zip.OpenReader(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	var out bytes.Buffer
	to := zip.NewWriter(&out)
	found := false
	for _, f := range from.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		if f.Name == name {
			found = bytes.Contains(text, []byte(old))
			text = bytes.ReplaceAll(text, []byte(old), []byte(new))
		}
		w, err := to.Create(f.Name)
		if err == nil {
			_, err = w.Write(text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := to.Close(); err != nil || !found {
		t.Fatalf("%s: %q is in it: %v, %v", name, old, found, err)
	}
	path := filepath.Join(t.TempDir(), "other.zip")
	if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestPythonBundle packs a run of classes with a module and data of their own. It is checked in
// another folder with --python alone, and a changed file is refused by name.
func TestPythonBundle(t *testing.T) {
	folder, starling := pythonRun(t, "0")
	for name, text := range map[string]string{
		"mine.py":    "import helper\n" + strings.ReplaceAll(mine, "EXTRA", "helper.ZERO"),
		"helper.py":  "import pathlib\nZERO = float((pathlib.Path(__file__).parent / \"zero.txt\").read_text())\n",
		"zero.txt":   "0.0\n",
		"unused.txt": "nobody reads this",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, arguments := range [][]string{{"run", "s.yaml", "--quiet"}, {"bundle", "last", "--out", "b.zip"}} {
		if text, err := starling(arguments...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", arguments, err, text)
		}
	}
	archive := filepath.Join(folder, "b.zip")
	for _, test := range []struct {
		archive string
		flags   []string
		code    int
		says    string
	}{
		{archive, []string{"--python"}, exitDone, "digest     ok "},
		{archive, nil, exitInput, "names code in Python"},
		{rewritten(t, archive, "run/helper.py", "pathlib", "patHlib"), []string{"--python"}, exitInput, "run/helper.py has other contents"},
		{rewritten(t, archive, "run/mine.py", "0.001", "0.002"), []string{"--python"}, exitInput, "run/mine.py has other contents"},
		{rewritten(t, archive, "run/zero.txt", "0.0", "0.1"), []string{"--python"}, exitInput, "run/zero.txt has other contents"},
		{rewritten(t, archive, "run/scenario.yaml", "python", "pythom"), []string{"--python"}, exitInput, "run/scenario.yaml has other contents"},
	} {
		elsewhere := t.TempDir()
		c := starling(append([]string{"verify", test.archive}, test.flags...)...)
		c.Dir = elsewhere
		text, _ := c.CombinedOutput()
		if c.ProcessState.ExitCode() != test.code || !strings.Contains(string(text), test.says) {
			t.Errorf("%s %q: exit %d, want %d and %q\n%s", test.archive, test.flags, c.ProcessState.ExitCode(), test.code, test.says, text)
		}
		if left, err := os.ReadDir(elsewhere); err != nil || len(left) > 0 {
			t.Errorf("%s: leaves %v, %v", test.archive, left, err)
		}
	}
	if from, err := zip.OpenReader(archive); err == nil {
		defer from.Close()
		for _, f := range from.File {
			if strings.Contains(f.Name, "unused") {
				t.Errorf("%s is in the archive", f.Name)
			}
		}
	}
}
