// Package networks reads the sections of a scenario that change messages between nodes: the
// network with its codecs, the adversaries, and the rule against their lies. It has no effect,
// codec, attack or rule itself, and the laws of the clock.
//
//	section      of                                            itself in
//	network      effects on messages on their way              actors/network
//	compression  codecs, which compress vectors on wires       messages/compression
//	adversaries  nodes that lie, and their lies; AttackPlan    actors/algorithm
//	             is the checked section, Attackers are the
//	             nodes that are named or drawn
//	clock        laws of the seconds of rounds: speeds, the     here: Speeds, Presence and Traces,
//	             protocol of clients that check in, and when    as functions of seed and client
//	             they are there
//	combine      rules that combine received vectors, some of  mechanisms/robust
//	             which may be lies
//
// Effects of a network:
//
//	key          effect                              package network
//	delay        constant, uniform, geometric, table Constant, Uniform, Geometric, Table
//	loss         independent, or in bursts           Independent, Bursty
//	bandwidth    bytes an edge carries in a turn     Bandwidth
//	patience     turns a message waits for one down  Options.Patience
//	churn        nodes go down and come back         Churn
//	events       partition, crash, join, straggle    Partition, Outage, Straggling
//	precision    vectors cross wires as float32      algorithm.Encoding
//	compression  vectors cross wires in a codec's    algorithm.Encoding
//	             form, which BuildCodec reads
//
// Files count nodes as the paper does and times in steps; package network counts both
// from 0, and times in turns. The conversion is here, and nowhere else.
//
// # From a section to a network
//
//	section of the file
//	     |  Build                 decodes, checks, reads CSV files; all seeds alike
//	     v
//	Plan                          the facts by which an algorithm accepts or refuses it
//	     |  Plan.Build(run, seed) steps become turns, by the schedule of the run
//	     v
//	algorithm.Network             delays and losses of one run, drawn from its seed
//
// A step is one turn of gossip, and several turns of federated algorithms, where clients and
// server take turns. So the same file has other turns under another algorithm, and a network
// can be built only when the schedule of the run is known. Nodes that average through servers
// have several turns in some steps, and effects by the step: Site.BySteps.
package networks
