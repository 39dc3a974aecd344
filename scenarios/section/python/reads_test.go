package python

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"starling/scenarios/inputs"
	"starling/scenarios/problem/pyproblem"
	"starling/scenarios/testneeds"
)

// folderOf writes files, by their path in a folder.
func folderOf(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// names are those of files.
func names(list []inputs.Digest) (all []string) {
	for _, d := range list {
		all = append(all, d.Name)
	}
	return slices.Sorted(slices.Values(all))
}

// TestReads holds that every module of the folder that is imported, in whatever form, is
// found with what it imports, and every file that a text names, and that what is found in
// other ways is told. A change of any of them changes what a run depends on.
func TestReads(t *testing.T) {
	files := map[string]string{
		"plain.py": "", "as_name.py": "", "second.py": "", "late.py": "", "from_it.py": "import deeper", "deeper.py": "", "unused.py": "",
		"pack/__init__.py": "from . import beside\nfrom .inner.leaf import x", "pack/beside.py": "from ..up import x", "pack/inner/__init__.py": "", "pack/inner/leaf.py": "from .. import third\nimport torch",
		"pack/third.py": "", "spaces/module.py": "", "numbers.npy": "1", "table.csv": "1", "option.csv": "1", "left.csv": "1",
		"figure.png": "1", "table.parquet": "1", "both.npy": "1",
	}
	code := `
"""import nothing of this kind."""
import os, plain, as_name as other  # and second
import numpy as np
import torch.nn.functional as F
from from_it import (
    one,
    two,
)
import pack.inner.leaf
from spaces import module
def later():
    from late import x
data = np.load("numbers.npy"), open('table.csv')
plot.savefig("figure.png")
frame.to_parquet( 'table.parquet')
np.save("both.npy", data)
np.load("both.npy")
`
	folder := folderOf(t, files)
	r := readsOf(filepath.Join(folder, "code.py"), "sub/code.py", []byte(code), []string{"option.csv", "missing.csv"}, false)
	want := []string{"as_name.py", "deeper.py", "from_it.py", "late.py", "pack/__init__.py", "pack/beside.py", "pack/inner/__init__.py", "pack/inner/leaf.py", "pack/third.py", "plain.py", "spaces/module.py"}
	for i, name := range want {
		want[i] = "sub/" + name
	}
	if got := names(r.modules); !slices.Equal(got, want) {
		t.Errorf("modules %q, want %q", got, want)
	}
	if got := names(r.data); !slices.Equal(got, []string{"both.npy", "numbers.npy", "option.csv", "table.csv"}) { // the figure and the frame are written
		t.Errorf("data %q", got)
	}
	for _, name := range []string{"os", "numpy", "torch"} {
		if !slices.Contains(r.libraries, name) {
			t.Errorf("libraries %q without %s", r.libraries, name)
		}
	}
	if r.hiddenModules != nil || r.hiddenData != nil {
		t.Errorf("told as hidden: %q, %q", r.hiddenModules, r.hiddenData)
	}
	for changed := range maps.Keys(files) {
		again := maps.Clone(files)
		again[changed] += "# another\n"
		other := folderOf(t, again)
		got := readsOf(filepath.Join(other, "code.py"), "sub/code.py", []byte(code), []string{"option.csv"}, false)
		same := slices.Equal(r.modules, got.modules) && slices.Equal(r.data, got.data)
		if unread := slices.Contains([]string{"unused.py", "left.csv", "second.py", "figure.png", "table.parquet"}, changed); same != unread {
			t.Errorf("%s changed: what the code reads is the same: %v", changed, same)
		}
	}
	for text, want := range map[string]string{
		"import importlib\nm = importlib.import_module(name)": "modules",
		"import sys\nsys.path.append('..')":                   "modules",
		"x = np.load(path + '.npy')":                          "data",
		"x = pandas.read_csv(name)":                           "data",
		"x = 1":                                               "",
	} {
		r := readsOf(filepath.Join(folder, "code.py"), "code.py", []byte(text), nil, false)
		if got := r.hiddenModules != nil; got != (want == "modules") {
			t.Errorf("%q: hidden modules %v", text, got)
		}
		if got := r.hiddenData != nil; got != (want == "data") {
			t.Errorf("%q: hidden data %v", text, got)
		}
	}
	if r := readsOf(filepath.Join(folder, "code.py"), "code.py", []byte("open('"+filepath.Join(folder, "left.csv")+"')"), nil, true); r.data != nil {
		t.Errorf("a file outside of the folder is looked at: %q", r.data)
	}
}

// TestLibraries holds that a library counts by its version where it is installed, and by its
// code where it is not, which changes under one version.
func TestLibraries(t *testing.T) {
	testneeds.Python(t)
	elsewhere := folderOf(t, map[string]string{"outside_of_it/__init__.py": "x = 1", "alone_there.py": "y = 1"})
	t.Setenv("PYTHONPATH", elsewhere)
	ask := func() map[string]string {
		found, err := pyproblem.Libraries(t.TempDir(), []string{"os", "numpy", "no_such_module", "outside_of_it", "alone_there"})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	before := ask()
	if got := slices.Sorted(maps.Keys(before)); !slices.Equal(got, []string{"alone_there", "numpy", "outside_of_it"}) || !strings.HasPrefix(before["numpy"], "numpy ") {
		t.Errorf("%q", before)
	}
	for _, name := range []string{"outside_of_it/__init__.py", "alone_there.py"} {
		if err := os.WriteFile(filepath.Join(elsewhere, name), []byte("x = 2"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	after := ask()
	if after["numpy"] != before["numpy"] || after["outside_of_it"] == before["outside_of_it"] || after["alone_there"] == before["alone_there"] {
		t.Errorf("%q, and after a change %q", before, after)
	}
}
