package problems

import (
	"fmt"

	"starling/mechanisms/accountant"
)

// LossOwners describes the people that the losses of prediction from experts are about, where
// a problem made the losses from data of people. The ledger protects one loss, as in the
// paper. People ask for more: how much a run shows of one of them.
type LossOwners struct {
	Name string // of one person, such as user
	Own  int    // losses of one person in a run
	// Computed names the quantities that the problem computed from everybody's data, without
	// noise, to make any loss. One person's data can therefore move all losses of a run; All
	// is their number.
	Computed string
	All      int
}

// Text describes the privacy loss of one person through the decisions, by group privacy: for
// the person's own losses, and for all losses that the person's data move.
func (o *LossOwners) Text(decisions accountant.Loss) (string, error) {
	own, err := decisions.Group(o.Own)
	if err != nil {
		return "", err
	}
	all, err := decisions.Group(o.All)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s for one %s's data (%s in the run) if %s were public; %s as it is, by group privacy over the %s that they move",
		bound(own), o.Name, LossCount(o.Own), o.Computed, bound(all), LossCount(o.All)), nil
}

// bound returns a privacy loss as a number, or the text of a loss that is not private.
func bound(l accountant.Loss) string {
	if !l.Private() {
		return l.String()
	}
	return LossText(l)
}

// LossCount returns n losses in words: "1 loss", "2 losses".
func LossCount(n int) string {
	if n == 1 {
		return "1 loss"
	}
	return fmt.Sprintf("%d losses", n)
}

// Remark describes the part that the ledger does not account for.
func (o *LossOwners) Remark() string {
	return fmt.Sprintf("the unit is one loss, not all that a run knows of a %s: %s were computed from all %ss' data without noise, which no epsilon here covers", o.Name, o.Computed, o.Name)
}
