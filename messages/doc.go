// Package messages holds what travels between participants: identities,
// envelopes and the payload types of each protocol with their wire form.
//
// It is the lowest layer of the project. It knows nothing of networks,
// algorithms or actors, and it moves nothing: delivery is the business of
// actors/network.
package messages
