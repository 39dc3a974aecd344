// Package gossip plans and audits algorithms whose nodes are equals, each with costs of
// its own. Noise, what it costs, bills, accounts, metrics, notes and the audit follow
// from how far data move what the nodes release.
//
//	what an algorithm gives              what follows from it
//	Release(step): noise and moves       loss, bills, the ledger's accounts, epsilon.accounted
//	Start, Public                        what is free, at the start and after a loss of memory
//	Theta, the bound on gradients        the slope of an audit's neighbours
//	Machines(seed, noised)               the run of a study, and that of an audit
//	Shared, of noise in common           noise of a node's own, what each loses to each, audits
//	Claimed                              epsilon.claimed beside what is accounted
//
// An Algorithm is one of which only its author's part is given: options, machines, and
// that sensitivity. Equals is what a plan and an audit are made of, for a family that has
// more to say of its own.
//
// Protected are all costs of one node, over the whole run: neighbours replace them all.
// Each node makes one release a step, and pays for it before it sends it.
//
// # Audits
//
//	audit.go    an arm of few steps, nodes and its own liars, with a canary        Preparer.Audit
//	canary.go   linear costs of one node, and the signs and directions to try
//	window.go   which part of a longer run is worth an audit: where a release moves
//	            beyond what is stated, exactly, or where a node comes back; and where the
//	            noise of a few runs is other than stated
//
// The package knows no algorithm.
package gossip
