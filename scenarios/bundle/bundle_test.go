package bundle

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"starling/scenarios/document"
	"starling/scenarios/inputs"
	"starling/scenarios/problem/table"
	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
)

func TestMain(m *testing.M) { os.Exit(scenariotest.Main(m)) }

const scenarioText = `
version: 1
name: packed
horizon: 6
nodes: 3
algorithm: {kind: dpdonc, divergence: {kind: euclidean, scale: 0.5}}
problem: {kind: localization, set: {kind: l1-ball, dimension: 2, radius: 3}, sensors: {circle: {radius: 4}}}
topology: {kind: edge-list, file: nets/ring.csv, undirected: true, weighting: {scheme: metropolis}, weights: unchecked}
mechanism: {kind: laplace, epsilon: 1}
seeds: {count: 3}
plots: []
sweep: {grid: {mechanism.epsilon: [1, none]}}
`

const edges = "step,from,to\n1,1,2\n1,2,3\n1,3,1\n"

const claimsText = `
version: 1
claims:
  - id: noise-costs
    source: {where: ours}
    says: Noise costs regret.
    test: {kind: ordered, metric: regret.run, at: last, arms: [epsilon=none, epsilon=1]}
  - id: epsilon-is-stated
    source: {where: ours}
    says: A step pays its epsilon.
    test: {kind: at-most, metric: epsilon.total, at: last, arms: [epsilon=1], bound: {value: 100}}
`

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// ran makes the run in a folder that is then the working folder, and returns it.
func ran(t *testing.T) *results.Run {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	must(t, os.Mkdir("nets", 0o755))
	must(t, os.WriteFile("nets/ring.csv", []byte(edges), 0o644))
	must(t, os.WriteFile("s.yaml", []byte(scenarioText), 0o644))
	must(t, os.WriteFile("c.yaml", []byte(claimsText), 0o644))
	return runOf(t, "s.yaml", "results")
}

// runOf runs a scenario, with files elsewhere.
func runOf(t *testing.T, file, out string, elsewhere ...map[string]string) *results.Run {
	t.Helper()
	loader := scenariotest.Loader(t)
	for _, paths := range elsewhere {
		loader.Elsewhere = paths
	}
	s, err := loader.Load(file)
	must(t, err)
	o, err := runner.Run(s, t.Context(), runner.RunOptions{Out: out, Engine: runner.Lockstep, Version: "test", Build: "test"})
	must(t, err)
	run, err := results.Open(o.Dir)
	must(t, err)
	return run
}

// pack packs a run, and returns the bytes.
func pack(t *testing.T, run *results.Run, o Options) []byte {
	t.Helper()
	o.Loader = scenariotest.Loader(t)
	file := filepath.Join(t.TempDir(), "b.zip")
	_, err := Pack(run, file, o)
	must(t, err)
	text, err := os.ReadFile(file)
	must(t, err)
	return text
}

// TestRoundTrip unpacks an archive elsewhere, runs it, and finds every result as expected; it
// has the same bytes each time.
func TestRoundTrip(t *testing.T) {
	run := ran(t)
	for _, how := range []Inclusion{Auto, Include, ByHash} {
		t.Run(string(how), func(t *testing.T) {
			o := Options{Data: how, Claims: "c.yaml"}
			first := pack(t, run, o)
			if !bytes.Equal(first, pack(t, run, o)) {
				t.Error("the bytes differ")
			}
			file := filepath.Join(t.TempDir(), "b.zip")
			must(t, os.WriteFile(file, first, 0o644))
			data := ""
			if how == ByHash {
				data = t.TempDir()
				must(t, os.Mkdir(filepath.Join(data, "nets"), 0o755))
				must(t, os.WriteFile(filepath.Join(data, "nets/ring.csv"), []byte(edges), 0o644))
			}
			t.Chdir(t.TempDir())
			if _, err := Unpack(file, t.TempDir(), ""); (how == ByHash) != (err != nil) {
				t.Errorf("without data: %v", err)
			}
			u, err := Unpack(file, t.TempDir(), data)
			must(t, err)
			t.Chdir(u.RunFolder())
			loader := scenariotest.Loader(t)
			loader.Data, loader.Local = u.DataFolder(), true
			s, err := loader.Load(u.ScenarioFile())
			must(t, err)
			must(t, u.Check(s))
			list, remark, err := u.Compare(runOf(t, u.ScenarioFile(), filepath.Join(u.Dir, "results")), s)
			must(t, err)
			var names []string
			for _, c := range list {
				if names = append(names, c.What); !c.OK || c.Got == "" || c.Want != "" {
					t.Errorf("%+v", c)
				}
			}
			if want := []string{"digest", "ledger", "claim noise-costs", "claim epsilon-is-stated"}; !slices.Equal(names, want) || remark != "" {
				t.Errorf("checks %q, want %q; %s", names, want, remark)
			}
		})
	}
}

// TestOtherResults has a run of another seed held against the archive: digest and verdicts
// that differ are named with both values.
func TestOtherResults(t *testing.T) {
	run := ran(t)
	file := filepath.Join(t.TempDir(), "b.zip")
	must(t, os.WriteFile(file, pack(t, run, Options{Data: Include, Claims: "c.yaml"}), 0o644))
	u, err := Unpack(file, t.TempDir(), "")
	must(t, err)
	must(t, os.WriteFile("other.yaml", []byte(strings.Replace(scenarioText, "seeds: {count: 3}", "seeds: {base: 9, count: 3}", 1)), 0o644))
	s, err := scenariotest.Loader(t).Load("other.yaml")
	must(t, err)
	verdictFile := filepath.Join(u.Dir, filepath.FromSlash(verdictsName))
	text, err := os.ReadFile(verdictFile)
	must(t, err)
	must(t, os.WriteFile(verdictFile, bytes.Replace(text, []byte("epsilon-is-stated: "), []byte("epsilon-is-stated: does not hold # "), 1), 0o644))
	list, _, err := u.Compare(runOf(t, "other.yaml", "results"), s)
	must(t, err)
	unlike := map[string]bool{}
	for _, c := range list {
		if unlike[c.What] = !c.OK; !c.OK && (c.Got == "" || c.Want == "" || c.Got == c.Want) {
			t.Errorf("%+v", c)
		}
	}
	if !unlike["digest"] || !unlike["ledger"] || !unlike["claim epsilon-is-stated"] {
		t.Errorf("as expected: %v", list)
	}
}

// forged is an archive that is changed before it is written.
type forged struct {
	index *Index
	files map[string][]byte
	// more are entries besides files, and raw entries with a header of their own.
	more []*zip.FileHeader
}

// list enters a file in the index, by its own contents.
func (f *forged) list(name string, role Role, text []byte) {
	sum := sha256.Sum256(text)
	f.index.Files = append(f.index.Files, File{Name: name, Role: role, Size: int64(len(text)), SHA256: hex.EncodeToString(sum[:])})
	slices.SortFunc(f.index.Files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	f.files[name] = text
}

// forge changes an archive and writes it to a file.
func forge(t *testing.T, archive []byte, change func(f *forged)) string {
	t.Helper()
	from, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	must(t, err)
	f := &forged{files: map[string][]byte{}}
	for _, e := range from.File {
		in, err := e.Open()
		must(t, err)
		text, err := io.ReadAll(in)
		must(t, err)
		f.files[e.Name] = text
	}
	f.index, err = decodeIndex(f.files[indexName])
	must(t, err)
	delete(f.files, indexName)
	change(f)
	file := filepath.Join(t.TempDir(), "forged.zip")
	out, err := os.Create(file)
	must(t, err)
	w := zip.NewWriter(out)
	put := func(h *zip.FileHeader, text []byte) {
		e, err := w.CreateHeader(h)
		must(t, err)
		_, err = e.Write(text)
		must(t, err)
	}
	if f.index != nil {
		text, err := f.index.encode()
		must(t, err)
		put(&zip.FileHeader{Name: indexName}, text)
	}
	for _, name := range slices.Sorted(maps.Keys(f.files)) {
		put(&zip.FileHeader{Name: name, Method: zip.Deflate}, f.files[name])
	}
	for _, h := range f.more {
		put(h, []byte("more"))
	}
	must(t, w.Close())
	must(t, out.Close())
	return file
}

// TestForged refuses archives that were changed or made to do harm, names the file, and writes
// nothing outside of the folder.
func TestForged(t *testing.T) {
	archive := pack(t, ran(t), Options{Data: Include, Claims: "c.yaml"})
	zeros := make([]byte, 100<<20)
	for name, test := range map[string]struct {
		change func(f *forged)
		says   string
	}{
		"nothing":      {func(*forged) {}, ""},
		"data":         {func(f *forged) { f.files["run/nets/ring.csv"][5]++ }, "run/nets/ring.csv has other contents"},
		"longer data":  {func(f *forged) { f.files["run/nets/ring.csv"] = append(f.files["run/nets/ring.csv"], 'x') }, "run/nets/ring.csv was changed"},
		"scenario":     {func(f *forged) { f.files[scenarioName][9]++ }, scenarioName + " has other contents"},
		"expected":     {func(f *forged) { f.files[manifestName][9]++ }, manifestName + " has other contents"},
		"readme":       {func(f *forged) { f.files[readmeName][9]++ }, readmeName + " has other contents"},
		"missing":      {func(f *forged) { delete(f.files, scenarioName) }, scenarioName + " is missing"},
		"unlisted":     {func(f *forged) { f.files["run/extra.py"] = []byte("x") }, "run/extra.py is not listed"},
		"no index":     {func(f *forged) { f.index = nil }, "there is no bundle.json"},
		"other format": {func(f *forged) { f.index.Format = 2 }, "format 2"},
		"no scenario": {func(f *forged) {
			f.index.Files = slices.DeleteFunc(f.index.Files, func(x File) bool { return x.Name == scenarioName })
		}, scenarioName + " is not listed"},
		"absent code": {func(f *forged) {
			f.list("run/a.py", Code, []byte("x"))
			f.index.Files[len(f.index.Files)-1].Absent = true
			for i := range f.index.Files {
				f.index.Files[i].Absent = f.index.Files[i].Role == Code
			}
		}, "is absent, and no data"},
		"up":        {func(f *forged) { f.list("../evil", Data, []byte("x")) }, `"../evil" is no path inside`},
		"up inside": {func(f *forged) { f.list("run/../../evil", Data, []byte("x")) }, "is no path inside"},
		"root":      {func(f *forged) { f.list("/evil", Data, []byte("x")) }, `"/evil" is no path inside`},
		"backslash": {func(f *forged) { f.list(`run\..\..\evil`, Data, []byte("x")) }, "is no path inside"},
		"drive":     {func(f *forged) { f.list("C:evil", Data, []byte("x")) }, "is no path inside"},
		"spelling":  {func(f *forged) { f.list("run/./evil", Data, []byte("x")) }, "is no path inside"},
		"unlisted up": {func(f *forged) {
			f.more = append(f.more, &zip.FileHeader{Name: "../evil"})
		}, `"../evil" is no path inside`},
		"twice": {func(f *forged) { f.more = append(f.more, &zip.FileHeader{Name: scenarioName}) }, scenarioName + " is there twice"},
		"link": {func(f *forged) {
			h := &zip.FileHeader{Name: "run/evil"}
			h.SetMode(fs.ModeSymlink | 0o777)
			f.more = append(f.more, h)
		}, "run/evil is no regular file"},
		"bomb":       {func(f *forged) { f.list("run/zeros", Data, zeros) }, "too much for an archive of"},
		"long index": {func(f *forged) { f.index.Scenario = strings.Repeat("x", mostIndex) }, "has more than"},
		"many files": {func(f *forged) {
			for i := range mostFiles {
				f.more = append(f.more, &zip.FileHeader{Name: fmt.Sprint("y", i)})
			}
		}, "files, want at most"},
		"bad sum":         {func(f *forged) { f.index.Files[0].SHA256 = "00" }, "is no SHA-256"},
		"no name outside": {func(f *forged) { f.list("outside/1/x.csv", Data, []byte("x")) }, "which is no other file outside"},
		"named inside": {func(f *forged) {
			f.list("outside/1/x.csv", Data, []byte("x"))
			for i := range f.index.Files {
				if f.index.Files[i].Name == "outside/1/x.csv" {
					f.index.Files[i].As = "nets/ring.csv"
				}
			}
		}, "which is no other file outside"},
		"another name": {func(f *forged) {
			for i := range f.index.Files {
				if f.index.Files[i].Name == "run/nets/ring.csv" {
					f.index.Files[i].As = "/etc/hosts"
				}
			}
		}, "which is no other file outside"},
		"bad role":    {func(f *forged) { f.index.Files[0].Role = "evil" }, "unknown role"},
		"wrong order": {func(f *forged) { slices.Reverse(f.index.Files) }, "out of order"},
	} {
		t.Run(name, func(t *testing.T) {
			above := t.TempDir()
			dir := filepath.Join(above, "a", "b")
			must(t, os.MkdirAll(dir, 0o755))
			_, err := Unpack(forge(t, archive, test.change), dir, "")
			var input *document.InputError
			switch {
			case test.says == "":
				must(t, err)
			case !errors.As(err, &input) || !strings.Contains(err.Error(), test.says):
				t.Errorf("%v; want %q", err, test.says)
			}
			if found, err := filepath.Glob(filepath.Join(above, "*", "evil")); err != nil || found != nil {
				t.Errorf("outside of the folder: %q, %v", found, err)
			}
			if found, err := filepath.Glob(filepath.Join(above, "evil")); err != nil || found != nil {
				t.Errorf("outside of the folder: %q, %v", found, err)
			}
		})
	}
}

// TestCutShort refuses every beginning of an archive.
func TestCutShort(t *testing.T) {
	archive := pack(t, ran(t), Options{Data: Include})
	file := filepath.Join(t.TempDir(), "cut.zip")
	for n := 0; n < len(archive); n += 97 {
		must(t, os.WriteFile(file, archive[:n], 0o644))
		var input *document.InputError
		if _, err := Unpack(file, t.TempDir(), ""); !errors.As(err, &input) {
			t.Fatalf("%d of %d bytes: %v", n, len(archive), err)
		}
	}
}

// TestPackRefuses refuses runs whose files have changed, are gone, or lie outside.
func TestPackRefuses(t *testing.T) {
	run := ran(t)
	for name, test := range map[string]struct {
		change func()
		claims string
		says   string
	}{
		"changed":     {func() { must(t, os.WriteFile("nets/ring.csv", []byte("step,from,to\n1,1,2\n1,2,3\n"), 0o644)) }, "", "is not the file of the run"},
		"gone":        {func() { must(t, os.Remove("nets/ring.csv")) }, "", "ring.csv"},
		"claims gone": {func() {}, "no.yaml", "no.yaml"},
		"claims broken": {func() {
			must(t, os.WriteFile("d.yaml", []byte(strings.Replace(claimsText, "epsilon=none", "epsilon=7", 1)), 0o644))
		}, "d.yaml", "epsilon=7"},
	} {
		must(t, os.WriteFile("nets/ring.csv", []byte(edges), 0o644))
		test.change()
		_, err := Pack(run, "b.zip", Options{Data: Include, Claims: test.claims, Loader: scenariotest.Loader(t)})
		var input *document.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v; want %q", name, err, test.says)
		}
		if _, err := os.Stat("b.zip"); err == nil {
			t.Errorf("%s: an archive is written", name)
		}
	}
	taken := inputs.NewFolder("", nil, nil)
	taken.Take(inputs.Taken{Name: "../code.py", Path: "../code.py", Code: true})
	taken.Take(inputs.Taken{Name: "/opened.csv", Path: "/opened.csv", ByCode: true})
	taken.Take(inputs.Taken{Name: "scenario.yaml", Path: "scenario.yaml"})
	_, err := inputEntries(&study.Scenario{Folder: taken}, Include)
	if err == nil || !strings.Contains(err.Error(), "have no place in a bundle: ../code.py, /opened.csv, scenario.yaml;") {
		t.Errorf("code outside: %v", err)
	}
}

// TestOutside packs data that lie outside of the scenario's folder, by a path up or from the root, and
// runs the archive where no such path leads anywhere.
func TestOutside(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	must(t, os.MkdirAll("a/below", 0o755))
	must(t, os.WriteFile("a/ring.csv", []byte(edges), 0o644))
	t.Chdir("a/below")
	for _, name := range []string{"../ring.csv", filepath.Join(dir, "a", "ring.csv"), "x/../../ring.csv"} {
		must(t, os.WriteFile("s.yaml", []byte(strings.Replace(scenarioText, "nets/ring.csv", name, 1)), 0o644))
		must(t, os.RemoveAll("results"))
		must(t, os.MkdirAll("x", 0o755))
		run := runOf(t, "s.yaml", "results")
		for _, how := range []Inclusion{Include, ByHash} {
			file, data := filepath.Join(t.TempDir(), "b.zip"), ""
			must(t, os.WriteFile(file, pack(t, run, Options{Data: how, Unclaimed: true}), 0o644))
			if how == ByHash {
				data = t.TempDir()
				must(t, os.WriteFile(filepath.Join(data, "ring.csv"), []byte(edges), 0o644))
			}
			func() {
				here, err := os.Getwd()
				must(t, err)
				defer func() { must(t, os.Chdir(here)) }()
				away := t.TempDir()
				u, err := Unpack(file, filepath.Join(away, "unpacked"), data)
				must(t, err)
				if above, err := os.ReadDir(away); err != nil || len(above) != 1 {
					t.Errorf("%s: beside the folder: %v, %v", name, above, err)
				}
				must(t, os.Chdir(u.RunFolder()))
				loader := scenariotest.Loader(t)
				loader.Data, loader.Local = u.DataFolder(), true
				if _, err := loader.Load(u.ScenarioFile()); err == nil {
					t.Errorf("%s: a path that leads out of the folder is read", name)
				}
				loader.Elsewhere = u.Elsewhere()
				s, err := loader.Load(u.ScenarioFile())
				must(t, err)
				must(t, u.Check(s))
				list, remark, err := u.Compare(runOf(t, u.ScenarioFile(), filepath.Join(u.Dir, "results"), u.Elsewhere()), s)
				must(t, err)
				if remark != "" || len(list) != 2 || !list[0].OK || !list[1].OK {
					t.Errorf("%s, %s: %+v, %s", name, how, list, remark)
				}
			}()
		}
	}
}

// clientsText is a run over clients with a file each in a folder.
const clientsText = `
version: 1
name: clients
horizon: 3
nodes: 12
algorithm: {kind: dp-fedavg, learning_rate: 1, clip: 1, cohort: 3, draw: server, panel: 4}
problem: {kind: table, file: FOLDER, party: {of: files}, label: y, model: {kind: logistic}}
topology: {kind: star}
mechanism: {kind: none}
plots: []
`

// TestFolders packs the files of clients in a folder, in the scenario's folder or outside of it.
func TestFolders(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, folder := range []string{"clients", filepath.Join(dir, "apart")} {
		must(t, os.Mkdir(folder, 0o755))
		e := table.Example{Clients: 12, Rows: 3, Features: 2, Seed: 1}
		must(t, e.WriteClients(func(name string, content func(io.Writer) error) error {
			return results.WriteFile(filepath.Join(folder, name), content)
		}))
		must(t, os.WriteFile("s.yaml", []byte(strings.Replace(clientsText, "FOLDER", folder, 1)), 0o644))
		must(t, os.RemoveAll("results"))
		file := filepath.Join(t.TempDir(), "b.zip")
		must(t, os.WriteFile(file, pack(t, runOf(t, "s.yaml", "results"), Options{Unclaimed: true}), 0o644))
		func() {
			defer func() { must(t, os.Chdir(dir)) }()
			u, err := Unpack(file, filepath.Join(t.TempDir(), "unpacked"), "")
			must(t, err)
			must(t, os.RemoveAll(folder))
			must(t, os.Chdir(u.RunFolder()))
			loader := scenariotest.Loader(t)
			loader.Data, loader.Local, loader.Elsewhere = u.DataFolder(), true, u.Elsewhere()
			s, err := loader.Load(u.ScenarioFile())
			must(t, err)
			must(t, u.Check(s))
			list, remark, err := u.Compare(runOf(t, u.ScenarioFile(), filepath.Join(u.Dir, "results"), u.Elsewhere()), s)
			must(t, err)
			if remark != "" || len(list) != 2 || !list[0].OK || !list[1].OK {
				t.Errorf("%s: %+v, %s", folder, list, remark)
			}
		}()
	}
}
