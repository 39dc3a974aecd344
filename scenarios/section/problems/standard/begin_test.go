package standard

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBeginTable holds the settings for tables with dirt: the keys that read it, and the reasons for
// which columns are no features.
func TestBeginTable(t *testing.T) {
	for text, want := range map[string]map[string]string{
		",client,x,y\n0,a,1,0\n1,b,2,1\n2,a,5,0\n3,b,4,1\n":                 {"file": `No features: "", a row number, by its name.`, "party": `"client"`, "label": `"y"`},
		"client,x,z,y\na,1,2,0\nb,NA,3,1\n":                                 {"missing": "mean", "features": "", "standardise": "rows", "test": "{share: 0.2}"},
		"client,x,z,y\na,1,2,0\nb,,3,\n":                                    {"missing": `{default: mean, "y": drop}`},
		"client;x;z;y\na;0,5;2;0\nb;1,5;3;1\na;0,7;4;0\nb;1,6;3;1\n":        {"format": `{decimal: ","}`, "partition": ""},
		"client,x,y\na,1,0\na,3,1\nb,1,0\nb,2,1\nc,5,0\n":                   {"least": "2", "small": "drop", "party": `"client"`},
		"x,y\n5,yes\n2,0\n3,no\n1,maybe\n":                                  {"words": `["y"]`, "model": "{kind: softmax}"},
		"x;z;y\n0,5;2;0\n1,5;3;1\n":                                         {"party": "", "partition": "{kind: iid}"},
		"client,word,day,z,y\na,u,2024-01-01,2,0\nb,v,,3,1":                 {"words": `["word"]`, "times": `{"day": parts}`, "file": `Columns: "client" "word" "day" "z" "y".`},
		"client,w,c,z,y\na,yes,5,12 %,0\nb,no,5,13 %,1\n":                   {"booleans": `["w"]`, "exclude": `["c", "z"]`, "file": `"z", a notation that is not read: write the number without its percent sign`},
		"x,split,y\n1,train,0.5\n2,test,1.5\n4,train,9.25\n":                {"test": `{column: "split"}`, "model": "{kind: linear}"},
		"x,d,y\n1,31/01/2024,low\n2,05/02/2024,high\n4,06/02/2024,medium\n": {"format": "{dates: day-first}", "model": "{kind: softmax}"},
	} {
		path := filepath.Join(t.TempDir(), "f.csv")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		list, err := beginTable(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for key, want := range want {
			got := "none"
			for _, s := range list {
				if s.Path == "problem."+key {
					got = s.Text + " " + s.Note
				}
			}
			if want == "" && !strings.HasPrefix(got, " ") || !strings.Contains(got, want) {
				t.Errorf("%q: %s: %s, want %q", text, key, got, want)
			}
		}
	}
}
