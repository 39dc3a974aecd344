// Package algorithmtest holds the shared parts of the tests of algorithms: transcripts that
// are kept word for word, and runs that must leave the same bits on every runtime, from every
// pause on and from every state.
//
//	CheckTranscript   testdata/NAME.txt, line by line; -update rewrites it
//	CheckRuntimes     lockstep and actors, with several numbers of shards
//	CheckResumes      a run that pauses, and one that goes on from each pause
//	CheckReborn       machines that are restored before every turn
//
// A transcript is the best explanation of an algorithm that there is: the messages, decisions
// and payments of each node in each turn, in numbers that can be checked by hand. The packages
// of the algorithms say which line is which equation.
//
// The package is for tests only, and above the runtimes; the shared parts of the tests of the
// runtimes themselves are in runtimetest.
package algorithmtest
