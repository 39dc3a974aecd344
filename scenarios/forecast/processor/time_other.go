//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package processor

import "time"

var began = time.Now()

// Time is the time on the clock, where nothing tells how much of it cores have worked for
// this process: right on one core of an idle machine.
func Time() time.Duration { return time.Since(began) }
