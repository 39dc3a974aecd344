package dataset

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
)

// The losses of 2 clients, 2 steps and 2 experts in all forms.
var (
	longLosses = "client,step,expert,loss\n" +
		"2,2,2,0.8\n1,1,1,0.1\n1,1,2,0.2\n1,2,1,0.3\n1,2,2,0.4\n2,1,1,0.5\n2,1,2,0.6\n2,2,1,0.7\n"
	wideLosses = "step, client, red, expert 2\n1,1,0.1,0.2\n2,1,0.3,0.4\n1,2,0.5,0.6\n2,2,0.7,0.8\n"
	lossRows   = [][]float64{{0.1, 0.2}, {0.3, 0.4}, {0.5, 0.6}, {0.7, 0.8}}
)

func lossFile(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "losses.csv")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func parquetFile[T any](t testing.TB, rows []T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "losses.parquet")
	if err := parquet.WriteFile(path, rows); err != nil {
		t.Fatal(err)
	}
	return path
}

type longRow struct {
	Client int32   `parquet:"client"`
	Step   int64   `parquet:"step"`
	Expert int64   `parquet:"expert"`
	Loss   float64 `parquet:"loss"`
}

// decimalRow has a loss of two decimals, in hundredths, with a row number of pandas.
type decimalRow struct {
	Client int64 `parquet:"client"`
	Step   uint8 `parquet:"step"`
	Loss   int32 `parquet:"a,decimal(2:9)"`
}

func TestLoadLosses(t *testing.T) {
	var long []longRow
	for i, row := range lossRows {
		for n, loss := range row {
			long = append(long, longRow{int32(i/2 + 1), int64(i%2 + 1), int64(n + 1), loss})
		}
	}
	type wideRow struct {
		Client int64   `parquet:"client"`
		Step   int64   `parquet:"step"`
		A      float32 `parquet:"a"`
	}
	for name, test := range map[string]struct {
		path string
		want [][]float64
	}{
		"long":         {lossFile(t, longLosses), lossRows},
		"wide":         {lossFile(t, wideLosses), lossRows},
		"long parquet": {parquetFile(t, long), lossRows},
		"row numbers":  {lossFile(t, strings.NewReplacer("step,", ",step,", "\n1", "\n0,1", "\n2", "\n0,2").Replace(wideLosses)), lossRows},
		"decimals":     {parquetFile(t, []decimalRow{{1, 1, 25}, {1, 2, 100}}), [][]float64{{0.25}, {1}}},
		"wide parquet": {parquetFile(t, []wideRow{{1, 2, 0.25}, {1, 1, 0.5}}), [][]float64{{0.5}, {0.25}}},
	} {
		l, err := LoadLosses(test.path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(test.want, l.Rows); diff != "" || l.Clients*l.Steps != len(test.want) || l.Experts != len(test.want[0]) || len(l.SHA256) != 64 {
			t.Errorf("%s: %d clients, %d steps, %d experts, sha256 %q (-want +got)\n%s", name, l.Clients, l.Steps, l.Experts, l.SHA256, diff)
		}
	}
}

func TestDamagedLosses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "losses.csv: line 1: there is nothing in it",
		"client,step\n":                   "losses.csv: line 1: there is no column of losses",
		"client,a,b\n1,0,0\n":             `losses.csv: line 1: there is no column "step" among ["client" "a" "b"]`,
		"client,step,a,a\n":               `losses.csv: line 1: two columns are called "a"`,
		"client,step,loss\n1,1,1\n":       `losses.csv: line 1: the columns are ["client" "step" "loss"], want client, step, expert and loss, or client, step and a column for each expert`,
		"client,step,a\n":                 "losses.csv: there are no losses in it",
		"client,step,a\n1,1\n":            "losses.csv: line 2: 2 fields, want 3 as in the first line",
		"client,step,a\n1,1,0\n1,x,0\n":   `losses.csv: line 3: step: got "x", want a number`,
		"client,step,a\n0,1,0\n":          "losses.csv: line 2: client 0, want a whole number of 1 to 16777216",
		"client,step,a\n1,1.5,0\n":        "losses.csv: line 2: step 1.5, want a whole number of 1 to 16777216",
		"client,step,a,b\n1,1,0,1.5\n":    "losses.csv: line 2: client 1, step 1: the loss of expert 2 is 1.5, outside [0, 1]",
		"client,step,a\n1,1,NaN\n":        "losses.csv: line 2: client 1, step 1: the loss of expert 1 is NaN, outside [0, 1]",
		"client,step,a\n1,1,0\n1,1,0\n":   "losses.csv: line 3: client 1, step 1, expert 1 is on line 2 already",
		"client,step,a\n1,1,0\n2,2,0\n":   "losses.csv: there is no loss of client 1, step 2, expert 1; there are 2 clients, 2 steps and 1 experts",
		"client,step,a\n9999,99999,0.1\n": "losses.csv: 9999 clients, 99999 steps and 1 experts have 1e+09 losses, want at most 33554432",
	} {
		path := lossFile(t, text)
		_, err := LoadLosses(path)
		if err == nil || strings.TrimPrefix(err.Error(), filepath.Dir(path)+"/") != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	path := parquetFile(t, []longRow{{1, 1, 1, 0}, {1, 1, 2, -1}})
	if _, err := LoadLosses(path); err == nil || !strings.HasSuffix(err.Error(), "losses.parquet: row 2: client 1, step 1: the loss of expert 2 is -1, outside [0, 1]") {
		t.Errorf("%v", err)
	}
	type words struct {
		Client string `parquet:"client"`
		Step   int64  `parquet:"step"`
		A      *int64 `parquet:"a,optional"`
	}
	if _, err := LoadLosses(parquetFile(t, []words{{"x", 1, nil}})); err == nil || !strings.HasSuffix(err.Error(), "row 1: client: got \"x\", want a number") {
		t.Errorf("%v", err)
	}
	type times struct {
		Client int64     `parquet:"client"`
		Step   time.Time `parquet:"step"`
		A      float64   `parquet:"a"`
	}
	if _, err := LoadLosses(parquetFile(t, []times{{1, time.Unix(1, 0), 0}})); err == nil || !strings.HasSuffix(err.Error(), `losses.parquet: the column "step" is of type timestamp, which is no loss and no number; leave it out`) {
		t.Errorf("%v", err)
	}
	if _, err := LoadLosses("/dev/zero"); err == nil || err.Error() != "/dev/zero: want a file of at most 1073741824 bytes" {
		t.Errorf("%v", err)
	}
}

// FuzzLoadLosses checks that no text makes reading losses panic, and that what
// is read is whole.
func FuzzLoadLosses(f *testing.F) {
	f.Add(longLosses)
	f.Add(wideLosses)
	f.Add("PAR1")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.HasPrefix(text, "PAR1") {
			return // the library's to answer for
		}
		l, err := LoadLosses(lossFile(t, text))
		if err == nil && (len(l.Rows) != l.Clients*l.Steps || len(l.Rows) == 0) {
			t.Errorf("%d rows of %d clients and %d steps", len(l.Rows), l.Clients, l.Steps)
		}
	})
}
