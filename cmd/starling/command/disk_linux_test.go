package command

import (
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"starling/scenarios/testneeds"
)

// mount gives a folder a file system of its own, of a size, which can be full or
// read-only without touching anything else.
func mount(t *testing.T, size string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("this needs the right to mount a file system: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

func remount(t *testing.T, dir string, flags uintptr, size string) {
	t.Helper()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|flags, "size="+size); err != nil {
		t.Fatal(err)
	}
}

func runInto(out string) (text string, err error) {
	cmd := exec.Command("starling", "run", "dpdonc-localization", "--quiet", "--out", out, "--seeds", "30", "--set", "horizon=400")
	output, err := cmd.CombinedOutput()
	return string(output), err
}

// TestFullDisk checks that a run on a disk that gets full says so, leaves
// nothing that passes for results, and goes on once there is room.
func TestFullDisk(t *testing.T) {
	straight := t.TempDir()
	if text, err := runInto(straight); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for i, size := range []string{"300k", "16k", "1m"} {
		if !testneeds.Some(i, 3) {
			continue
		}
		disk := mount(t, size)
		text, err := runInto(disk)
		if err == nil || !strings.Contains(text, "no space left on device") || !strings.Contains(text, disk) {
			t.Errorf("%s: %v\n%s", size, err, text)
		}
		if complete, _ := filepath.Glob(filepath.Join(disk, "*", "*", "COMPLETE")); len(complete) > 0 {
			t.Errorf("%s: the results are complete", size)
		}
		remount(t, disk, 0, "1g")
		if text, err := runInto(disk); err != nil {
			t.Errorf("%s, with more room: %v\n%s", size, err, text)
		} else if a, b := only(t, straight), only(t, disk); a.Digest != b.Digest {
			t.Errorf("%s, with more room: digest %s, want %s", size, b.Digest, a.Digest)
		}
	}
}

// TestReadOnlyFolder checks that results that are there can be shown from a
// place where nothing can be written, and that a run there says what is wrong.
func TestReadOnlyFolder(t *testing.T) {
	disk := mount(t, "64m")
	if text, err := runInto(disk); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	remount(t, disk, syscall.MS_RDONLY, "64m")
	if text, err := runInto(disk); err != nil || !strings.Contains(text, disk) {
		t.Errorf("results that are there: %v\n%s", err, text)
	}
	cmd := exec.Command("starling", "run", "dpdonc-nodes", "--out", disk, "--seeds", "2", "--set", "horizon=20")
	text, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(text), "read-only file system") || !strings.Contains(string(text), disk) {
		t.Errorf("a new run: %v\n%s", err, text)
	}
}
