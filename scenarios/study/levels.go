package study

import (
	"fmt"

	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/ledger"
)

// LevelAccounts returns the accounts of levels of servers by their names, from the top, with the name of
// the level of clients last: of the servers of each level, and
// of the links below it. noisy is the level that adds the noise; the number of levels means that clients
// add it, or nobody does. An observer of messages with the noise alone has the loss in account a. The loss
// to an observer of vectors without the noise is infinite:
//
//	servers of level k       receive sums of level k+1        noise if k < noisy
//	links below level k      carry these sums, and models     noise if k < noisy
//
// Models have the noise in any case: a level below noisy shows none of its own. Servers that see vectors
// without noise are trusted with them, the level that adds the noise among them. level returns the level
// of a participant, with clients after the last of servers; -1 is none.
func LevelAccounts(names []string, a ledger.Account, noisy int, level func(messages.NodeID) int) (list []ledger.Account) {
	for k, name := range names[:len(names)-1] {
		server, wire := a, a
		server.Observer, wire.Observer = accountant.OfLevel(name), accountant.WireBelow(name)
		server.Links = func(_, to messages.NodeID) bool { return level(to) == k }
		wire.Links = func(from, to messages.NodeID) bool {
			above, below := min(level(from), level(to)), max(level(from), level(to))
			return above == k && below == k+1
		}
		if k >= noisy {
			bare := func(int) accountant.Loss { return accountant.NotPrivate() }
			server.Bound, wire.Bound = bare, bare
			server.Claimed, wire.Claimed = ledger.Worded("trusted"), ledger.Worded(accountant.NotPrivate().String())
			server.Why = fmt.Sprintf("a server of the level %s is trusted: it sees the messages from below without noise", name)
			wire.Why = fmt.Sprintf("the level %s sends up what has no noise: the links are to be protected by other means", names[k+1])
			if k == noisy {
				server.Why += ", and adds the noise"
			}
		}
		list = append(list, server, wire)
	}
	return list
}
