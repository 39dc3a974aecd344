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
// Packet and Item, which the processes send each other, are messages of Protocol Buffers. They
// are generated from spread.proto by protoc 3.21.12 and protoc-gen-go 1.36.12; a test holds
// that they are current.
//
// The package moves nothing, and knows no actors.
package spread

//go:generate protoc --proto_path=../.. --go_out=../.. --go_opt=paths=source_relative actors/spread/spread.proto
