package workers_test

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"starling/actors/remote"
	"starling/scenarios/scenariotest"
	"starling/scenarios/testneeds"
	"starling/scenarios/workers"
)

// fault is what happens to a worker once so many jobs are done.
type fault struct {
	after  int64
	worker int
	// kill ends the worker and starts it again at its address after the pause; else it stands
	// still for so long.
	kill  bool
	pause time.Duration
}

// faultsOf draws a schedule: up to two faults by which workers are lost, since a run fails that
// loses one job three times, and short pauses by which none is.
func faultsOf(r *rand.Rand, jobs int64, count int, silence time.Duration) (list []fault) {
	for range 1 + r.IntN(2) {
		if r.IntN(2) == 0 {
			list = append(list, fault{kill: true, pause: time.Duration(r.Int64N(int64(silence)))})
		} else {
			list = append(list, fault{pause: silence + time.Duration(r.Int64N(int64(silence)))})
		}
	}
	for range 1 + r.IntN(4) {
		list = append(list, fault{pause: time.Duration(r.Int64N(int64(silence / 8)))})
	}
	for i := range list {
		list[i].after, list[i].worker = r.Int64N(jobs), r.IntN(count)
	}
	slices.SortStableFunc(list, func(a, b fault) int { return int(a.after - b.after) })
	return list
}

// TestRandomFaults kills and pauses workers by schedules that are drawn from seeds: the run has
// the digest and the files of one process.
func TestRandomFaults(t *testing.T) {
	testneeds.Slow(t)
	t.Parallel()
	seeds, jobs := uint64(3), int64(120)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		for _, count := range []int{2, 3} {
			t.Run(fmt.Sprintf("seed %d, %d workers", seed, count), func(t *testing.T) {
				silence := 2 * time.Second
				faults := faultsOf(rand.New(rand.NewPCG(seed, uint64(count))), jobs/2, count, silence)
				var processes []*started
				var addresses []string
				for range count {
					w := start(t, settings{})
					processes, addresses = append(processes, w), append(addresses, w.address)
				}
				file, _, load := write(t, scenariotest.Base, fmt.Sprintf("seeds.count=%d", jobs), "horizon=3000", "measure={every: 3000}")
				p, told := pool(t, file, workers.Options{Node: remote.Options{Silence: silence}, Patience: time.Minute}, addresses...)
				sameWhile(t, load, p, func(done func() int64) {
					for _, f := range faults {
						for done() < f.after {
							time.Sleep(time.Millisecond)
						}
						if done() >= jobs {
							return
						}
						t.Logf("%d jobs are done: %+v", done(), f)
						w := processes[f.worker]
						if !f.kill {
							w.Process.Signal(syscall.SIGSTOP)
							time.Sleep(f.pause)
							w.Process.Signal(syscall.SIGCONT)
							continue
						}
						w.Process.Kill()
						w.Wait()
						time.Sleep(f.pause)
						processes[f.worker] = start(t, settings{Listen: w.address})
					}
				})
				t.Logf("the user is told:\n%s", told)
			})
		}
	}
}

// TestStrangers has callers of all kinds at a worker while it makes jobs: without a
// certificate, of another secret, with bytes that mean nothing, and with nothing to say. They
// are refused and logged, and the run has the bits of one process.
func TestStrangers(t *testing.T) {
	t.Parallel()
	a, b := start(t, settings{}), start(t, settings{})
	file, _, load := write(t, scenariotest.Base, longer...)
	p, told := pool(t, file, workers.Options{}, a.address, b.address)
	other, err := remote.SharedIdentity(strings.Repeat("o", remote.LeastSecret))
	if err != nil {
		t.Fatal(err)
	}
	same(t, load, p, func() {
		for range 20 { // say nothing until the test ends
			if conn, err := net.Dial("tcp", a.address); err == nil {
				defer conn.Close()
			}
		}
		for _, text := range []string{"GET / HTTP/1.1\r\n\r\n", strings.Repeat("\x00\xff", 1<<20), "\x16\x03\x01\xff\xff" + strings.Repeat("\x01", 1<<17)} {
			if conn, err := net.Dial("tcp", a.address); err == nil {
				conn.SetDeadline(time.Now().Add(5 * time.Second))
				conn.Write([]byte(text))
				conn.Close()
			}
		}
		stranger, err := remote.Start(remote.Options{Listen: "127.0.0.1:0", Identity: other, Silence: time.Second})
		if err != nil {
			t.Error(err)
			return
		}
		defer stranger.Close()
		if _, err := stranger.Open(t.Context(), a.address); err == nil {
			t.Error("a node of another secret is answered")
		}
	})
	for _, want := range []string{"refused a caller", "first record does not look like a TLS handshake", "bad certificate"} {
		if !strings.Contains(a.said.String(), want) {
			t.Errorf("the worker does not say %q:\n%s", want, a.said)
		}
	}
	if text := told.String(); text != "" {
		t.Errorf("the user is told %q", text)
	}
}

// relay passes the bytes of connections to an address on, with a delay, until it is cut: then
// connections stay open and nothing comes through.
type relay struct {
	net.Listener
	cut chan struct{}
}

func newRelay(t *testing.T, to string, delay time.Duration) *relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{l, make(chan struct{})}
	var group sync.WaitGroup
	ended := make(chan struct{})
	t.Cleanup(func() { l.Close(); close(ended); group.Wait() })
	pass := func(to, from net.Conn) {
		defer to.Close()
		buffer := make([]byte, 1<<16)
		for {
			n, err := from.Read(buffer)
			time.Sleep(delay)
			select {
			case <-r.cut:
				<-ended
				return
			default:
			}
			if _, failed := to.Write(buffer[:n]); err != nil || failed != nil {
				return
			}
		}
	}
	group.Go(func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", to)
			if err != nil {
				near.Close()
				continue
			}
			group.Go(func() { pass(far, near) })
			group.Go(func() { pass(near, far) })
			group.Go(func() { <-ended; near.Close(); far.Close() })
		}
	})
	return r
}

// TestHalfOpenConnections cuts the way to a worker without a word: both ends still have their
// connections. The worker is lost within the silence that is stated, and others do its jobs.
func TestHalfOpenConnections(t *testing.T) {
	t.Parallel()
	a, b := start(t, settings{Silence: time.Second}), start(t, settings{})
	file, _, load := write(t, scenariotest.Base, longer...)
	r := newRelay(t, a.address, 0)
	p, told := pool(t, file, workers.Options{Node: remote.Options{Silence: time.Second}}, r.Addr().String(), b.address)
	same(t, load, p, func() { close(r.cut) })
	if text := told.String(); !strings.Contains(text, r.Addr().String()) || !strings.Contains(text, "is lost") {
		t.Errorf("the user is told %q", text)
	}
}

// TestDelayedWorkers has workers at the end of a way that takes a while.
func TestDelayedWorkers(t *testing.T) {
	t.Parallel()
	a, b := start(t, settings{}), start(t, settings{})
	file, _, load := write(t, scenariotest.Base, longer...)
	far := newRelay(t, b.address, 20*time.Millisecond)
	p, _ := pool(t, file, workers.Options{}, newRelay(t, a.address, 5*time.Millisecond).Addr().String(), far.Addr().String())
	same(t, load, p, nil)
}

// TestNetworkThatLosesPackets has a worker in a network namespace of its own, behind a way
// with delay and loss.
func TestNetworkThatLosesPackets(t *testing.T) {
	near, far := netns(t, "delay", "5ms", "2ms", "loss", "2%", "duplicate", "1%")
	authority := filepath.Join(t.TempDir(), "authority")
	if _, err := remote.Found(authority, []string{near, far}); err != nil {
		t.Fatal(err)
	}
	a := startBy(t, settings{Listen: far + ":0", Authority: authority, Host: far}, "ip", "netns", "exec", namespace)
	b := start(t, settings{Listen: near + ":0", Authority: authority, Host: near})
	file, _, load := write(t, scenariotest.Base, longer...)
	ours := settings{Authority: authority, Host: near}.identity()
	p, _ := pool(t, file, workers.Options{Node: remote.Options{Listen: near + ":0", Identity: ours}}, a.address, b.address)
	same(t, load, p, nil)
}

// namespace is the network namespace of a test.
var namespace = fmt.Sprintf("starling-test-%d", os.Getpid())

// netns makes a network namespace with a way to it that tc's netem impairs, and returns the
// addresses of both ends. It skips where the machine does not allow it.
func netns(t *testing.T, impaired ...string) (near, far string) {
	t.Helper()
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		t.Skip("network namespaces need Linux and its administrator")
	}
	command := func(words ...string) {
		t.Helper()
		if output, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
			t.Skipf("this machine does not allow %q: %v: %s", strings.Join(words, " "), err, output)
		}
	}
	device := fmt.Sprintf("st%d", os.Getpid()%100000)
	near, far = "198.18.77.1", "198.18.77.2" // for tests of networks, by RFC 2544
	command("ip", "netns", "add", namespace)
	t.Cleanup(func() { exec.Command("ip", "netns", "del", namespace).Run() })
	command("ip", "link", "add", device+"a", "type", "veth", "peer", "name", device+"b")
	t.Cleanup(func() { exec.Command("ip", "link", "del", device+"a").Run() })
	command("ip", "link", "set", device+"b", "netns", namespace)
	command("ip", "addr", "add", near+"/30", "dev", device+"a")
	command("ip", "link", "set", device+"a", "up")
	command("ip", "-n", namespace, "addr", "add", far+"/30", "dev", device+"b")
	command("ip", "-n", namespace, "link", "set", device+"b", "up")
	command("ip", "-n", namespace, "link", "set", "lo", "up")
	if len(impaired) > 0 {
		command(append([]string{"tc", "qdisc", "add", "dev", device + "a", "root", "netem"}, impaired...)...)
		command(append([]string{"ip", "netns", "exec", namespace, "tc", "qdisc", "add", "dev", device + "b", "root", "netem"}, impaired...)...)
	}
	return near, far
}
