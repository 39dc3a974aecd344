// Package runtimetest is what the tests of both runtimes share: a machine that
// uses everything a turn offers, graphs of every sort, and a meter that writes
// down what it is told. It is for tests only.
package runtimetest
