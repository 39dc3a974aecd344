package dataset

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestChanged holds that a data set whose files are well formed and not those that are known
// by its name says so, whichever file it is, plain or compressed.
func TestChanged(t *testing.T) {
	o := DefaultSyntheticOptions()
	o.Train, o.Test = 20, 10
	im, err := NewSynthetic(o, testKey)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string][]byte{
		"train-images": idxImages(im.Train), "train-labels": idxLabels(im.Train), "test-images": idxImages(im.Test), "test-labels": idxLabels(im.Test),
	}
	roles := []role{trainImages, trainLabels, testImages, testLabels}
	set := &Set{Name: "known", Title: "Known", Forms: []Form{{Canonical: true}}}
	for i, name := range []string{"train-images", "train-labels", "test-images", "test-labels"} {
		set.Forms[0].Files = append(set.Forms[0].Files, fileOf(name, texts[name], 20, roles[i]))
	}
	register(t, set)
	for _, ending := range []string{"", compressed} {
		for _, wrong := range []string{"", "train-images", "train-labels", "test-images", "test-labels"} {
			folder := t.TempDir()
			for name, text := range texts {
				if name == wrong {
					text = slices.Clone(text)
					text[len(text)-1] ^= 1 // a pixel, or a label that is still one
				}
				writeFile(t, folder, "known", name+ending, text)
			}
			d := NewFolder(folder)
			for range 2 { // read, and kept
				if _, _, err := ImagesIn(d, "known"); err != nil {
					t.Fatal(err)
				}
				changed := strings.Join(d.Changed(), "\n")
				if wrong == "" && changed != "" || wrong != "" && !strings.HasPrefix(changed, "known is not the data set that is known by the name: the contents of "+wrong+ending+" differ; ") {
					t.Errorf("%q wrong: %q", wrong+ending, changed)
				}
			}
		}
	}
}

// TestChangedRatings holds the same of MovieLens.
func TestChangedRatings(t *testing.T) {
	folder := t.TempDir()
	writeFile(t, folder, MovieLens1M, "ratings.dat", []byte("1::1::5::1\n"))
	writeFile(t, folder, MovieLens1M, "movies.dat", []byte("1::A (2000)::Drama\n"))
	d := NewFolder(folder)
	if _, _, err := MovieLensIn(d); err != nil {
		t.Fatal(err)
	}
	if want := "the contents of ratings.dat and movies.dat differ"; len(d.Changed()) != 1 || !strings.Contains(d.Changed()[0], want) {
		t.Errorf("%q, want %s", d.Changed(), want)
	}
	real := os.Getenv("STARLING_DATA")
	if _, err := os.Stat(filepath.Join(real, MovieLens1M)); real == "" || err != nil {
		return
	}
	d = NewFolder(real)
	if _, _, err := MovieLensIn(d); err != nil || d.Changed() != nil {
		t.Errorf("the real one: %q, %v", d.Changed(), err)
	}
}
