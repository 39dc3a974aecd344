package scenariotest

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"

	"starling/scenarios/problem/dataset"
)

// WriteBlankImages writes files in the form of the image sets that the library names: as many
// images, but all black, with labels in turn. Zeros take no room on the disk. Tests that
// depend on pixels use generated images.
func WriteBlankImages(folder string) error {
	// idx writes the head of a file in the IDX format: big-endian words, and for a file of
	// labels a byte for each label, 0 to 9 in turn.
	idx := func(name string, header []uint32, labels int) error {
		content := make([]byte, 4*len(header)+labels)
		for i, word := range header {
			binary.BigEndian.PutUint32(content[4*i:], word)
		}
		for i := range labels {
			content[4*len(header)+i] = byte(i % 10)
		}
		return os.WriteFile(name, content, 0o644)
	}
	for _, set := range []string{dataset.MNIST, dataset.FashionMNIST} {
		dir := filepath.Join(folder, set)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		for part, n := range map[string]int{"train": 60000, "t10k": 10000} {
			// 2051 is the magic number of images: unsigned bytes in three dimensions. The
			// head takes 16 bytes, and truncating to the full length leaves a hole of
			// zeros after it.
			pixels := filepath.Join(dir, part+"-images-idx3-ubyte")
			if err := idx(pixels, []uint32{2051, uint32(n), 28, 28}, 0); err != nil {
				return err
			}
			if err := os.Truncate(pixels, int64(16+n*28*28)); err != nil {
				return err
			}
			// 2049 is the magic number of labels: unsigned bytes in one dimension.
			if err := idx(filepath.Join(dir, part+"-labels-idx1-ubyte"), []uint32{2049, uint32(n)}, n); err != nil {
				return err
			}
		}
	}
	dir := filepath.Join(folder, dataset.CIFAR10)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, n := range map[string]int{"train-10000.bin": 10000, "test-1000.bin": 1000} {
		// A record of CIFAR-10 is a byte of label and then three channels of 32 x 32
		// pixels.
		content := make([]byte, n*(1+3*32*32))
		for i := range n {
			content[i*(1+3*32*32)] = byte(i % 10)
		}
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// smallImages returns sizes for tests of the library's scenarios with images, which are then
// generated. They are overrides in the form of --set. Most have few training data, two
// filters, four hidden units and batches of one sample, so that a run is short.
func smallImages(name string) []string {
	if name == "ali-fmnist-labels" { // its partitions need ten clients, and an image for each shard
		return []string{"seeds.count=1", "problem.data=synthetic", "problem.test=50", "measure.every=4", "horizon=5", "problem.train=400", "algorithm.batch=1", "algorithm.statistics_samples=9"}
	}
	size := []string{
		"seeds.count=1", "problem.data=synthetic", "problem.test=50", "measure.every=4",
		"problem.partition={kind: iid}", "problem.model.filters=2", "problem.model.hidden=[4]",
	}
	if strings.HasSuffix(name, "-accuracy") { // these have nothing adaptive
		return append(size, "horizon=5", "nodes=3", "problem.train=90", "algorithm.batch=1")
	}
	if strings.HasPrefix(name, "ali-") {
		return append(size, "horizon=5", "nodes=3", "problem.train=90", "algorithm.batch=1", "algorithm.statistics_samples=9")
	}
	if strings.HasPrefix(name, "fmnist-") {
		return append(size, "horizon=5", "nodes=3", "problem.train=90", "algorithm.batch=1", "algorithm.tau=2")
	}
	return append(size, "measure.at=[]", "horizon=20", "nodes=2", "problem.train=60")
}
