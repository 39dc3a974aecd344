package problems

import (
	"fmt"

	"starling/mechanisms/accountant"
)

// lossOwners are the people whom the losses of prediction from experts are about,
// where a problem made the losses of data of theirs. What the ledger protects is
// one loss, as in the paper; what people ask is what a run says of them.
type lossOwners struct {
	Name string // of one of them
	own  int    // losses that one of them has in a run
	// computed is what the problem computed from everybody's data, without noise,
	// to make any loss; one person's data can so move all losses of a run, all.
	computed string
	all      int
}

// Text is what the decisions cost one person, by group privacy: a loss for as
// many losses as are the person's, and for all that the person's data move.
func (o *lossOwners) Text(decisions accountant.Loss) (string, error) {
	own, err := decisions.Group(o.own)
	if err != nil {
		return "", err
	}
	all, err := decisions.Group(o.all)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s for one %s's data (%s in the run) if %s were public; %s as it is, by group privacy over the %s that they move",
		bound(own), o.Name, LossCount(o.own), o.computed, bound(all), LossCount(o.all)), nil
}

// bound is a loss as a number, or that there is none.
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

// Remark is what the ledger does not account for.
func (o *lossOwners) Remark() string {
	return fmt.Sprintf("the unit is one loss, not all that a run knows of a %s: %s were computed from all %ss' data without noise, which no epsilon here covers", o.Name, o.computed, o.Name)
}
