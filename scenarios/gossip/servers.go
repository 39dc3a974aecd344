package gossip

import (
	"starling/actors/algorithm"
	"starling/actors/algorithm/averager"
	"starling/actors/algorithm/inbox"
	"starling/mechanisms/robust"
	"starling/messages"
	"starling/scenarios/document"
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
//	edge server  hears the releases of its cluster in steps of servers as they are, and others in means
//	cloud        hears means of clusters
//	peer         hears the releases of neighbours in other steps, and here the mean alone
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
	run.Machines = append(run.Machines, averager.New(servers, e.Rule(seed))...)
	return nil
}

// overseen adds the servers to the accounts of the nodes.
func (e *Equals) overseen(p *study.Privacy) {
	if e.above() == 0 {
		return
	}
	p.Reasons = append(p.Reasons, averager.Reasons()...)
	servers, err := e.Nodes.Topology.Servers(e.File.Seeds.Base) // places depend on no seed
	if err != nil {
		return // the job of the seed has the error
	}
	levels := topologies.ClusterLevels
	p.Servers = study.Servers{
		Above:    servers.Above,
		Accounts: study.LevelAccounts(levels, p.Accounts[0], len(levels)-1, servers.Level),
	}
}

// Served returns the faults of an arm with nodes that average through servers. A plan without servers
// has none, and so has nil. combine is the rule of Combining.
func (c *Common) Served(arm *study.Arm, plan *topologies.Plan, combine robust.Rule) error {
	if plan == nil || plan.Above == 0 {
		return nil
	}
	var found study.Faults
	if arm.Effects != nil {
		found.At("network.kind", "nodes and links fail by the step, and a vector takes two or four hops by way of servers in a step of the topology's edge and cloud; want ideal")
	}
	if combine != nil {
		found.At("algorithm.combine", "servers return the mean of what they hear, and a rule would have one vector to choose from; want mean")
	}
	if c.Missing == inbox.MissingRunningSum {
		found.At("algorithm.missing", "sums run along the link of two nodes, and servers of the topology are on the way; want another rule than running-sum")
	}
	return found.Err()
}

// apart returns the fault of an algorithm that cannot average through servers, where there are such.
func (p *parts[O]) apart() error {
	if plan := p.nodes.Topology; p.Apart == "" || plan == nil || plan.Above == 0 {
		return nil
	}
	return document.At("topology.kind", "nodes average through servers in steps of edge and cloud, and nodes of the algorithm %s do not: %s", p.Name, p.Apart)
}
