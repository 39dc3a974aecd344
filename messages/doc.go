// Package messages holds the messages between participants: identities, envelopes, and
// payloads with their wire form. A Codec goes through the fields of everything that is written
// as bytes: payloads, and the states of machines, meters and mechanisms.
//
//	a machine's Step
//	   |  Payload: a Vector, marked Raw, Released or Public
//	   v
//	Outbox       one for each participant and turn: a broadcast, and messages to single nodes
//	   |  Seal
//	   v
//	Envelope     a message at its receiver: sender, order, turn, weight, payload
//	   |  for a receiver that only sums: folded by blocks of 64 senders
//	   v
//	Blocks
//
// A payload is immutable once sent and is shared by pointer: nothing is copied on the
// way, whatever the number of receivers.
//
// The package is the lowest layer of the project. It knows nothing of networks,
// algorithms or actors, and it moves nothing: delivery is the business of actors/network.
package messages
