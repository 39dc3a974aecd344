package dataset

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// serve answers with files by name; a nil file is not found.
func serve(t *testing.T, files map[string][]byte) (base string, asked *[]string) {
	t.Helper()
	asked = new([]string)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/data/")
		*asked = append(*asked, name)
		if files[name] == nil {
			http.NotFound(w, r)
			return
		}
		if _, err := w.Write(files[name]); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL + "/data/", asked
}

// downloadOf is the registry's entry of a download with this content.
func downloadOf(name string, text []byte, files ...Member) Download {
	file := fileOf(name, text, 0, 0)
	return Download{URLs: []string{"http://127.0.0.1:1/" + name}, Bytes: file.Bytes, SHA256: file.SHA256, Files: files}
}

// two is a set of two compressed files, one a download.
func two(t *testing.T) (set *Set, files map[string][]byte) {
	t.Helper()
	set, labels, _ := tiny()
	packed := zipped(t, labels)
	files = map[string][]byte{"labels.gz": packed, "more.gz": packed}
	set.Downloads = []Download{downloadOf("labels.gz", packed, Member{Name: "labels.gz"}), downloadOf("more.gz", packed, Member{Name: "more.gz"})}
	return set, files
}

// requireOnly demands exactly these files in the set's folder.
func requireOnly(t *testing.T, folder, set string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(folder, set))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, entry := range entries {
		got = append(got, entry.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s has %v, want %v", set, got, want)
	}
}

func TestGet(t *testing.T) {
	set, files := two(t)
	register(t, set)
	base, asked := serve(t, files)
	folder := filepath.Join(t.TempDir(), "new", "folder")
	var last string
	f := Fetcher{Base: base, Progress: func(file string, done, size int64) {
		if done == size {
			last = file
		}
	}}
	got, err := f.Get(t.Context(), folder, "tiny")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Written, []string{"labels.gz", "more.gz"}) || got.Kept != nil || last != "more.gz" {
		t.Errorf("%+v, last %s", got, last)
	}
	requireOnly(t, folder, "tiny", "labels.gz", "more.gz")
	if report, err := Verify(folder, "tiny"); err != nil || report.Status != StatusOK {
		t.Errorf("%+v, %v", report, err)
	}
	// Again: nothing is asked for. A damaged file is replaced, its neighbour kept.
	*asked = nil
	if got, err = f.Get(t.Context(), folder, "tiny"); err != nil || len(*asked) > 0 || len(got.Kept) != 2 {
		t.Errorf("%+v, %v, asked for %v", got, err, *asked)
	}
	writeFile(t, folder, "tiny", "more.gz", []byte("damaged"))
	if got, err = f.Get(t.Context(), folder, "tiny"); err != nil || !slices.Equal(got.Written, []string{"more.gz"}) || !slices.Equal(*asked, []string{"more.gz"}) {
		t.Errorf("%+v, %v, asked for %v", got, err, *asked)
	}
	if report, err := Verify(folder, "tiny"); err != nil || report.Status != StatusOK {
		t.Errorf("%+v, %v", report, err)
	}
}

// What cannot be had or is not the known file leaves nothing, and no good file
// is touched.
func TestGetRefuses(t *testing.T) {
	set, files := two(t)
	register(t, set)
	good := files["more.gz"]
	wrong := bytes.Clone(good)
	wrong[len(wrong)-1]++
	chunked := func(text []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.(http.Flusher).Flush() // no Content-Length
			w.Write(text)
		}
	}
	for _, test := range []struct {
		name, want string
		serve      http.HandlerFunc
	}{
		{"not found", "the server answered 404 Not Found", http.NotFound},
		{"checksum", "more.gz: SHA-256 is " + fileOf("", wrong, 0, 0).SHA256 + ", want " + fileOf("", good, 0, 0).SHA256,
			func(w http.ResponseWriter, _ *http.Request) { w.Write(wrong) }},
		{"short", "bytes are offered, want", func(w http.ResponseWriter, _ *http.Request) { w.Write(good[:9]) }},
		{"cut", "unexpected EOF", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "35")
			w.Write(good[:9])
		}},
		{"short chunks", "more.gz: ends after 9 of 35 bytes", chunked(good[:9])},
		{"long chunks", "more.gz: more than 35 bytes", chunked(bytes.Repeat(good, 1000))},
		{"stall", "no byte came for", func(w http.ResponseWriter, r *http.Request) {
			chunked(good[:9])(w, r)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if len(good) != 35 {
				t.Fatalf("the file has %d bytes, the table says 35", len(good))
			}
			server := httptest.NewServer(test.serve)
			defer server.Close()
			folder := t.TempDir()
			path := writeFile(t, folder, "tiny", "labels", idx(2049, []uint32{3}, []uint8{1, 2, 3}))
			f := Fetcher{Base: server.URL, stall: 200 * time.Millisecond}
			got, err := f.Get(t.Context(), folder, "tiny")
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "data set tiny: get "+server.URL+"/more.gz: ") {
				t.Errorf("got %v, want %s", err, test.want)
			}
			if got == nil || len(got.Written) > 0 || !slices.Equal(got.Kept, []string{"labels"}) {
				t.Errorf("%+v", got)
			}
			requireOnly(t, folder, "tiny", "labels")
			if _, err := os.Stat(path); err != nil {
				t.Error(err)
			}
		})
	}
}

// A place that fails is followed by the next; all failures are reported.
func TestGetTriesAllPlaces(t *testing.T) {
	set, files := two(t)
	register(t, set)
	bad, _ := serve(t, nil)
	base, _ := serve(t, files)
	for i := range set.Downloads {
		d := &set.Downloads[i]
		d.URLs = []string{bad + d.name(), base + d.name()}
	}
	if _, err := new(Fetcher).Get(t.Context(), t.TempDir(), "tiny"); err != nil {
		t.Error(err)
	}
	set.Downloads[0].URLs = []string{bad + "labels.gz", bad + "again/labels.gz"}
	if _, err := new(Fetcher).Get(t.Context(), t.TempDir(), "tiny"); err == nil || strings.Count(err.Error(), "404 Not Found") != 2 {
		t.Errorf("got %v", err)
	}
}

func TestGetStopsWhenCancelled(t *testing.T) {
	set, files := two(t)
	register(t, set)
	base, _ := serve(t, files)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	folder := t.TempDir()
	if _, err := (&Fetcher{Base: base}).Get(ctx, folder, "tiny"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	requireOnly(t, folder, "tiny")
}

// A damaged plain file would go before the compressed one that is downloaded.
func TestGetPointsAtADamagedPlainFile(t *testing.T) {
	set, files := two(t)
	register(t, set)
	base, asked := serve(t, files)
	folder := t.TempDir()
	path := writeFile(t, folder, "tiny", "labels", []byte("damaged"))
	_, err := (&Fetcher{Base: base}).Get(t.Context(), folder, "tiny")
	if want := path + " is damaged and would be read instead of labels.gz; delete it"; err == nil || err.Error() != want || len(*asked) > 0 {
		t.Errorf("got %v, want %s; asked for %v", err, want, *asked)
	}
}

type entry struct {
	name string
	text []byte
}

func zipOf(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, e := range entries {
		file, err := w.Create(e.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.Write(e.text); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func tarOf(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, e := range entries {
		if err := w.WriteHeader(&tar.Header{Name: e.name, Mode: 0o644, Size: int64(len(e.text)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(e.text); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return zipped(t, out.Bytes())
}

// Archives are unpacked to the wanted files alone, whatever else they hold and
// wherever that would go; a member that is not the known one is refused.
func TestGetArchives(t *testing.T) {
	pack := map[string]func(*testing.T, ...entry) []byte{"set.zip": zipOf, "set.tar.gz": tarOf}
	for name, archive := range pack {
		_, labels, _ := tiny()
		long := append(bytes.Clone(labels), 0)
		for _, test := range []struct {
			entries []entry
			want    string // in the error
			left    []string
		}{
			{[]entry{{"../evil", labels}, {"set/labels", labels}, {"set/README", labels}, {"set/more", labels}}, "", []string{"labels", "more"}},
			{[]entry{{"set/labels", labels}}, "set/more", []string{"labels"}},
			{[]entry{{"set/labels", long}, {"set/more", labels}}, "labels: more than 11 bytes", nil},
			{[]entry{{"set/labels", labels[:10]}, {"set/more", labels}}, "labels: ends after 10 of 11 bytes", nil},
			{[]entry{{"set/labels", append(bytes.Clone(labels[:10]), 0)}, {"set/more", labels}}, "labels: SHA-256 is ", nil},
		} {
			set, _, _ := tiny()
			text := archive(t, test.entries...)
			set.Downloads = []Download{downloadOf(name, text, archived("set", "labels", "more")...)}
			register(t, set)
			// The latest entry of a name is behind earlier ones, so this one is alone.
			registry = []*Set{set}
			base, _ := serve(t, map[string][]byte{name: text})
			folder := t.TempDir()
			got, err := (&Fetcher{Base: base}).Get(t.Context(), folder, "tiny")
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: got %v, want %q", name, err, test.want)
			}
			requireOnly(t, folder, "tiny", test.left...)
			requireOnly(t, folder, ".", "tiny")
			if !slices.Equal(got.Written, test.left) {
				t.Errorf("%s: written %v", name, got.Written)
			}
		}
	}
}
