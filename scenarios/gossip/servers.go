package gossip

import (
	"starling/actors/algorithm"
	"starling/actors/algorithm/inbox"
	"starling/actors/network"
	"starling/mechanisms/accountant"
	"starling/mechanisms/robust"
	"starling/messages"
	"starling/scenarios/cache"
	"starling/scenarios/document"
	"starling/scenarios/ledger"
	"starling/scenarios/section/topologies"
	"starling/scenarios/study"
)

// Nodes of a topology with servers average through these in some steps: see topology.Servers. The
// weights are those of the mean in any case, so that a run has the decisions of nodes that hear each
// other, up to rounding. The servers are participants after the nodes.
//
// A node pays for a release as in other steps, and the loss of a unit to any observer is at most its
// payments:
//
//	wire         hears every release as it is
//	edge server  hears the releases of its cluster in steps of servers as they are, and others in means;
//	             Equals.reaches
//	cloud        hears means of clusters; Equals.reaches
//	peer         hears the releases of neighbours in other steps, and here the mean alone
//
// Effects of a network go by the step (network.ByStep), on each link on the way:
//
//	lost, or late, on the way to a server   it is in no mean; those that arrived are (NewAverages)
//	a server that is down                   it hears nobody in the step, and returns nothing
//	an answer that is lost                  the node goes on from its own last release, or from
//	                                        an earlier answer, with hold (inbox.Rule.KeepsOwn)
//	an answer that is late                  the node takes it when it comes, by algorithm.late
//
// All of this is a function of the releases that were made, and of a network that depends on no data,
// so it costs nothing. A release is paid for as it is made, before it is known whether it is
// lost: the wire hears it in any case, and so would all that the link leads to.
//
// Means are post-processing of the releases in them (Dwork, Roth, The Algorithmic Foundations of
// Differential Privacy, 2014, Proposition 2.1), and so is all that nodes make of them. Each release
// is differentially private given all earlier ones, so the payments of releases add up for an
// observer that is given all releases; every observer above sees a function of these. In a mean
// the noise of other nodes hides a release further. This does not count: peers may tell each other
// their noise, and a coalition of all others of a cluster subtracts their releases from the mean and
// has the release as it is. So peers are charged as if they heard each release of the mean.

// above is the number of servers that the nodes average through.
func (e *Equals) above() int {
	if e.Silent || e.Nodes.Topology == nil {
		return 0
	}
	return e.Nodes.Topology.Above
}

// isServer reports whether a participant is such a server.
func (e *Equals) isServer(p messages.NodeID) bool { return int(p) >= e.File.Nodes }

// serve adds the servers to a run of the nodes, with graphs under a seed.
func (e *Equals) serve(run *algorithm.Run, seed uint64) error {
	if e.above() == 0 {
		return nil
	}
	servers, err := e.Nodes.Topology.Servers(seed)
	if err != nil {
		return err
	}
	run.Graphs, run.Hops, run.Acts = servers.Links(run.Graphs), servers.Hops, servers.Acts
	run.Machines = append(run.Machines, NewAverages(servers, e.Rule(seed))...)
	return nil
}

// overseen adds the servers to the accounts of the nodes.
func (e *Equals) overseen(p *study.Privacy) {
	if e.above() == 0 {
		return
	}
	p.Reasons = append(p.Reasons, AverageReasons()...)
	servers, err := e.Nodes.Topology.Servers(e.File.Seeds.Base) // places depend on no seed
	if err != nil {
		return // the job of the seed has the error
	}
	levels := topologies.ClusterLevels
	accounts := study.LevelAccounts(levels, p.Accounts[0], len(levels)-1, servers.Level)
	for level := range levels[:len(levels)-1] {
		reached := e.reaches(level)
		for _, a := range []*ledger.Account{&accounts[2*level], &accounts[2*level+1]} { // servers, and links below them
			a.Worth, a.Why = reached, reachedWhy
		}
	}
	p.Servers = study.Servers{Above: servers.Above, Accounts: accounts}
}

// reachedWhy describes the view of the servers of a level.
const reachedWhy = "releases count up to the last step in which the level hears anything, for all of them are in what it hears then"

// reaches returns the losses to the servers of a level of topologies.ClusterLevels, and to the links
// below it, by the payments of nodes. Let L be the last step of the level up to the horizon: of the
// cloud for the cloud, and of edge servers or the cloud for edge servers.
//
// All that the level hears up to L, at edge servers vectors and at the cloud means of them, is a
// function of the releases of all nodes up to L, and it hears nothing after. So by
// post-processing it learns at most the payments for these, and those for later ones count
// nothing. No smaller part of the payments is a bound. A release that the level does not hear
// itself, because its step is of neighbours alone, is in the next decisions of those that hear
// it, and so in their vectors of the next step of servers: of two steps with gradients g_1
// and g_2 the second vector shows both. Lost and late messages bring less to the level, and the bound
// holds.
//
// Whether something of a release comes to the level is known when it is made, by the schedule, and so
// it counts from its own step on. A row of a step between two exchanges counts the
// releases that the second brings.
func (e *Equals) reaches(level int) *ledger.Worth {
	last := cache.NewRecent[uint64, int](reachedSeeds)
	until := func(seed uint64) int { return last.Get(seed, func() int { return e.lastOf(level, seed) }) }
	return &ledger.Worth{
		Of: func(seed uint64, node messages.NodeID, step int, paid accountant.Loss) accountant.Loss {
			switch {
			case step > until(seed):
				return accountant.Loss{}
			case e.outside != nil:
				return e.outside.Of(seed, node, step, paid)
			}
			return paid
		},
		Most: func(step int, paid accountant.Loss) accountant.Loss {
			if e.outside != nil {
				return e.outside.Most(step, paid)
			}
			return paid // another seed may have a later exchange
		},
	}
}

// reachedSeeds is the number of seeds of which last exchanges are kept: as many as run beside each other.
const reachedSeeds = 64

// lastOf returns the last step of a level, from 1, under a seed; 0 is none.
func (e *Equals) lastOf(level int, seed uint64) int {
	servers, err := e.Nodes.Topology.Servers(seed)
	if err != nil {
		return e.File.Horizon // the job of the seed has the error
	}
	for step := e.File.Horizon; step > 0; step-- {
		if servers.Meets(level, step-1) {
			return step
		}
	}
	return 0
}

// Awaits reports whether nodes of an arm wait for the mean of a server that may not come; see
// inbox.Rule.KeepsOwn.
func Awaits(arm *study.Arm, plan *topologies.Plan) bool {
	return plan.Serves() && arm.Effects != nil
}

// byStep returns a network with a turn for each step: the network of a run, or the one by which the
// steps of a run with servers go.
func byStep(of algorithm.Network) algorithm.Network {
	if stepped, ok := of.(*network.ByStep); ok {
		return stepped.Steps()
	}
	return of
}

// Served returns the faults of an arm with nodes that average through servers. A plan without servers
// has none, and so has nil. combine is the rule of Combining.
func (c *Common) Served(arm *study.Arm, plan *topologies.Plan, combine robust.Rule) error {
	if !plan.Serves() {
		return nil
	}
	var found study.Faults
	if combine != nil {
		found.At("algorithm.combine", "servers return the mean of the vectors that they receive, and a rule would have one vector to choose from; want mean")
	}
	if m := &arm.File.Measure; plan.Loose && (m.Observers != nil || m.Pairs) {
		found.At("measure", "losses to single nodes are computed from the weights of means, which are too many for so many nodes; leave observers and pairs out, or take at most 8,192 nodes")
	}
	if c.Missing == inbox.MissingRunningSum {
		found.At("algorithm.missing", "sums run along the link of two nodes, and servers of the topology are on the way; want another rule than running-sum")
	}
	return found.Err()
}

// apart returns the fault of an algorithm that cannot average through servers, where there are such.
func (p *parts[O]) apart() error {
	plan := p.nodes.Topology
	switch {
	case !plan.Serves():
		return nil
	case plan.Loose && (p.Shared != nil || p.Algorithm.Learns != nil):
		return document.At("topology.kind", "losses to observers in the algorithm %s are computed from the weights of means, which are too many for so many nodes; want at most 8,192", p.Name)
	case p.Apart == "":
		return nil
	}
	return document.At("topology.kind", "nodes average through servers in steps of edge and cloud, and nodes of the algorithm %s do not: %s", p.Name, p.Apart)
}
