// Package spread has what of a run crosses between processes, as bytes: a run whose shards
// are in several processes (package engine) leaves the bits of one process.
//
//	Pack, Unpack     what the participants of a shard sent in a turn
//	Relay, Replay    what meters are told
//	Keeper           what meters take in where participants are, and hand over
//	Part             the states of a process's participants, at a pause and at the end
//	Wires            how the processes reach each other
//
// # Who has what
//
// Every process makes all machines of the run from the scenario, and graphs, network and
// placement, which are functions of the scenario too. It steps the machines of its own
// shards. One process more has no shards: it has the coordinator, the meter that counts, and
// the machines that the others' states are read into. So what it saves at a pause, and what
// it leaves at the end, is what a run in one process saves and leaves.
//
// The package moves nothing, and knows no actors.
package spread
