package table

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What columns are is guessed by their names, however they are written, and what is
// counted is that of the rows. A file without rows says nothing.
func TestGuessFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f.csv")
	for _, test := range []struct {
		text, party, label, step string
		features                 []string
		parties, least, classes  int
		err                      string
	}{
		{text: "Client_ID,x,word,y\na,1,low,0\nb,2,low,1\na,3,high,1\n", party: "Client_ID", label: "y", features: []string{"x"}, parties: 2, least: 1, classes: 2},
		{text: "site,time,price,target\n1,5,2,0.5\n1,6,3,0.7\n1,7,3,0.9\n", party: "site", label: "target", step: "time", features: []string{"price"}, parties: 1, least: 3},
		{text: "client,x,y\n", err: "f.csv: " + noRows},
	} {
		if err := os.WriteFile(file, []byte(test.text), 0o644); err != nil {
			t.Fatal(err)
		}
		g, err := GuessFile(file)
		if test.err != "" {
			if err == nil || !strings.HasSuffix(err.Error(), test.err) {
				t.Errorf("%q: %v, want %q", test.text, err, test.err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if g.Party != test.party || g.Label != test.label || g.Step != test.step || !slices.Equal(g.Features, test.features) ||
			g.Parties != test.parties || g.Least != test.least || g.Classes != test.classes {
			t.Errorf("%q: %+v", test.text, *g)
		}
	}
}
