// Package gossip plans and audits algorithms with nodes without a server, each with costs of
// its own. Noise, losses, bills, accounts, metrics, notes and the audit follow from the
// sensitivity: how far data move the releases of nodes.
//
//	part of an algorithm                 consequences
//	Release(step): noise and moves       loss, bills, the ledger's accounts, epsilon.accounted
//	Start, Public                        free messages, at the start and after a loss of memory
//	Theta, the bound on gradients        the slope of an audit's neighbours
//	Machines(seed, noised)               the run of a study, and of an audit
//	Shared, of noise in common           a node's own noise, its loss to each other node, audits
//	Claimed                              epsilon.claimed, next to epsilon.accounted
//
// An Algorithm is given by its author's part alone: options, machines, and the sensitivity.
// Equals is the input of a plan and an audit, for a family that sets more than an Algorithm can.
//
// The unit of protection is all costs of one node, over the whole run: neighbours replace them
// all. Each node makes one release a step, and pays for it before it sends it.
//
// Nodes may average through servers (NewAverages), which have no costs and make no release.
//
// # Audits
//
//	audit.go    an arm of few steps, nodes and its own liars, with a canary        Preparer.Audit
//	canary.go   linear costs of one node, and the signs and directions to try
//	window.go   the part of a longer run that is worth an audit: where a release moves
//	            beyond the stated distance, exactly, or where a node comes back; and where
//	            the noise of a few runs differs from the stated noise
//
// The package knows no algorithm.
package gossip
