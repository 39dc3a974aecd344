package begin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTable holds that row numbers are no features, and that columns that reading the table
// would refuse are not among them, wherever their odd cell is.
func TestTable(t *testing.T) {
	for text, want := range map[string]string{
		",client,x,y\n0,a,1,0\n1,b,2,1\n":                   `: No features: row numbers: "".`,
		"client,x,z,y\na,1,2,0\nb,NA,3,1\n":                 `["z"]: Columns of numbers. Not listed, because numbers and others are mixed in them, or they are not written as 1.5 is: "x".`,
		"client,x,z,y\na,NA,2,0\nb,1,3,1\n":                 `["z"]: Columns of numbers. Not listed`,
		"client;x;z;y\na;0,5;2;0\nb;1,5;3;1\n":              `["z"]: Columns of numbers. Not listed`,
		"client,word,day,z,y\na,u,2024-01-01,2,0\nb,v,,3,1": `: No features: columns of words, which features does not list: "word"; columns of times, which are no numbers: "day".`,
	} {
		path := filepath.Join(t.TempDir(), "f.csv")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		list, err := Table(path)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, s := range list {
			if s.Path == "problem.features" && s.Text != "" {
				got = s.Text + ": " + s.Note
			}
		}
		if got == "" {
			_, note, _ := strings.Cut(list[0].Note, ". ")
			got = ": " + note
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
