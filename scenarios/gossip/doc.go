// Package gossip plans and audits algorithms whose nodes are equals, each with costs of
// its own. Noise, what it costs, bills, accounts, metrics, notes and the audit follow
// from how far data move what the nodes release.
//
// An Algorithm is one of which only its author's part is given: options, machines, and
// that sensitivity. Equals is what a plan and an audit are made of, for a family that
// has more to say of its own.
//
// The package knows no algorithm.
package gossip
