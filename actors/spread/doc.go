// Package spread has the parts of a run that cross between processes, as bytes: a run with
// shards in several processes (package engine) leaves the bits of one process.
//
//	Pack, Unpack     the messages of the participants of a shard in a turn
//	Relay, Replay    calls to meters
//	Keeper           the results that meters keep beside participants, and hand over
//	Part             the states of a process's participants, at a pause and at the end
//	Wires            how the processes reach each other
//
// # The parts of each process
//
// Every process makes all machines of the run from the scenario, and graphs, network and
// placement, which are functions of the scenario too. It steps the machines of its own shards.
// One process more has no shards: it has the coordinator, the meter that counts, and the
// machines that the others' states are read into. So it saves at a pause, and leaves at the
// end, the same as a run in one process.
//
// The package moves nothing, and knows no actors.
package spread
