package command

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"starling/scenarios/results"
)

// TestKilledRunsResume ends runs with SIGKILL, again and again and at any
// moment, until one with --resume comes to its end: it has the digest, and every
// data file, of a run that was never interrupted.
func TestKilledRunsResume(t *testing.T) {
	if testing.Short() {
		t.Skip("kills processes for some seconds")
	}
	// testscript.Main has put this program in the PATH under its own name.
	starling := func(out string, more ...string) *exec.Cmd {
		args := []string{"run", "dpdonc-localization", "--quiet", "--out", out,
			"--set", "horizon=4000", "--set", "seeds.count=6", "--set", "measure.every=500", "--set", "checkpoint={every: 400}"}
		return exec.Command("starling", append(args, more...)...)
	}
	straight := t.TempDir()
	began := time.Now()
	if text, err := starling(straight).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	took := time.Since(began)
	r := rand.New(rand.NewPCG(1, 2))
	out := t.TempDir()
	kills := 0
	for attempt := 0; ; attempt++ {
		cmd := starling(out, "--resume")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// Later attempts live longer, so that the last gets through.
		life := time.Duration(float64(took) * (0.05 + 0.1*float64(attempt) + 0.3*r.Float64()))
		killed := time.AfterFunc(life, func() { cmd.Process.Kill() })
		err := cmd.Wait()
		killed.Stop()
		if err == nil {
			break
		}
		if !strings.Contains(err.Error(), "killed") {
			t.Fatal(err)
		}
		kills++
	}
	if kills == 0 {
		t.Skip("the run came to its end before it was killed")
	}
	a, b := only(t, straight), only(t, out)
	if a.Digest != b.Digest {
		t.Errorf("after %d kills the digest is %s, want %s", kills, b.Digest, a.Digest)
	}
	for i, file := range a.Files {
		if b.Files[i] != file {
			t.Errorf("after %d kills: %+v, want %+v", kills, b.Files[i], file)
		}
	}
}

// only returns the manifest of the one run there is.
func only(t *testing.T, out string) results.Manifest {
	t.Helper()
	folders, err := filepath.Glob(filepath.Join(out, "*", "*"))
	if err != nil || len(folders) != 1 {
		t.Fatalf("runs: %q, %v", folders, err)
	}
	run, err := results.Open(folders[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(results.Checkpoints(folders[0])); !os.IsNotExist(err) {
		t.Errorf("checkpoints are left: %v", err)
	}
	return run.Manifest
}
