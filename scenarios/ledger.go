package scenarios

import (
	"fmt"
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/results"
)

// account is what one observer learns of the protected units of a run, by what
// the units have paid.
type account struct {
	observer accountant.Observer
	// unit is what is protected, and neighbours which data are as good as the
	// same: the adjacency that all losses are for.
	unit, neighbours string
	claimed          string // what the paper states
	delta            float64
	by               accountant.Method
	// view is what the observer learns of a unit that has paid a loss; nil is
	// just that.
	view func(paid accountant.Loss) accountant.Loss
	why  string // it is not private, or the view is another than what was paid
}

// ledger stands before the meter of a job and keeps what every unit has paid.
type ledger struct {
	jobMeter
	paid []payment // by node
}

// payment is what a unit has paid so far.
type payment struct {
	total accountant.Loss
	last  int // step
	made  bool
}

func newLedger(m jobMeter, participants int) *ledger {
	return &ledger{jobMeter: m, paid: make([]payment, participants)}
}

// Spent implements algorithm.Meter. What the meter refuses is not paid.
func (l *ledger) Spent(node messages.NodeID, step int, loss accountant.Loss) error {
	if err := l.jobMeter.Spent(node, step, loss); err != nil {
		return err
	}
	p := &l.paid[node]
	p.total, p.last, p.made = p.total.Compose(loss), step, true
	return nil
}

// Fates implements algorithm.NetworkMeter.
func (l *ledger) Fates(step int, f algorithm.Fates) {
	if m, ok := l.jobMeter.(algorithm.NetworkMeter); ok {
		m.Fates(step, f)
	}
}

// AppendState implements jobMeter.
func (l *ledger) AppendState(dst []byte) []byte {
	for i := range l.paid {
		dst = appendPayment(dst, &l.paid[i])
	}
	return l.jobMeter.AppendState(dst)
}

// RestoreState implements jobMeter.
func (l *ledger) RestoreState(src []byte) error {
	r := messages.NewReader(src)
	for i := range l.paid {
		l.paid[i] = readPayment(r)
	}
	if r.Err() != nil {
		return fmt.Errorf("ledger: %w", r.Err())
	}
	return l.jobMeter.RestoreState(r.Rest())
}

func appendPayment(dst []byte, p *payment) []byte {
	made := byte(0)
	if p.made {
		made = 1
	}
	return messages.AppendInt(p.total.AppendBinary(append(dst, made)), p.last)
}

func readPayment(r *messages.Reader) (p payment) {
	p.made = r.Byte() != 0
	p.total = accountant.ReadLoss(r)
	p.last = r.Int()
	return p
}

// group is neighbouring units that have paid the same.
type group struct {
	first, count int // nodes
	payment
}

// groups are the units that have paid, in the order of the nodes.
func (l *ledger) groups() (list []group) {
	for node, p := range l.paid {
		if !p.made {
			continue
		}
		if n := len(list); n > 0 && list[n-1].payment == p && list[n-1].first+list[n-1].count == node {
			list[n-1].count++
			continue
		}
		list = append(list, group{node, 1, p})
	}
	return list
}

// privacyRows are a job's rows of privacy.parquet.
func (arm *Arm) privacyRows(seed uint64, groups []group) (rows []results.PrivacyRow, err error) {
	for _, a := range arm.algorithm.accounts {
		for _, g := range groups {
			loss := g.total
			if a.view != nil {
				loss = a.view(loss)
			}
			row := results.PrivacyRow{
				Arm: arm.Name, Seed: seed, Observer: string(a.observer),
				Unit: int32(g.first + arm.algorithm.firstLabel), Units: int32(g.count),
				Step: int64(g.last), Definition: string(loss.Definition()), Delta: a.delta, Rho: loss.Rho,
			}
			if row.Epsilon, err = a.epsilon(loss); err != nil {
				return nil, fmt.Errorf("%s: %w", a.observer, err)
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// epsilon is a loss at the account's delta.
func (a *account) epsilon(loss accountant.Loss) (float64, error) {
	if !loss.Private() {
		return math.Inf(1), nil
	}
	return loss.EpsilonAt(a.delta, a.by)
}

// LedgerTable is what a finished run costs the units of each arm, by observer:
// the unit that pays the most, under the seed in which it pays the most.
func LedgerTable(run *results.Run) (results.Table, error) {
	table := results.Table{Header: []string{"arm", "observer", "claimed", "accounted", "delta", "definition", "worst unit"}}
	worst := map[[2]string]results.PrivacyRow{} // by arm and observer
	err := run.Privacy(func(row results.PrivacyRow) error {
		key := [2]string{row.Arm, row.Observer}
		if before, ok := worst[key]; !ok || row.Epsilon > before.Epsilon {
			worst[key] = row
		}
		return nil
	})
	if err != nil {
		return table, err
	}
	for _, entry := range run.Manifest.Ledger {
		row, ok := worst[[2]string{entry.Arm, entry.Observer}]
		if !ok {
			continue
		}
		addObserver(&table, []string{
			entry.Arm, entry.Observer, entry.Claimed, results.FormatValue(row.Epsilon), results.FormatValue(row.Delta), row.Definition, unitsOf(row),
		})
	}
	return table, nil
}

// addObserver adds a row, or its observer to the row before where the rest is
// the same.
func addObserver(table *results.Table, row []string) {
	if n := len(table.Rows); n > 0 {
		last := table.Rows[n-1]
		if last[0] == row[0] && slices.Equal(last[2:], row[2:]) {
			last[1] += ", " + row[1]
			return
		}
	}
	table.Rows = append(table.Rows, row)
}

func unitsOf(row results.PrivacyRow) string {
	if row.Units == 1 {
		return fmt.Sprint(row.Unit)
	}
	return fmt.Sprintf("%d to %d", row.Unit, row.Unit+row.Units-1)
}

// ledgerEntries are the manifest's part of the ledger.
func (s *Scenario) ledgerEntries() (entries []results.LedgerEntry) {
	for _, arm := range s.Arms {
		for _, a := range arm.algorithm.accounts {
			entries = append(entries, results.LedgerEntry{
				Arm: arm.Name, Observer: string(a.observer), Unit: a.unit, Neighbours: a.neighbours,
				Claimed: a.claimed, Accountant: string(a.by), Remark: a.why,
			})
		}
	}
	return entries
}

// everywhere is the accounts of a run that shows all observers the same.
func everywhere(a account, observers ...accountant.Observer) []account {
	list := make([]account, len(observers))
	for i, o := range observers {
		list[i] = a
		list[i].observer = o
	}
	return slices.Clip(list)
}
