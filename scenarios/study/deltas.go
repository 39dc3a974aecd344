package study

import (
	"math"
	"slices"

	"starling/scenarios/document"
	"starling/scenarios/ledger"
	"starling/scenarios/personal"
)

// DeltasOf returns the delta at which the losses of each unit are stated, from 0; nil where all have one.
// A unit has the delta of its group of the budget; else the one of the budget; else the delta of its group of the
// mechanism; and else base. The site has no section. The error has all faults, each at its place.
func DeltasOf(at personal.Site, f *File, doc *document.Document, base float64) (list []float64, err error) {
	var found Faults
	take := func(path string) {
		section, ok := doc.Find(path)
		if !ok || section.Kind() != document.Mapping {
			return
		}
		at.Section = section
		deltas, err := personal.DeltasOf(at)
		if !found.Note(err) || deltas == nil {
			return
		}
		if list == nil {
			list = slices.Repeat([]float64{base}, at.Nodes)
		}
		for unit, delta := range deltas {
			if delta > 0 {
				list[unit] = delta
			}
		}
	}
	switch b := f.Budget; {
	case b == nil || b.Delta == 0:
		take("mechanism")
	default:
		base = b.Delta
	}
	if f.Budget != nil {
		take("budget")
	}
	return list, found.Err()
}

// OwnDeltas returns the accounts of an arm with the deltas of its units, where units have their own. The
// extent, the privacy and the graphs of the arm are known, and its budgets are not. A claim of one epsilon
// says nothing of losses at several deltas.
func OwnDeltas(b *Builder, arm *Arm, doc *document.Document) ([]ledger.Account, error) {
	accounts := arm.Privacy.Accounts
	if len(accounts) == 0 {
		return accounts, nil
	}
	deltas, err := DeltasOf(arm.Site(b), &arm.File, doc, accounts[0].Delta)
	if deltas == nil || err != nil {
		return accounts, err
	}
	budget := arm.File.Budget
	switch {
	case arm.Privacy.Together && !(budget != nil && budget.Groups.Any()): // OwnBudgets refuses its groups
		return accounts, document.At("mechanism.groups", "a server adds the noise, and pays for all clients at once: they have one delta")
	case budget.Limits() && budget.On != ledger.BudgetStop:
		return accounts, document.At("budget.on", "nodes have deltas of their own, and this compares one loss of all with the budget: want on: %s, or budget.delta, which is of all", ledger.BudgetStop)
	}
	own := &ledger.OwnDeltas{Deltas: deltas}
	if arm.Extent.Server {
		own.First = 1
	}
	accounts = slices.Clone(accounts)
	for i := range accounts {
		a := &accounts[i]
		a.Own, a.Delta = own, slices.Max(deltas)
		if !math.IsNaN(a.Claimed.Epsilon) {
			a.Claimed = ledger.Worded("each unit its epsilon at its own delta")
		}
	}
	return accounts, nil
}

// RefuseDeltas returns an error if groups of the mechanism state deltas of their own, and the reason why
// they cannot.
func RefuseDeltas(doc *document.Document, why string) error {
	section, ok := doc.Find("mechanism")
	if !ok {
		return nil
	}
	node, ok := section.Get("groups")
	if !ok || node.Kind() == document.Null {
		return nil
	}
	var g personal.Groups
	if err := g.DecodeNode(node); err != nil {
		return err
	}
	return section.Resolve(g.RefuseDeltas(why))
}
