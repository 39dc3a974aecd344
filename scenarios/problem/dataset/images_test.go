package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLoadIDX(t *testing.T) {
	want := small(t, Shape{1, 28, 28}, 30, 20)
	for _, end := range []string{"", ".gz"} {
		folder := t.TempDir()
		writeIDX(t, folder, MNIST, want, end)
		got, err := LoadImages(folder, MNIST)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]*Images{want.Train, want.Test}, []*Images{got.Train, got.Test}); diff != "" {
			t.Errorf("with %q (-want +got)\n%s", end, diff)
		}
		notice := "a subset of MNIST database of handwritten digits: 30 of 60,000 training images and 20 of 10,000 test images"
		if got.Name != MNIST || got.Classes != 10 || !got.Subset || got.Notice != notice {
			t.Errorf("got %q, %d classes, subset %v, %q", got.Name, got.Classes, got.Subset, got.Notice)
		}
	}
}

func TestLoadCIFAR(t *testing.T) {
	want := small(t, cifarShape, 25, 10)
	folder := t.TempDir()
	records := cifarRecords(want.Train)
	for i := range 5 { // five records a batch; the order of batches matters
		name := "data_batch_" + string(rune('1'+i)) + ".bin"
		writeFile(t, folder, CIFAR10, name+[]string{"", ".gz"}[i%2], records[5*3073*i:5*3073*(i+1)])
	}
	writeFile(t, folder, CIFAR10, "test_batch.bin", cifarRecords(want.Test))
	got, err := LoadImages(folder, CIFAR10)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]*Images{want.Train, want.Test}, []*Images{got.Train, got.Test}); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if !got.Subset || !strings.Contains(got.Notice, "25 of 50,000 training images and 10 of 10,000 test images") {
		t.Errorf("subset %v, %q", got.Subset, got.Notice)
	}
}

// A form that is complete goes before one with more files.
func TestLoadTakesTheCompleteForm(t *testing.T) {
	want := small(t, cifarShape, 10, 10)
	folder := t.TempDir()
	for _, name := range []string{"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin"} {
		writeFile(t, folder, CIFAR10, name, cifarRecords(want.Test))
	}
	writeFile(t, folder, CIFAR10, "train-10000.bin.gz", cifarRecords(want.Train))
	writeFile(t, folder, CIFAR10, "test-1000.bin.gz", cifarRecords(want.Test))
	got, err := LoadImages(folder, CIFAR10)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Train, got.Train); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestFeatures(t *testing.T) {
	im := &Images{Shape: Shape{1, 1, 3}, Pixels: []uint8{9, 9, 9, 0, 51, 255}, Labels: []uint8{1, 2}}
	x := make([]float32, 3)
	im.Features(1, x)
	if want := []float32{0, float32(51.0 / 255), 1}; !slices.Equal(x, want) {
		t.Errorf("got %v, want %v", x, want)
	}
	if got := im.Counts(4); !slices.Equal(got, []int{0, 1, 1, 0}) {
		t.Errorf("counts %v", got)
	}
}

func TestMissingFiles(t *testing.T) {
	folder := t.TempDir()
	set := small(t, Shape{1, 28, 28}, 10, 10)
	writeIDX(t, folder, MNIST, set, "")
	if err := os.Remove(filepath.Join(folder, MNIST, "t10k-labels-idx1-ubyte")); err != nil {
		t.Fatal(err)
	}
	_, err := LoadImages(folder, MNIST)
	var missing *MissingError
	if !errors.As(err, &missing) || !slices.Equal(missing.Files, []string{"t10k-labels-idx1-ubyte"}) {
		t.Errorf("got %v", err)
	}
	for name, want := range map[string]string{
		CIFAR10:     "data set cifar-10: data_batch_1.bin, ",
		MovieLens1M: "data set movielens-1m has no images",
		"emnist":    `unknown data set "emnist"; known: mnist, fashion-mnist, cifar-10, movielens-1m`,
	} {
		if _, err := LoadImages(folder, name); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
}

// Errors name the file and the place.
func TestDamagedIDX(t *testing.T) {
	images := idx(2051, []uint32{2, 2, 3}, make([]uint8, 12))
	labels := idx(2049, []uint32{3}, []uint8{1, 2, 3})
	change := func(text []byte, at int, to ...byte) []byte {
		text = bytes.Clone(text)
		copy(text[at:], to)
		return text
	}
	for _, test := range []struct {
		name, want string
		labels     bool
		text       []byte
	}{
		{"empty", "f: byte 0: ends inside the header: unexpected EOF", false, nil},
		{"half a header", "f: byte 10: ends inside the header: unexpected EOF", false, images[:10]},
		{"labels for images", "f: byte 0: magic number 2049, want 2051", false, append(bytes.Clone(labels), labels...)},
		{"no rows", "f: byte 8: images of 0 x 3, want 1 x 1 to 4096 x 4096", false, change(images, 8, 0, 0, 0, 0)},
		{"wide", "f: byte 8: images of 2 x 16777216, want 1 x 1 to 4096 x 4096", false, change(images, 12, 1, 0, 0, 0)},
		{"many", "f: byte 4: claims 4294967295 images of 2 x 3, more than 1073741824 bytes", false, change(images, 4, 255, 255, 255, 255)},
		{"claims one more", "f: byte 28: ends inside image 3 of 3: unexpected EOF", false, change(images, 7, 3)},
		{"cut", "f: byte 23: ends inside image 2 of 2: unexpected EOF", false, images[:23]},
		{"goes on", "f: byte 28: content goes on after the last record", false, append(bytes.Clone(images), 0)},
		{"cut labels", "f: byte 10: ends inside label 3 of 3: unexpected EOF", true, labels[:10]},
		{"label 10", "f: byte 9: label 10, want 0 to 9", true, change(labels, 9, 10)},
		{"many labels", "f: byte 4: claims 4294967295 labels, more than 1073741824 bytes", true, change(labels, 4, 255, 255, 255, 255)},
		{"labels go on", "f: byte 11: content goes on after the last record", true, append(bytes.Clone(labels), 0)},
	} {
		var err error
		if test.labels {
			_, err = readIDXLabels(contentOf("f", test.text), 10)
		} else {
			_, _, err = readIDXImages(contentOf("f", test.text))
		}
		if err == nil || err.Error() != test.want {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
	}
}

func TestDamagedCIFAR(t *testing.T) {
	text := cifarRecords(small(t, cifarShape, 3, 1).Train)
	for cut, want := range map[int]string{
		3073 + 1:   "f: byte 3074: ends inside record 2, after 1 of 3073 bytes: unexpected EOF",
		3*3073 - 1: "f: byte 9218: ends inside record 3, after 3072 of 3073 bytes: unexpected EOF",
	} {
		if _, _, err := readCIFAR(contentOf("f", text[:cut]), 10, nil, nil); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	text[2*3073] = 10
	want := "f: byte 6146: label 10 of record 3, want 0 to 9"
	if _, _, err := readCIFAR(contentOf("f", text), 10, nil, nil); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A compressed file is damaged if its container is: cut, no gzip at all, or
// with another checksum.
func TestDamagedGzip(t *testing.T) {
	folder := t.TempDir()
	set := small(t, Shape{1, 28, 28}, 50, 10)
	writeIDX(t, folder, MNIST, set, ".gz")
	path := filepath.Join(folder, MNIST, "train-images-idx3-ubyte.gz")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	badSum := bytes.Clone(good)
	badSum[len(badSum)-8]++
	for name, text := range map[string][]byte{
		"cut": good[:len(good)/2], "cut in the checksum": good[:len(good)-3], "checksum": badSum, "plain": []byte("plain text"), "empty": nil,
	} {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := LoadImages(folder, MNIST)
		var format *FormatError
		if !errors.As(err, &format) || format.Path != path || format.Line != 0 {
			t.Errorf("%s: got %v, want a place in %s", name, err, path)
		}
	}
}

func TestPartsDisagree(t *testing.T) {
	folder := t.TempDir()
	set := small(t, Shape{1, 16, 16}, 20, 10)
	writeIDX(t, folder, MNIST, set, "")
	writeFile(t, folder, MNIST, "train-labels-idx1-ubyte", idxLabels(set.Test))
	if _, err := LoadImages(folder, MNIST); err == nil || !strings.Contains(err.Error(), "20 images and 10 labels") {
		t.Errorf("got %v", err)
	}
	writeIDX(t, folder, MNIST, set, "")
	writeFile(t, folder, MNIST, "t10k-images-idx3-ubyte", idx(2051, []uint32{10, 4, 8}, make([]uint8, 320)))
	if _, err := LoadImages(folder, MNIST); err == nil || !strings.Contains(err.Error(), "training images of") {
		t.Errorf("got %v", err)
	}
}

// A header that claims a GiB above an empty body costs little memory.
func TestClaimsAreNotAllocated(t *testing.T) {
	text := idx(2051, []uint32{1 << 18, 64, 64}, make([]uint8, 100))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err := readIDXImages(contentOf("f", text))
	runtime.ReadMemStats(&after)
	if err == nil {
		t.Error("no error")
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 4*firstChunk {
		t.Errorf("%d bytes allocated", used)
	}
}

func TestReadClaimedAcrossChunks(t *testing.T) {
	want := make([]byte, 3*firstChunk+17)
	for i := range want {
		want[i] = byte(i * 31 >> 3)
	}
	for _, n := range []int{0, 1, firstChunk, firstChunk + 1, len(want)} {
		got, err := readClaimed(bytes.NewReader(want), n)
		if err != nil || !bytes.Equal(got, want[:n]) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

// The sets here have the counts that their READMEs state, of each label, and
// the parsers find what the registry says. Means and deviations of CIFAR-10 are
// those of the subset's description only within its sampling error, so they are
// left to Verify's checksums.
func TestRealImages(t *testing.T) {
	folder := realData(t)
	for name, want := range map[string]struct{ train, test []int }{
		MNIST:        {[]int{5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949}, []int{980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009}},
		FashionMNIST: {slices.Repeat([]int{6000}, 10), slices.Repeat([]int{1000}, 10)},
		CIFAR10:      {slices.Repeat([]int{1000}, 10), []int{103, 89, 100, 103, 90, 86, 112, 102, 106, 109}},
	} {
		set, err := LoadImages(folder, name)
		if err != nil {
			t.Error(err)
			continue
		}
		if name == CIFAR10 && !set.Subset {
			want.train, want.test = slices.Repeat([]int{5000}, 10), slices.Repeat([]int{1000}, 10)
		}
		if train, test := set.Train.Counts(10), set.Test.Counts(10); !slices.Equal(train, want.train) || !slices.Equal(test, want.test) {
			t.Errorf("%s: %v training and %v test images", name, train, test)
		}
		if name != CIFAR10 && set.Subset {
			t.Errorf("%s is called a subset: %s", name, set.Notice)
		}
	}
}

func FuzzIDXImages(f *testing.F) {
	f.Add(idx(2051, []uint32{2, 2, 3}, make([]uint8, 12)))
	f.Add(idx(2051, []uint32{math.MaxUint32, 4096, 4096}, nil))
	f.Fuzz(func(t *testing.T, text []byte) {
		pixels, shape, err := readIDXImages(contentOf("f", text))
		if err != nil {
			requirePlace(t, err, len(text))
			return
		}
		n := binary.BigEndian.Uint32(text[4:])
		again := idx(2051, []uint32{n, uint32(shape.Rows), uint32(shape.Columns)}, pixels)
		if !bytes.Equal(again, text) {
			t.Fatalf("written again it is %x, was %x", again, text)
		}
	})
}

func FuzzIDXLabels(f *testing.F) {
	f.Add(idx(2049, []uint32{3}, []uint8{1, 2, 3}))
	f.Fuzz(func(t *testing.T, text []byte) {
		labels, err := readIDXLabels(contentOf("f", text), 10)
		if err != nil {
			requirePlace(t, err, len(text))
			return
		}
		if again := idx(2049, []uint32{uint32(len(labels))}, labels); !bytes.Equal(again, text) || len(labels) > 0 && slices.Max(labels) > 9 {
			t.Fatalf("written again it is %x, was %x", again, text)
		}
	})
}

func FuzzCIFAR(f *testing.F) {
	f.Add([]byte{}, uint8(1))
	f.Add([]byte{9, 1, 2, 3}, uint8(2))
	f.Fuzz(func(t *testing.T, seed []byte, copies uint8) {
		// Records are long, so the fuzzer's bytes are spread over some.
		text := make([]byte, 0, 3073*3)
		for len(text) < 3073*int(copies%3)+len(seed)%3073 && len(seed) > 0 {
			text = append(text, seed...)
		}
		pixels, labels, err := readCIFAR(contentOf("f", text), 10, nil, nil)
		if err != nil {
			requirePlace(t, err, len(text))
			return
		}
		again := cifarRecords(&Images{Shape: cifarShape, Pixels: pixels, Labels: labels})
		if !bytes.Equal(again, text) {
			t.Fatal("written again it differs")
		}
	})
}

func FuzzGzip(f *testing.F) {
	f.Add(zipped(f, idx(2049, []uint32{3}, []uint8{1, 2, 3})))
	f.Fuzz(func(t *testing.T, text []byte) {
		path := writeFile(t, t.TempDir(), "set", "file", text)
		if err := os.Rename(path, path+".gz"); err != nil {
			t.Fatal(err)
		}
		if _, _, err := contentSum(path + ".gz"); err != nil {
			requirePlace(t, err, maxContent+1<<20)
		}
	})
}

// requirePlace demands an error with a place in the file.
func requirePlace(t *testing.T, err error, size int) {
	t.Helper()
	var format *FormatError
	if !errors.As(err, &format) || format.Path == "" || format.Offset < 0 || format.Offset > int64(size) {
		t.Fatalf("%v has no place in %d bytes", err, size)
	}
}
