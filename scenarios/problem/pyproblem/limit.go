package pyproblem

import (
	"fmt"
	"runtime/metrics"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// taken has the children of this process, and the limit of their memory together with it.
var taken struct {
	mu       sync.Mutex
	limit    int64 // 0 means none
	children map[*process]bool
	looked   time.Time
}

// LimitMemory sets the largest number of bytes that this process and the children of all
// programs may take together; 0 means no limit. It is a limit of the whole process, like the
// limit of the garbage collector, and counts for children that are started after it. The
// system refuses more memory to a single child, where it can, and the child's code gets a
// MemoryError. Where all together take more, a child that takes the most is ended, and the
// error of its call says so. Processes that a child forks are limited one by one.
func LimitMemory(bytes int64) {
	taken.mu.Lock()
	defer taken.mu.Unlock()
	taken.limit = bytes
}

// mostMemory returns the limit.
func mostMemory() int64 {
	taken.mu.Lock()
	defer taken.mu.Unlock()
	return taken.limit
}

// enter adds a child to the watched children; leave removes it.
func (p *process) enter() {
	taken.mu.Lock()
	defer taken.mu.Unlock()
	if taken.children == nil {
		taken.children = map[*process]bool{}
	}
	taken.children[p] = true
}

func (p *process) leave() {
	taken.mu.Lock()
	defer taken.mu.Unlock()
	delete(taken.children, p)
}

// watchMemory checks the memory of all again and again until stop is called: children take
// more during calls.
func watchMemory() (stop func()) {
	if mostMemory() == 0 {
		return func() {}
	}
	var stopped atomic.Bool
	var look func()
	look = func() {
		if stopped.Load() {
			return
		}
		if p := tooLarge(); p != nil {
			p.kill()
		}
		time.AfterFunc(lookTime, look)
	}
	time.AfterFunc(lookTime, look)
	return func() { stopped.Store(true) }
}

// tooLarge returns the child that takes the most, if all together take too much. It returns
// nil otherwise, or where another call has just checked.
func tooLarge() (largest *process) {
	taken.mu.Lock()
	defer taken.mu.Unlock()
	if time.Since(taken.looked) < lookTime/2 {
		return nil
	}
	taken.looked = time.Now()
	all, most := heap(), int64(0)
	for p := range taken.children {
		size := resident(p.command.Process.Pid)
		if all += size; size > most {
			largest, most = p, size
		}
	}
	if taken.limit == 0 || all <= taken.limit {
		return nil
	}
	text := fmt.Sprintf("all processes together took %s of memory, and may take %s (--memory); it took the most, %s, and was ended", mebibytes(all), mebibytes(taken.limit), mebibytes(most))
	largest.over.Store(&text)
	delete(taken.children, largest)
	return largest
}

// mebibytes returns a number of bytes for people.
func mebibytes(bytes int64) string { return strconv.FormatInt(bytes>>20, 10) + " MiB" }

// heap returns the number of bytes that this process uses.
func heap() int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
