// Package topologies reads the topology section of a scenario into graphs by seed. The
// graphs themselves are those of actors/topology.
package topologies
