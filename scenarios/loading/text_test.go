package loading_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"starling/scenarios"
	"starling/scenarios/document"
)

// TestLoadText loads texts as files of the working folder.
func TestLoadText(t *testing.T) {
	outside := t.TempDir()
	t.Chdir(t.TempDir())
	base := "extends: dpdonc-localization\nname: base\n"
	for file, text := range map[string]string{
		"base.yaml": base, "sub/second.yaml": "extends: ../base.yaml\nname: second\n", "sub/out.yaml": "extends: ../../base.yaml\nname: out\n",
		filepath.Join(outside, "base.yaml"): base, "losses.csv": "0,1\n",
	} {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	local := scenarios.NewLoader("")
	local.Local = true
	const table = "extends: own-data\nname: x\nproblem: {file: "
	for _, test := range []struct{ name, text, want, free string }{
		{"of the library", base, "", ""},
		{"of a file beside it", "extends: base.yaml\nname: x\n", "", ""},
		{"of a file below it", "extends: sub/second.yaml\nname: x\n", "", ""},
		{"a fault", "extends: base.yaml\nname: x\nhorizon: -1\n", "text.yaml:3:10: horizon", "text.yaml:3:10: horizon"},
		{"a fault of syntax", "name: [x\n", "text.yaml:1:", "text.yaml:1:"},
		{"a path up", "extends: ../base.yaml\nname: x\n", "text.yaml:1:10: extends: ../base.yaml leads out", "base.yaml"},
		{"a path up from below", "extends: sub/out.yaml\nname: x\n", "sub/out.yaml:1:10: extends: ../../base.yaml leads out", "base.yaml"},
		{"a path up by what is there", "extends: sub/../../base.yaml\nname: x\n", "leads out", "base.yaml"},
		{"an absolute path", "extends: " + filepath.Join(outside, "base.yaml") + "\nname: x\n", "leads out", ""},
		{"data by a path up", table + "../mine.csv}\n", "../mine.csv leads out", "there is no file"},
		{"data by an absolute path", table + "/etc/passwd}\n", "/etc/passwd leads out", "/etc/passwd"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := local.LoadText("text.yaml", []byte(test.text))
			check(t, err, test.want)
			if test.free != test.want {
				_, err = scenarios.NewLoader("").LoadText("text.yaml", []byte(test.text))
				check(t, err, test.free)
				if err != nil && strings.Contains(err.Error(), "leads out") {
					t.Errorf("a loader that is not confined says %v", err)
				}
			}
		})
	}
	_, err := local.LoadText("text.yaml", []byte(strings.Repeat("#", document.MaxBytes+1)))
	check(t, err, "bytes")
}

func check(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case err == nil && want == "":
	case err == nil:
		t.Errorf("no error, want %q", want)
	case want == "" || !strings.Contains(err.Error(), want):
		t.Errorf("error %v, want %q", err, want)
	}
}
