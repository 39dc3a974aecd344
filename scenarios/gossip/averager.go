package gossip

import (
	"starling/actors/algorithm"
	"starling/actors/algorithm/inbox"
	"starling/actors/topology"
	"starling/messages"
)

// The reasons why the messages of servers cost nothing beside the releases in them.
const (
	MeanOfReleases algorithm.Reason = "a server's mean is made of releases that nodes have paid for"
	MeanOfPublic   algorithm.Reason = "a server's mean is made of public vectors alone"
)

// AverageReasons lists the reasons that these machines give.
func AverageReasons() []algorithm.Reason { return []algorithm.Reason{MeanOfReleases, MeanOfPublic} }

// NewAverages returns the machines of the servers that nodes average through, in their order:
// participants from N on. They are edge servers of clusters and the cloud above them. Nodes send
// vectors as long as the start of the rule, by which they hear. It is the mean: without Combine
// and running sums. A server makes the mean of the
// vectors from below by the rule of the nodes and returns it. It has no model, makes no release and
// pays nothing: all that it sends follows from the releases that it heard.
//
//	hop  step of edge servers         step of the cloud
//	0    nodes send                   nodes send
//	1    edge servers return means    edge servers send means up
//	2                                 the cloud returns the mean of all
//	3                                 edge servers pass it on
//
// The cloud weighs the mean of a cluster by its part of the nodes, so that it is the mean of all nodes
// and no mean of means. Means are sums in the order of the senders, as in every inbox. Where vectors
// are missing, because nodes have ended their part or a network loses messages, each server applies
// the rule by itself: an edge server for the vectors of nodes, the cloud for the means of clusters.
// With m_a of m vectors there, and w their weights of 1/m each (m/N at the cloud),
//
//	drop         sum of w x over those that arrived: missing ones count as 0
//	renormalise  the same over m_a/m: the mean of those that arrived, with 1/m_a each
//	hold         sum of w x, with the last that arrived of those that are missing
//
// and push-sum divides the sum by the mass that arrived with it. A server that hears nobody says
// nothing.
func NewAverages(of *topology.Servers, rule *inbox.Rule) []algorithm.Machine {
	own := *rule
	own.Accumulates, own.KeepsOwn = false, false // servers owe nothing, and have nothing of their own
	list := make([]algorithm.Machine, 0, of.Clusters()+1)
	for k := range of.Clusters() {
		first, end := of.Cluster(k)
		list = append(list, &averager{Inbox: inbox.NewInbox(&own), first: first, end: end, above: of.Cloud()})
	}
	return append(list, &averager{Inbox: inbox.NewInbox(&own), first: of.Edge(0), end: of.Cloud(), above: nothingAbove})
}

// nothingAbove is above the cloud.
const nothingAbove messages.NodeID = -1

// averager is the machine of a server. It averages below a server above, if there is one in the step.
type averager struct {
	inbox.Inbox
	first, end messages.NodeID // below it: first .. end-1
	above      messages.NodeID
}

// State implements algorithm.Machine.
func (s *averager) State(c *messages.Codec) { s.Keep(c) }

// Step implements algorithm.Machine.
func (s *averager) Step(t *algorithm.Turn) error {
	if len(t.Inbox) == 0 {
		return nil
	}
	mark := s.mark(t)
	v := t.Vector(len(s.Rule().Start))
	if t.Inbox[0].From == s.above {
		copy(v.Values, t.Inbox[0].Payload.(*messages.Vector).Values)
		return s.down(t, v, mark)
	}
	if err := t.ReceiveFrom(&s.Inbox, v.Values, s.first, s.end); err != nil {
		return err
	}
	s.Restate(v.Values)
	if s.above != nothingAbove && t.View.CanSend(s.above) {
		return t.Send(s.above, v, mark)
	}
	return s.down(t, v, mark)
}

// down sends a vector to each participant below that hears the server.
func (s *averager) down(t *algorithm.Turn, v *messages.Vector, mark algorithm.Mark) error {
	for _, to := range t.View.Out() {
		if to == s.above {
			continue
		}
		if err := t.Send(to, v, mark); err != nil {
			return err
		}
	}
	return nil
}

// mark says why a vector that is made of the messages of a turn shows no more than these.
func (s *averager) mark(t *algorithm.Turn) algorithm.Mark {
	for i := range t.Inbox {
		if t.Inbox[i].Payload.Kind().Exposure() != messages.Public {
			return t.Follows(MeanOfReleases)
		}
	}
	return algorithm.Public(MeanOfPublic)
}
