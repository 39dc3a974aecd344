// Package messages holds what travels between participants: identities,
// envelopes and the payload types of each protocol with their wire form. A Codec
// goes through the fields of whatever is written as bytes: payloads, and the
// states of machines, meters and mechanisms.
//
// It is the lowest layer of the project. It knows nothing of networks,
// algorithms or actors, and it moves nothing: delivery is the business of
// actors/network.
package messages
