// Package gossip plans algorithms whose nodes are equals, from what only the author
// of one knows: its options, its machines, and how far data move what it releases.
// Noise, what it costs, bills, accounts, metrics, notes and the audit follow from
// these.
//
// It knows no algorithm. DPDO-NC has a plan of its own, for the claims of its paper.
package gossip
