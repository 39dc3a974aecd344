package command

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestInit writes a scenario that validates, and does not write over a file.
func TestInit(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, test := range []struct {
		args string
		code int
		want string // in the output
	}{
		{"init my.yaml --algorithm dpdonc --problem logistic --set nodes=4", exitDone, "run it with: starling run my.yaml"},
		{"validate my.yaml", exitDone, "my is valid: 1 arm, 5 seeds"},
		{"init my.yaml --algorithm dpdonc --problem logistic", exitInput, "my.yaml already exists"},
		{"init my.yaml --algorithm ofl --problem synthetic-logistic --force", exitDone, "is written"},
		{"init other.yaml --algorithm fedsvt --problem logistic", exitInput, "fedsvt goes with python, uniform-zero"},
		{"init other.yaml --problem logistic", exitInput, "give --algorithm"},
		{"init other.yaml --algorithm dpfl --problem table --file none.csv", exitInput, "none.csv"},
		{"init other.yaml --algorithm dpdonc --problem logistic --set nodse=3", exitInput, `did you mean "nodes"?`},
	} {
		var out bytes.Buffer
		if code := standard().execute(t.Context(), strings.Fields(test.args), &out, &out); code != test.code || !strings.Contains(out.String(), test.want) {
			t.Errorf("%s: exit %d, want %d with %q in\n%s", test.args, code, test.code, test.want, out.String())
		}
	}
	if _, err := os.Stat("other.yaml"); err == nil {
		t.Error("a refused choice is written")
	}
	text, err := os.ReadFile("my.yaml")
	if err != nil || !strings.Contains(string(text), "kind: ofl") {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestInitSmallTable holds that a table whose parties have few rows begins a scenario of
// every algorithm of clients with data that stay: none is refused for a number of samples
// that its own example has.
func TestInitSmallTable(t *testing.T) {
	t.Chdir(t.TempDir())
	rows := "client,a,y\n"
	for i := range 16 {
		rows += []string{"north", "south"}[i/8] + "," + []string{"0.5,1", "-0.5,0"}[i%2] + "\n"
	}
	if err := os.WriteFile("t.csv", []byte(rows), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, algorithm := range []string{"dp-fedavg", "dpfl", "ali-dpfl"} {
		var out bytes.Buffer
		args := []string{"init", algorithm + ".yaml", "--algorithm", algorithm, "--problem", "table", "--file", "t.csv"}
		if code := standard().execute(t.Context(), args, &out, &out); code != exitDone {
			t.Errorf("%s: exit %d\n%s", algorithm, code, out.String())
		}
	}
}

// TestBeginChosen begins a scenario with the names of each row of the topic choose, and checks
// it.
func TestBeginChosen(t *testing.T) {
	page, err := topicText("choose")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| `([a-z-]+)`(?:, (record|local))? \\|.*\\| `([a-z-]+)` \\|$").FindAllStringSubmatch(string(page), -1)
	if len(rows) < 15 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		file := filepath.Join(t.TempDir(), "my.yaml")
		args := []string{"init", file, "--algorithm", row[1], "--problem", row[3]}
		switch row[2] {
		case "record":
			args = append(args, "--set", "algorithm.level=record")
		case "local":
			args = append(args, "--set", "algorithm.aggregation={kind: local}")
		}
		for _, args := range [][]string{args, {"validate", file}} {
			var out bytes.Buffer
			if code := standard().execute(t.Context(), args, &out, &out); code != exitDone {
				t.Errorf("starling %s: exit %d\n%s", strings.Join(args, " "), code, &out)
			}
		}
	}
}
