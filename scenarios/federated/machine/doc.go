// Package machine is the machines of a server and its clients in rounds, around the parts that
// the author of an algorithm describes: who hears and says what, clipping, sums, and noise where
// package aggregation says so. It is not what is planned, priced or audited of them.
//
//	author.go      the parts of an author, and what they meet
//	steps.go       local steps of a client, for those who describe clients
//	change.go      the client that sends how far local steps took it
//	client.go      the machine of a client
//	server.go      the machine of a server that needs the sum of a round alone
//	listener.go    the server that looks at every vector, as some may be lies
//	buffer.go      the server that waits for a number of vectors, and its keys
//	canary.go      what audits put in place of what a client sends
//	assemble.go    the machines of a run
package machine
