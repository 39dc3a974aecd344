// Package networks reads the network section of a scenario: what becomes of messages on
// their way. The effects themselves are those of actors/network.
package networks
