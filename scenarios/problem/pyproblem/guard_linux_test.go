package pyproblem_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"starling/scenarios/problem/pyproblem"
	"starling/scenarios/testneeds"
)

// orphans names what the children of a process of TestNoOrphans do.
const orphans = "STARLING_TEST_ORPHANS"

// stubborn is a class whose calls do not look at the end of the parent.
const stubborn = `
import os, threading, time

class Box:
    def thread(self):
        threading.Thread(target=time.sleep, args=(1000,)).start()
        return 1.0
    def child(self):
        if os.fork() == 0:
            time.sleep(1000)
        return 1.0
    def sleeps(self): time.sleep(1000)
    def computes(self): return float(sum(range(10**13))) # with the lock of the interpreter
    def leads(self):
        os.setpgid(0, 0) # it is the leader already
        time.sleep(1000)
`

// TestOrphan is a process that has a child do what the environment says, for TestNoOrphans.
func TestOrphan(t *testing.T) {
	what, _, ok := strings.Cut(os.Getenv(orphans), " ")
	if !ok {
		t.Skip("it is a part of TestNoOrphans")
	}
	p := pyproblem.New(pyproblem.Options{Path: "box.py", Source: []byte(stubborn), Timeout: time.Minute, Log: io.Discard})
	o := p.Object("Box", nil)
	if _, err := o.Describe(); err != nil {
		t.Fatal(err)
	}
	fmt.Println("calling")
	o.Call(&pyproblem.Call{Method: what})
	time.Sleep(time.Minute)
}

// TestNoOrphans kills processes that run Python at random times, with a signal that they cannot
// see: of no kind of call a process is left. Children that were inside of a call, and those with a
// thread, lived on.
func TestNoOrphans(t *testing.T) {
	t.Parallel() // it waits most of the time
	testneeds.Python(t)
	kills := 20
	if testing.Short() {
		kills = 5
	}
	r := rand.New(rand.NewPCG(1, 2))
	tickets := make(chan struct{}, 5)
	var group sync.WaitGroup
	for i := range kills {
		what := []string{"thread", "child", "sleeps", "computes", "leads"}[i%5]
		after := time.Duration(r.Int64N(int64(700 * time.Millisecond)))
		mark := fmt.Sprintf("%s=%s %d-%d", orphans, what, os.Getpid(), i)
		group.Go(func() {
			tickets <- struct{}{}
			defer func() { <-tickets }()
			run := exec.Command(os.Args[0], "-test.run=^TestOrphan$")
			run.Env = append(os.Environ(), mark)
			said, err := run.StdoutPipe()
			if err == nil {
				err = run.Start()
			}
			if err != nil {
				t.Error(err)
				return
			}
			if i%4 > 0 { // the rest may not even have a child yet
				if _, err := bufio.NewReader(said).ReadString('\n'); err != nil {
					t.Error(err)
				}
			}
			time.Sleep(after)
			run.Process.Kill()
			run.Wait()
			begin := time.Now()
			left := marked(mark)
			for ; len(left) > 0 && time.Since(begin) < 10*time.Second; left = marked(mark) {
				time.Sleep(20 * time.Millisecond)
			}
			if len(left) > 0 {
				t.Errorf("killed after %v, %s: there are still %q", after, mark, left)
			}
			for _, pid := range left {
				exec.Command("kill", "-9", pid).Run()
			}
		})
	}
	group.Wait()
}

// marked are the processes that live with a variable in their environment.
func marked(variable string) (pids []string) {
	paths, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range paths {
		// That of a process which has ended, and nobody waits for, is empty.
		if text, err := os.ReadFile(path); err == nil && bytes.Contains(append(text, 0), append([]byte(variable), 0)) {
			pids = append(pids, filepath.Base(filepath.Dir(path)))
		}
	}
	return pids
}
