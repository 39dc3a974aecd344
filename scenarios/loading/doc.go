// Package loading reads scenario files: what they extend, overrides, sweeps, and the
// JSON Schema of the format. It hands what it has read to package study, which builds it.
package loading
