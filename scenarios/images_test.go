package scenarios_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"starling/scenarios"

	"starling/scenarios/loading"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/runner"
)

// TestImagesWithoutData checks that it is said what is missing and what to do,
// and that nothing of it is a bad scenario elsewhere.
func TestImagesWithoutData(t *testing.T) {
	file := baseFile(t, edited(t, trained, "data: synthetic", "data: fashion-mnist"))
	for name, loader := range map[string]loading.Loader{"no folder": scenarios.NewLoader(""), "no such folder": scenarios.NewLoader(filepath.Join(t.TempDir(), "none")), "empty": scenarios.NewLoader(t.TempDir())} {
		_, err := loader.Load(file)
		if err == nil || !strings.Contains(err.Error(), "fashion-mnist") || !strings.Contains(err.Error(), "--data") && !strings.Contains(err.Error(), "starling data get") {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && !strings.Contains(err.Error(), "s.yaml:8:") {
			t.Errorf("%s: the place is not named: %v", name, err)
		}
	}
}

// TestImagesChangeTheHash checks that results of other images are never taken for
// those of these.
func TestImagesChangeTheHash(t *testing.T) {
	file := baseFile(t, edited(t, trained, "data: synthetic", "data: cifar-10"))
	folder := t.TempDir()
	if err := writeBlankImages(folder); err != nil {
		t.Fatal(err)
	}
	hash := func() string {
		s, err := scenarios.NewLoader(folder).Load(file)
		if err != nil {
			t.Fatal(err)
		}
		return runner.Hash(s, "build")
	}
	before := hash()
	if again := hash(); again != before {
		t.Errorf("hash %s, then %s", before, again)
	}
	pixel, err := os.OpenFile(filepath.Join(folder, dataset.CIFAR10, "test-1000.bin"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer pixel.Close()
	if _, err := pixel.WriteAt([]byte{1}, 5000); err != nil {
		t.Fatal(err)
	}
	if hash() == before {
		t.Error("another pixel, the same hash")
	}
}
