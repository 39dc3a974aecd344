// Package processor measures the time for which cores have worked for this process, which no
// package of the standard library does on every system. Other processes on the machine do not
// count.
package processor
