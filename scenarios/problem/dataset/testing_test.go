package dataset

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"starling/mechanisms/rng"
)

// chance is the chance of a false failure of each statistical test, over the
// choice of the key. The keys are fixed, so a test that has passed passes for
// ever, until the streams change.
const chance = 1e-9

var testKey = rng.NewKey(7, rng.PurposeOf("test"))

// realData is the folder of real data, for tests that need them.
func realData(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("STARLING_DATA")
	if folder == "" {
		t.Skip("needs real data: set STARLING_DATA to the folder of data sets")
	}
	return folder
}

// writeFile writes a file in a set's folder, compressed if its name says so.
func writeFile(t testing.TB, folder, set, name string, text []byte) string {
	t.Helper()
	path := filepath.Join(folder, set, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(name, compressed) {
		text = zipped(t, text)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// zipped compresses with gzip.
func zipped(t testing.TB, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// idx is an idx file: the magic number, the sizes, the bytes.
func idx(magic uint32, sizes []uint32, data []uint8) []byte {
	text := binary.BigEndian.AppendUint32(nil, magic)
	for _, size := range sizes {
		text = binary.BigEndian.AppendUint32(text, size)
	}
	return append(text, data...)
}

func idxImages(im *Images) []byte {
	return idx(2051, []uint32{uint32(im.Len()), uint32(im.Shape.Rows), uint32(im.Shape.Columns)}, im.All())
}

func idxLabels(im *Images) []byte {
	return idx(2049, []uint32{uint32(im.Len())}, im.Labels)
}

// cifarRecords are images of cifarShape as CIFAR-10 has them.
func cifarRecords(im *Images) []byte {
	var text []byte
	for i := range im.Len() {
		text = append(append(text, im.Labels[i]), im.Bytes(i)...)
	}
	return text
}

// small generates a few images of a shape.
func small(t testing.TB, shape Shape, train, test int) *ImageSet {
	t.Helper()
	o := DefaultSyntheticOptions()
	o.Train, o.Test = train, test
	o.Channels, o.Rows, o.Columns = shape.Channels, shape.Rows, shape.Columns
	set, err := NewSynthetic(o, testKey)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// writeIDX writes a set in the form of MNIST; ends are appended to the names.
func writeIDX(t testing.TB, folder, name string, set *ImageSet, end string) {
	t.Helper()
	writeFile(t, folder, name, "train-images-idx3-ubyte"+end, idxImages(set.Train))
	writeFile(t, folder, name, "train-labels-idx1-ubyte"+end, idxLabels(set.Train))
	writeFile(t, folder, name, "t10k-images-idx3-ubyte"+end, idxImages(set.Test))
	writeFile(t, folder, name, "t10k-labels-idx1-ubyte"+end, idxLabels(set.Test))
}

// smallMovies are six movies; the titles have Latin-1 and colons.
const smallMovies = "1::Toy Story (1995)::Animation|Children's|Comedy\n" +
	"2::Les Mis\xe9rables (1995)::Drama|Musical\n" +
	"4::Mission: Impossible :: Again (1996)::Action|Adventure|Mystery\n" +
	"3::Noir (1950)::Crime|Film-Noir|Thriller\n" +
	"9::Facts (1990)::Documentary|War|Western\n" +
	"7::Stars (1977)::Fantasy|Horror|Romance|Sci-Fi\n"

// contentOf is a plain content to read from.
func contentOf(path string, text []byte) *content {
	return &content{path: path, reader: bytes.NewReader(text)}
}

// allRatings has users 1..n rate every movie of smallMovies.
func allRatings(users int) string {
	var text strings.Builder
	for user := 1; user <= users; user++ {
		for i, movie := range []int{1, 2, 3, 4, 7, 9} {
			fmt.Fprintf(&text, "%d::%d::%d\n", user, movie, 1+(user*i+i)%5)
		}
	}
	return text.String()
}
