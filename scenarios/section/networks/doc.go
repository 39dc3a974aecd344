// Package networks reads the network section of a scenario: the effects on messages on their
// way. The effects themselves are in actors/network.
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
//	             form, read by package codecs
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
