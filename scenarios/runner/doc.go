// Package runner runs scenarios: jobs, checkpoints, results folders, estimates of time
// and memory, replays of a few steps, and the reproduction of the library's claims.
package runner
