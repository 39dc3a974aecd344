// Package testneeds skips tests without the things that they need: time, as audits of every scenario and
// repetitions at length of shorter tests have it, which are kept out of the usual run, and
// Python with numpy. It is for tests alone, and it knows none of them.
package testneeds
