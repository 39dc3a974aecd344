package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// register adds a set to the registry for the time of a test.
func register(t *testing.T, set *Set) {
	t.Helper()
	before := registry
	registry = append(slices.Clone(registry), set)
	t.Cleanup(func() { registry = before })
}

// fileOf is the registry's entry of a file with this content.
func fileOf(name string, text []byte, records int, role role) File {
	sum := sha256.Sum256(text)
	return File{Name: name, Bytes: int64(len(text)), SHA256: hex.EncodeToString(sum[:]), Records: records, role: role}
}

// tiny is a set of three labels and a subset of it of one.
func tiny() (set *Set, labels, part []byte) {
	labels, part = idx(2049, []uint32{3}, []uint8{1, 2, 3}), idx(2049, []uint32{1}, []uint8{1})
	return &Set{Name: "tiny", Title: "Tiny", Forms: []Form{
		{Canonical: true, Files: []File{fileOf("labels", labels, 3, trainLabels), fileOf("more", labels, 3, testLabels)}},
		{Subset: true, Notice: "one label", Files: []File{fileOf("part", part, 1, trainLabels)}},
	}}, labels, part
}

func TestVerify(t *testing.T) {
	set, labels, part := tiny()
	register(t, set)
	changed := slices.Clone(labels)
	changed[10] = 9
	for _, test := range []struct {
		name   string
		files  map[string][]byte
		status Status
		want   []FileReport
	}{
		{"nothing", nil, StatusMissing, []FileReport{
			{"labels", StatusMissing, 3, "neither plain nor .gz"}, {"more", StatusMissing, 3, "neither plain nor .gz"}}},
		{"good", map[string][]byte{"labels": labels, "more.gz": labels}, StatusOK, []FileReport{
			{"labels", StatusOK, 3, "as its authors distribute it"}, {"more.gz", StatusOK, 3, "as its authors distribute it"}}},
		{"half", map[string][]byte{"more.gz": labels}, StatusMissing, []FileReport{
			{"labels", StatusMissing, 3, "neither plain nor .gz"}, {"more.gz", StatusOK, 3, "as its authors distribute it"}}},
		{"subset", map[string][]byte{"part.gz": part, "more": labels}, StatusSubset, []FileReport{
			{"part.gz", StatusSubset, 1, "derived from the authors' files"}}},
		{"other subset", map[string][]byte{"part": labels}, StatusDamaged, []FileReport{
			{"part", StatusDamaged, 1, "11 bytes of content, want 9"}}},
		{"changed", map[string][]byte{"labels": labels, "more": changed}, StatusDamaged, []FileReport{
			{"labels", StatusOK, 3, "as its authors distribute it"}, {"more", StatusDamaged, 3, "content has SHA-256 " + fileOf("", changed, 0, 0).SHA256 + ", want " + set.Forms[0].Files[1].SHA256}}},
		{"cut", map[string][]byte{"labels": labels[:9], "more": labels}, StatusDamaged, []FileReport{
			{"labels", StatusDamaged, 3, "DIR/labels: byte 9: ends inside label 2 of 3: unexpected EOF"}, {"more", StatusOK, 3, "as its authors distribute it"}}},
	} {
		folder := t.TempDir()
		for name, text := range test.files {
			writeFile(t, folder, "tiny", name, text)
		}
		report, err := Verify(folder, "tiny")
		if err != nil {
			t.Fatal(err)
		}
		for i := range report.Files {
			note := &report.Files[i].Note
			*note = strings.ReplaceAll(*note, filepath.Join(folder, "tiny"), "DIR")
		}
		if report.Status != test.status || !slices.Equal(report.Files, test.want) {
			t.Errorf("%s: %s, %+v\nwant %s, %+v", test.name, report.Status, report.Files, test.status, test.want)
		}
	}
	if _, err := Verify(t.TempDir(), "tinny"); err == nil {
		t.Error("an unknown set is no error")
	}
}

// A digest covers the contents, not the compression, and every bit of them.
func TestDigest(t *testing.T) {
	set, labels, _ := tiny()
	register(t, set)
	digest := func(files map[string][]byte) string {
		folder := t.TempDir()
		for name, text := range files {
			writeFile(t, folder, "tiny", name, text)
		}
		sum, err := Digest(folder, "tiny")
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	plain := digest(map[string][]byte{"labels": labels, "more": labels})
	if got := digest(map[string][]byte{"labels.gz": labels, "more": labels}); got != plain || len(got) != 64 {
		t.Errorf("compressed %s, plain %s", got, plain)
	}
	changed := slices.Clone(labels)
	changed[10] = 9
	for _, files := range []map[string][]byte{{"labels": changed, "more": labels}, {"labels": labels, "more": changed}, {"part": labels}} {
		if digest(files) == plain {
			t.Errorf("%v has the digest of other contents", files)
		}
	}
	if _, err := Digest(t.TempDir(), "tiny"); err == nil || !strings.HasPrefix(err.Error(), "data set tiny: labels, more (or .gz) not found in ") {
		t.Errorf("got %v", err)
	}
}

// The registry hangs together: checksums have their length, names are their
// own, and downloads give the files of the canonical form.
func TestRegistry(t *testing.T) {
	sum := regexp.MustCompile("^[0-9a-f]{64}$")
	for _, set := range Sets() {
		if found, err := Find(set.Name); err != nil || found != set {
			t.Errorf("%s is not found: %v", set.Name, err)
		}
		if !set.Forms[0].Canonical || set.Licence == "" || set.Citation == "" || set.Home == "" {
			t.Errorf("%s: incomplete", set.Name)
		}
		for _, form := range set.Forms {
			if form.Canonical == (form.Notice != "") {
				t.Errorf("%s: notice %q", set.Name, form.Notice)
			}
			for _, file := range form.Files {
				if !sum.MatchString(file.SHA256) || file.Bytes < 1 || file.Records < 1 {
					t.Errorf("%s: %+v", set.Name, file)
				}
			}
		}
		given := 0
		for i := range set.Downloads {
			d := &set.Downloads[i]
			if !sum.MatchString(d.SHA256) || d.Bytes < 1 {
				t.Errorf("%s: %+v", set.Name, d)
			}
			for _, url := range d.URLs {
				if !strings.HasSuffix(url, "/"+d.name()) {
					t.Errorf("%s: %s does not end in %s", set.Name, url, d.name())
				}
			}
			for _, member := range d.Files {
				set.canonical(member)
				given++
			}
		}
		if given != len(set.Forms[0].Files) {
			t.Errorf("%s: downloads give %d files, want %d", set.Name, given, len(set.Forms[0].Files))
		}
	}
}

// What the formats say about sizes agrees with the counts of the registry.
func TestRegistrySizes(t *testing.T) {
	for _, set := range Sets() {
		for _, form := range set.Forms {
			for _, file := range form.Files {
				want := map[role]int{
					trainImages: 16 + 784*file.Records, testImages: 16 + 784*file.Records, trainLabels: 8 + file.Records, testLabels: 8 + file.Records,
					trainRecords: 3073 * file.Records, testRecords: 3073 * file.Records,
				}[file.role]
				if want != 0 && file.Bytes != int64(want) {
					t.Errorf("%s %s: %d bytes, want %d", set.Name, file.Name, file.Bytes, want)
				}
			}
		}
	}
}

func TestRealData(t *testing.T) {
	folder := realData(t)
	for _, name := range Names() {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Logf("%s is not there", name)
			continue
		}
		report, err := Verify(folder, name)
		if err != nil {
			t.Fatal(err)
		}
		if report.Status != StatusOK && report.Status != StatusSubset {
			t.Errorf("%s: %s, %+v", name, report.Status, report.Files)
		}
	}
}
