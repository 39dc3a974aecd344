// Package robust has rules that make one vector of several, some of which may be lies: in
// place of a mean, which one lie can move by any distance.
//
//	Median          every coordinate on its own       Yin, Chen, Ramchandran, Bartlett, ICML 2018
//	TrimmedMean     the same, its ends cut off        arXiv 1803.01498, Definitions 1 and 2
//	Krum            the vector with the nearest       Blanchard, El Mhamdi, Guerraoui, Stainer,
//	                others, one of those given        NeurIPS 2017, section 4
//	ClippedGossip   the weighted mean, no vector      He, Karimireddy, Jaggi, arXiv 2202.01545,
//	                further from the node's own       Algorithm 1
//
// A rule is a pure function of the vectors: it keeps nothing, draws nothing, and knows neither
// messages nor the liars. Sums are in the order of the vectors, or of their sorted entries.
package robust
