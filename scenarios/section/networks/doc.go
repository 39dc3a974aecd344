// Package networks reads the network section of a scenario: what becomes of messages on
// their way. The effects themselves are those of actors/network.
//
//	key          effect                              package network
//	delay        constant, uniform, geometric, table Constant, Uniform, Geometric, Table
//	loss         independent, or in bursts           Independent, Bursty
//	bandwidth    bytes an edge carries in a turn     Bandwidth
//	patience     turns a message waits for one down  Options.Patience
//	churn        nodes go down and come back         Churn
//	events       partition, crash, join, straggle    Partition, Outage, Straggling
//
// Files count nodes as the paper does and times in steps; package network counts both
// from 0, and times in turns. The conversion is here, and nowhere else.
package networks
