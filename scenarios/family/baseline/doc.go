// Package baseline has the algorithms that serve as baselines of all others.
//
//	dsgd      decentralised gradient descent: nodes average with their neighbours
//	          (Nedic, Ozdaglar, IEEE Transactions on Automatic Control 2009)
//	sgp       the same by push-sum, on directed graphs (Assran, Loizou, Ballas, Rabbat 2019)
//	local     each node alone, on its own costs
//
// Baselines with a server, fedavg and central, are in package dpfl, since its machines run
// them.
//
// All take one step in the costs of a step, as they are met: the gradient is taken at
// the decision that was played.
package baseline
