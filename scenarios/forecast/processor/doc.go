// Package processor says how long cores have worked for this process, which no package of
// the standard library does on every system. What else runs on the machine does not count.
package processor
