// Package algorithmtest is what the tests of algorithms share: transcripts that
// are kept word for word, and runs that must leave the same bits on every
// runtime, from every pause on and from every state. It is for tests only, and
// above the runtimes; what the tests of the runtimes themselves share is in
// runtimetest.
package algorithmtest
