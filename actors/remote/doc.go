// Package remote joins processes by links: two processes send each other messages of any
// length, each of which arrives once and in order, or the link fails and says why.
//
//	ReadIdentity, SharedIdentity   the identity of a process: a certificate, or a secret it shares
//	Start                          a node: one address that hears, and no other
//	Node.Open                      a link to the node at an address
//	Link.Send, Link.Receive        messages
//	Found                          an authority and certificates for a laboratory
//
// # Transport
//
// Frames go through Proto.Actor's remote, in which a message to an actor of another process is
// lost without a word when the connection breaks, or when a batch is larger than gRPC takes.
// So a message is cut into parts below a limit; each part has a number, is sent again until it
// is acknowledged, and is taken once. A link of which nothing was heard for Options.Silence
// has failed. So has a link if no process answers at its peer's address any more, or if its
// peer does not know it because it began anew. A Frame is a message of Protocol Buffers. It is
// generated from frame.proto by protoc 3.21.12 and protoc-gen-go 1.36.12; a test holds that it
// is current.
//
// # Safety
//
// There is no connection without mutual TLS 1.3. Where no certificates are given, both sides
// derive one from a secret, and that is for loopback alone. A caller without a certificate of
// the authority gets nothing, and is logged.
//
// Proto.Actor's remote lets a peer spawn and stop actors, list processes, and crash the
// process by a type that it does not know. A filter in front of it lets frames to the
// actor of the links pass, and nothing else; it closes the stream of a peer that sends
// anything else, and logs that.
package remote

//go:generate protoc --proto_path=../.. --go_out=../.. --go_opt=paths=source_relative actors/remote/frame.proto
