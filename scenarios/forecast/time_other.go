//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package forecast

import "time"

var processBegan = time.Now()

// ProcessorTime returns the time on the clock, on systems that do not report the time that
// cores have worked for this process. It is right on one core of an idle machine.
func ProcessorTime() time.Duration { return time.Since(processBegan) }
