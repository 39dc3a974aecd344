package table

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"starling/messages"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/problem/stream"
	"starling/scenarios/problem/vector"
)

// visit is a row of a client.
type visit struct {
	Who  string  `parquet:"who"`
	T    int64   `parquet:"t"`
	A    float64 `parquet:"a"`
	City string  `parquet:"city"`
	Day  string  `parquet:"day"`
	Y    string  `parquet:"y"`
}

// visitOf is visit without the client.
type visitOf struct {
	T    int64   `parquet:"t"`
	A    float64 `parquet:"a"`
	City string  `parquet:"city"`
	Day  string  `parquet:"day"`
	Y    string  `parquet:"y"`
}

// visits are rows of clients in three forms: by client, in one table, in a folder, and in row groups.
type visits struct {
	all            []visit
	folder, groups string
}

// visitColumns reads visits of the given parties.
func visitColumns(p Parties) Columns {
	return Columns{Party: p, Step: "t", Label: "y", Features: []string{"a", "city", "day"}, Times: []TimeColumn{{"day", []string{Days, WeekdayCycle}}}, Classes: true}
}

// drawVisits draws visits of clients with numbers of their own, and writes them.
func drawVisits(t *testing.T, rt *rapid.T) (v visits) {
	v.folder = t.TempDir()
	v.groups = filepath.Join(v.folder, "_groups")
	file, err := os.Create(v.groups)
	if err != nil {
		rt.Fatal(err)
	}
	defer file.Close()
	w := parquet.NewGenericWriter[visit](file)
	names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"10", "9", "b", "a", "Oslo 1", "x.y"}), 2, 5, rapid.ID).Draw(rt, "names")
	for _, name := range names {
		var own []visit
		var bare []visitOf
		for k := range rapid.IntRange(2, 7).Draw(rt, "size") {
			row := visitOf{rapid.Int64Range(-3, 3).Draw(rt, "t"), rapid.Float64Range(-2, 2).Draw(rt, "a"), rapid.SampledFrom([]string{"Rome", "Oslo", "Bern"}).Draw(rt, "city"), fmt.Sprintf("2024-01-%02d", 1+len(v.all)%28), []string{"no", "yes"}[k%2]}
			bare = append(bare, row)
			own = append(own, visit{name, row.T, row.A, row.City, row.Day, row.Y})
			if rapid.Bool().Draw(rt, "cut") { // a client may have several row groups
				v.flush(rt, w, own)
				own = nil
			}
		}
		v.flush(rt, w, own)
		if err := parquet.WriteFile(dataset.ClientFile(v.folder, name), bare); err != nil {
			rt.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		rt.Fatal(err)
	}
	return v
}

// flush writes rows as a row group, if there are any.
func (v *visits) flush(rt *rapid.T, w *parquet.GenericWriter[visit], rows []visit) {
	if len(rows) == 0 {
		return
	}
	if _, err := w.Write(rows); err != nil || w.Flush() != nil {
		rt.Fatal(err)
	}
	v.all = append(v.all, rows...)
}

// readVisits returns visits as a table of rows that are held or pass.
func readVisits(rt *rapid.T, p Parties, f File, passing bool) *Table {
	read := Read
	if passing {
		read = ReadPassing
	}
	t, _, err := read(visitColumns(p), f, nil)
	if err != nil {
		rt.Fatal(err)
	}
	return t
}

// TestRowsThatPass: clients of a folder, and of row groups, have the rows that they have in one table, in their order
// and to the last bit, whether these are held or read when they are asked for.
func TestRowsThatPass(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := drawVisits(t, rt)
		whole := filepath.Join(t.TempDir(), "all.parquet")
		if err := parquet.WriteFile(whole, v.all); err != nil {
			rt.Fatal(err)
		}
		clients, err := dataset.ClientsIn(v.folder)
		if err != nil {
			rt.Fatal(err)
		}
		want := clientData(rt, readVisits(rt, By("who"), opened(t, whole), false))
		for name, of := range map[string]struct {
			parties Parties
			file    func() File
		}{
			"files":  {Parties{Of: OfFiles}, func() File { return File{Path: v.folder, Clients: clients} }},
			"groups": {Parties{Of: OfGroups, Columns: []string{"who"}}, func() File { return opened(t, v.groups) }},
		} {
			for _, passing := range []bool{false, true} {
				got := clientData(rt, readVisits(rt, of.parties, of.file(), passing))
				if fmt.Sprint(got) != fmt.Sprint(want) {
					rt.Fatalf("%s, passing %v:\n%v, want\n%v", name, passing, got, want)
				}
			}
		}
	})
}

// clientData returns the rows of all parties as data, by party.
func clientData(rt *rapid.T, t *Table) (list map[string][]float64) {
	data, err := NewData(t, DataOptions{Labels: vector.Sign, Intercept: true, Rows: true, Bound: 2})
	if err != nil {
		rt.Fatal(err)
	}
	p, err := New(Options{Data: data})
	if err != nil {
		rt.Fatal(err)
	}
	rows, err := p.Passing(1, len(t.Parties))
	if err != nil {
		rt.Fatal(err)
	}
	list = map[string][]float64{"": append(slices.Clone(data.Mean), data.Scale...)}
	whole, one := rows.(stream.Whole), make([]float64, data.Width())
	for i, name := range t.Parties {
		node := messages.NodeID(i)
		own := make([]float64, whole.Size(node)*data.Width())
		if err := whole.Rows(own, node); err != nil {
			rt.Fatal(err)
		}
		step := 1 + len(own)/data.Width()/2
		rows.Datum(one, node, step)
		if !slices.Equal(one, own[(step-1)*data.Width():step*data.Width()]) {
			rt.Fatalf("%s: datum %d is %v, and %v among all", name, step, one, own)
		}
		list[name] = own
	}
	return list
}

// writeClient writes the file of a client.
func writeClient[T any](t *testing.T, folder, name string, rows ...T) {
	t.Helper()
	if err := parquet.WriteFile(dataset.ClientFile(folder, name), rows); err != nil {
		t.Fatal(err)
	}
}

// TestDigestOfFiles: the digest of a folder is the digest of the lines of sha256sum, and each change of a name or of a byte
// changes it.
func TestDigestOfFiles(t *testing.T) {
	folder := t.TempDir()
	writeClient(t, folder, "b", visitOf{1, 2, "Rome", "2024-01-01", "no"}, visitOf{2, 1, "Rome", "2024-01-01", "yes"})
	writeClient(t, folder, "a", visitOf{1, 2, "Rome", "2024-01-01", "yes"})
	lines := ""
	for _, name := range []string{"a", "b"} {
		text, err := os.ReadFile(dataset.ClientFile(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		lines += fmt.Sprintf("%x  %s.parquet\n", sha256.Sum256(text), name)
	}
	sum := sha256.Sum256([]byte(lines))
	clients, err := dataset.ClientsIn(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, read := range []func(Columns, File, *File) (*Table, []string, error){Read, ReadPassing} {
		_, digests, err := read(visitColumns(Parties{Of: OfFiles}), File{Path: folder, Clients: clients}, nil)
		if want := hex.EncodeToString(sum[:]); err != nil || digests[0] != want {
			t.Errorf("digests %v, want %s; %v", digests, want, err)
		}
	}
}

// TestFoldersAreRefused: clients that are no clients, and files that differ, are errors with their places.
func TestFoldersAreRefused(t *testing.T) {
	row := visitOf{1, 2, "Rome", "2024-01-01", "no"}
	type narrow struct {
		T    int64  `parquet:"t"`
		A    string `parquet:"a"`
		City string `parquet:"city"`
		Day  string `parquet:"day"`
		Y    string `parquet:"y"`
	}
	type long struct {
		visitOf
		Z int64 `parquet:"z"`
	}
	type short struct {
		T int64   `parquet:"t"`
		A float64 `parquet:"a"`
	}
	for want, make := range map[string]func(folder string){
		"F has no file that ends in .parquet; want one for each client":                func(string) {},
		"F/a.csv is no file of a client: want names that end in .parquet":              func(f string) { writeIn(t, f, "a.csv", "x") },
		"F/sub is a folder; want a folder of Parquet files, one for each client":       func(f string) { os.Mkdir(filepath.Join(f, "sub"), 0o777) },
		"F/b.parquet: the file is empty":                                               func(f string) { writeIn(t, f, "b.parquet", "") },
		"F/b.parquet: there is no row after the names of the columns":                  func(f string) { writeClient[visitOf](t, f, "b") },
		"F/b.parquet: column 2 is \"a\" of type ":                                      func(f string) { writeClient(t, f, "b", narrow{1, "x", "Rome", "2024-01-01", "no"}) },
		"F/b.parquet: 2 columns, and column 3 of F/a.parquet is \"city\" of type text": func(f string) { writeClient(t, f, "b", short{1, 2}) },
		"F/b.parquet: column 6 is \"z\" of type ":                                      func(f string) { writeClient(t, f, "b", long{row, 1}) },
		"F/b.parquet: row 2: column \"day\": got \"soon\", want":                       func(f string) { writeClient(t, f, "b", row, visitOf{1, 2, "Rome", "soon", "no"}) },
		"F/b.parquet: invalid magic footer of parquet file":                            func(f string) { writeIn(t, f, "b.parquet", "PAR1 and no more of it") },
	} {
		folder := t.TempDir()
		if !strings.Contains(want, " has no file") {
			writeClient(t, folder, "a", row, visitOf{2, 1, "Rome", "2024-01-01", "yes"})
		}
		make(folder)
		clients, err := dataset.ClientsIn(folder)
		if err == nil {
			_, _, err = ReadPassing(visitColumns(Parties{Of: OfFiles}), File{Path: folder, Clients: clients}, nil)
		}
		if err == nil || !strings.HasPrefix(strings.ReplaceAll(err.Error(), folder, "F"), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// writeIn writes a file of a folder.
func writeIn(t *testing.T, folder, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestMixedRowGroups: a row group with rows of two clients is refused at the first row of the second.
func TestMixedRowGroups(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mixed.parquet")
	if err := parquet.WriteFile(path, []visit{{"a", 1, 2, "Rome", "2024-01-01", "no"}, {"b", 1, 2, "Rome", "2024-01-01", "yes"}}); err != nil {
		t.Fatal(err)
	}
	want := path[strings.LastIndex(path, "/")+1:] + `: row 2: party: got "b", and the rows of row group 1 before are of "a"; want rows of one client in a row group`
	for _, read := range []func(Columns, File, *File) (*Table, []string, error){Read, ReadPassing} {
		if _, _, err := read(visitColumns(Parties{Of: OfGroups, Columns: []string{"who"}}), opened(t, path), nil); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestRowGroupsByNumber: without a column row groups are clients by their numbers.
func TestRowGroupsByNumber(t *testing.T) {
	path := filepath.Join(t.TempDir(), "groups.parquet")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := (Example{Clients: 11, Rows: 3, Features: 2, Seed: 1}).WriteGroups(file); err != nil {
		t.Fatal(err)
	}
	c := Columns{Party: Parties{Of: OfGroups}, Label: "y", Features: []string{"x1", "x2"}, Classes: true}
	tab, _, err := ReadPassing(c, opened(t, path), nil)
	if err != nil || len(tab.Parties) != 11 || tab.Parties[1] != "2" || tab.Parties[10] != "11" {
		t.Errorf("parties %v, %v", tab.Parties, err)
	}
}

// TestChangedFiles: a client with a file that has changed since it was read first is an error, and no other client is.
func TestChangedFiles(t *testing.T) {
	folder := t.TempDir()
	writeClient(t, folder, "a", visitOf{1, 2, "Rome", "2024-01-01", "no"})
	writeClient(t, folder, "b", visitOf{1, 2, "Rome", "2024-01-01", "yes"})
	tab, _, err := ReadPassing(visitColumns(Parties{Of: OfFiles}), File{Path: folder, Clients: []string{"a", "b"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	writeClient(t, folder, "b", visitOf{1, 3, "Rome", "2024-01-01", "yes"})
	none := func(int, []float64) {}
	if err := tab.passing.client(0, none); err != nil {
		t.Error(err)
	}
	if err := tab.passing.client(1, none); err == nil || !strings.HasSuffix(err.Error(), "b.parquet: the file has changed since the run began") {
		t.Errorf("a changed file: %v", err)
	}
}

// TestRowsThatPassAreNotHeld: the memory of clients with rows that pass does not grow with their rows.
func TestRowsThatPassAreNotHeld(t *testing.T) {
	held := func(rows int) uint64 {
		folder := t.TempDir()
		e := Example{Clients: 40, Rows: rows, Features: 6, Seed: 1}
		err := e.WriteClients(func(name string, content func(io.Writer) error) error {
			file, err := os.Create(filepath.Join(folder, name))
			if err != nil {
				return err
			}
			defer file.Close()
			return content(file)
		})
		if err != nil {
			t.Fatal(err)
		}
		clients, err := dataset.ClientsIn(folder)
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.GC() // pools are empty after two
		runtime.ReadMemStats(&before)
		tab, _, err := ReadPassing(Columns{Party: Parties{Of: OfFiles}, Label: "y", Step: "step", Classes: true}, File{Path: folder, Clients: clients}, nil)
		if err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&after)
		if tab.trained() != 40*rows {
			t.Errorf("%d rows", tab.trained())
		}
		return max(after.HeapAlloc, before.HeapAlloc) - before.HeapAlloc
	}
	held(10)
	if few, many := held(10), held(1000); many > few+(1<<20) { // 40000 rows of 7 numbers are 2.2 MB
		t.Errorf("%d bytes of 400 rows, and %d of 40000", few, many)
	}
}
