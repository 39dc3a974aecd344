package study

import (
	"fmt"
	"strings"

	"starling/mechanisms/accountant"
	"starling/scenarios/document"
	"starling/scenarios/ledger"
)

// AccountOf returns the account of an observer. The errors list the observers that have one.
func AccountOf(p *Privacy, o accountant.Observer) (*ledger.Account, error) {
	var has []string
	for i := range p.Accounts {
		if p.Accounts[i].Observer == o {
			return &p.Accounts[i], nil
		}
		has = append(has, string(p.Accounts[i].Observer))
	}
	// An observer that exists, but has no place in this algorithm, deserves another sentence
	// than a slip of the pen.
	if ledger.ObserverIndex(o) >= 0 {
		return nil, fmt.Errorf("nobody is %s in this algorithm; want one of %s", o, strings.Join(has, ", "))
	}
	return nil, fmt.Errorf("unknown observer %q%s", o, document.Suggest(string(o), has, "want one of"))
}
