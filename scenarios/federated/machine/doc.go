// Package machine is the machines of a server and its clients in rounds, around the parts that
// the author of an algorithm describes: messages, clipping, sums, and noise by package aggregation.
// It does not plan, price or audit them.
//
//	author.go      the parts of an author, and their inputs
//	steps.go       local steps of a client, for authors of clients
//	change.go      the client that sends the change of the model by its local steps
//	client.go      the machine of a client
//	seats.go       participants that clients of a large population take in turn
//	server.go      the machine of a server that needs the sum of a round alone
//	listener.go    the server that looks at every vector, as some may be lies
//	buffer.go      the server that waits for a number of vectors, and its keys
//	clock.go       the seconds of rounds
//	arrivals.go    clients that work at their own pace, and their server
//	canary.go      the vectors of audits in place of a client's own
//	assemble.go    the machines of a run
package machine
