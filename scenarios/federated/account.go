package federated

import (
	"fmt"
	"slices"

	"starling/mechanisms/accountant"
	"starling/scenarios/federated/aggregation"
	"starling/scenarios/ledger"
	"starling/scenarios/study"
)

// neighbours describes two runs that are to look alike.
func (p *plan) neighbours() string {
	switch {
	case p.at.Record:
		return "one sample of one client added or removed"
	case p.zeroed():
		return "the vectors of one client, or zeros in their place"
	}
	return "a client added or removed"
}

// zeroed reports whether neighbours differ in the vectors of a client, and not in its being there:
// where others depend on its being there. In a secret cohort another client takes its place.
func (p *plan) zeroed() bool {
	of := &p.common.Participation
	return p.buffer != nil || p.at.Sharing != nil || of.ChecksIn() || of.Cohort != nil && !(of.Secret() && p.mechanism.Subsampled())
}

// unit names the unit of protection.
func (p *plan) unit() string {
	switch {
	case p.at.Record:
		return "a sample of a client"
	case p.zeroed():
		return "all that a client sends"
	}
	return "a client with all of its data"
}

// protects returns the extent of the unit.
func (p *plan) protects() ledger.Protected {
	if p.at.Record {
		return ledger.ProtectsRecord
	}
	return ledger.ProtectsParticipant
}

// changed describes two runs that are to look alike, by the mechanism's relation.
func (p *plan) changed() string {
	switch s := p.at.Sharing; {
	case s != nil && s.Private() && s.Kind == aggregation.Shuffle:
		return aggregation.AnyOthers
	case p.mechanism.Neighbours == accountant.Replace:
		return p.unit() + " replaced"
	}
	return p.neighbours()
}

// account returns the accounts of observers. Where servers are trusted, they and the wire see the
// vectors of clients; a server above them sees what they release.
func (p *plan) account() []ledger.Account {
	a := ledger.Account{
		Unit: p.unit(), Protects: p.protects(), Neighbours: p.changed(), Relation: p.mechanism.Neighbours, Converted: p.converted(), PaidFor: p.neighbours(),
		Claimed: p.claim(), Delta: p.mechanism.Delta, By: p.mechanism.Accountant,
		Chance: p.common.Participation.Partial() || p.at.Steps.Stragglers.Drops() || p.arm.Adversaries.Silent(),
	}
	if p.at.Record {
		return ledger.Everywhere(a, accountant.Observers()...)
	}
	if p.at.Sharing != nil && p.at.Sharing.Private() {
		return p.at.Sharing.Accounts(a)
	}
	seen := a
	seen.Claimed = ledger.Worded(accountant.NotPrivate().String())
	seen.Bound = func(int) accountant.Loss { return accountant.NotPrivate() }
	if p.tiers != nil && p.tiers.Noise > 0 {
		seen.Why = fmt.Sprintf("clients send what they have computed as it is: servers of the level %s are trusted with it, and the wire below them is to be protected by other means", p.tiers.Names[p.tiers.Noise])
		return slices.Concat(ledger.Everywhere(a, accountant.Server, accountant.Peer, accountant.Public), ledger.Everywhere(seen, accountant.Wire))
	}
	seen.Why = "clients send what they have computed as it is: the server is trusted, and the wire is to be protected by other means"
	return slices.Concat(ledger.Everywhere(a, accountant.Peer, accountant.Public), ledger.Everywhere(seen, accountant.Server, accountant.Wire))
}

// levels returns the accounts of levels of servers. Noise of clients is in all messages; noise of a level
// is in messages between it and the levels above.
func (p *plan) levels(accounts []ledger.Account) []ledger.Account {
	noisy := p.tiers.Levels()
	if p.private() && !p.at.Record {
		noisy = p.tiers.Noise
	}
	return study.LevelAccounts(p.tiers.Names, accounts[0], noisy, p.tiers.Level)
}

// claim states the epsilon of the noise's calibration and its neighbours, or else the paper's
// claim.
func (p *plan) claim() ledger.Claim {
	if !p.private() {
		return ledger.Worded(accountant.NotPrivate().String())
	}
	if p.claimed != nil {
		if text := p.claimed(p.at); text != "" {
			return ledger.Worded(text)
		}
	}
	epsilon, err := p.stated(p.total())
	if err != nil {
		return ledger.Worded(err.Error())
	}
	return ledger.Claim{Text: fmt.Sprintf("%.6g at delta %.6g, for %s", epsilon, p.mechanism.Delta, p.changed()), Epsilon: epsilon, Delta: p.mechanism.Delta}
}

// converted reports whether payments are for data that are added or removed, where the account
// is for data that are replaced. Payments for shuffled batches are for replaced data.
func (p *plan) converted() bool {
	return p.mechanism.Neighbours == accountant.Replace && !(p.at.Sharing != nil && p.at.Sharing.Kind == aggregation.Shuffle)
}
