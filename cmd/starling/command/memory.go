package command

import (
	"fmt"
	"math"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"starling/cmd/starling/command/shell"
	"starling/mechanisms/portable"
	"starling/scenarios/problem/pyproblem"
	"starling/scenarios/runner"
)

// processLimits sets the cores and the memory of the process, and names its build. Neither changes
// results: cores of 0 are all, and a limit on memory has the garbage collector collect more
// often rather than let the process grow beyond it.
func processLimits(cores int, text string) (build string, memory int64, err error) {
	if build, err = runner.BuildID(); err != nil {
		return build, 0, err
	}
	if cores < 0 {
		return build, 0, shell.Usage(fmt.Errorf("--cores %d: want at least 1, or 0 for all", cores))
	}
	if cores > 0 {
		runtime.GOMAXPROCS(cores)
	}
	if memory, err = memoryLimit(text); err != nil {
		return build, 0, err
	}
	if memory > 0 {
		debug.SetMemoryLimit(memory)
		pyproblem.LimitMemory(memory)
	}
	return build, memory, nil
}

// usualShare is the part of the machine's memory that runs may take by default. The rest is
// for the system and for memory that the garbage collector has not yet freed.
const usualShare = 0.8

// memoryLimit returns the number of bytes that runs side by side may take. This is the value
// of --memory. Without --memory it is a part of the memory of the container or else of the
// machine. 0 is no limit, where neither is known. A container comes first: a process that
// takes more than its container has is killed, however much the machine has.
func memoryLimit(text string) (int64, error) {
	if text != "" {
		return parseBytes(text)
	}
	limit, err := memlimit.ApplyRatio(memlimit.ApplyFallback(memlimit.FromCgroup, memlimit.FromSystem), usualShare)()
	if err != nil || limit == 0 || limit > math.MaxInt64 {
		return 0, nil
	}
	return int64(limit), nil
}

// amount is the form of an amount of memory.
var amount = regexp.MustCompile(`^([0-9]{1,9}(?:\.[0-9]{1,3})?) ?([KMGT]i?)?B?$`)

// parseBytes reads an amount of memory such as 8GiB, 500MB or 1073741824, and returns
// bytes. The B may be left out, as in 8Gi. A fraction of a byte is cut off.
func parseBytes(text string) (int64, error) {
	parts := amount.FindStringSubmatch(text)
	if parts == nil {
		return 0, shell.Usage(fmt.Errorf("--memory %q: want an amount such as 8GiB or 500MB", text))
	}
	value, err := strconv.ParseFloat(parts[1], 64)
	if err != nil {
		return 0, err // the form allows digits only
	}
	// KB is 1000 bytes and KiB is 1024, as the units say.
	base := 1000.0
	if len(parts[2]) == 2 {
		base = 1024
	}
	exponent := map[byte]float64{'K': 1, 'M': 2, 'G': 3, 'T': 4}
	if parts[2] != "" {
		value *= portable.Pow(base, exponent[parts[2][0]])
	}
	if value < 1 || value >= math.MaxInt64 {
		return 0, shell.Usage(fmt.Errorf("--memory %q is no amount of memory that a machine has", text))
	}
	return int64(value), nil
}
