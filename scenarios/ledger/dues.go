package ledger

import (
	"fmt"
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/messages"
)

// open begins a participant's step, once the step before is settled.
func (l *Ledger) open(node messages.NodeID, step int) *dues {
	p := &l.paid[node]
	d := &p.dues
	if d.step == int32(step)+1 {
		return d
	}
	l.settle(node)
	d.begins, d.paid = d.step == 0, d.payments > 0
	d.step, d.counts, d.sum = int32(step)+1, [MostPrices]int32{}, 0
	d.sent, d.stopped, d.complete = false, false, false
	return d
}

// bill returns the bill of a participant's present step, read only. A bill that others do not
// share is written to own.
func (l *Ledger) bill(node messages.NodeID, d *dues, own *ExpectedPayment) *ExpectedPayment {
	// The bills of two steps are kept: parts of a run can be a step ahead of others.
	at := &l.posted[d.step%2]
	if p := at.Load(); p != nil && p.step == d.step && p.begins == d.begins {
		return &p.bill
	}
	*own = l.Bills(node, int(d.step)-1, Moment{Begins: d.begins, Paid: d.paid, Payments: int(d.payments)})
	if own.Alike {
		at.Store(&posted{d.step, d.begins, *own})
	}
	return own
}

// charge counts a payment against the bill of its step. It returns an error if the bill has no
// such payment.
func (l *Ledger) charge(node messages.NodeID, step int, loss accountant.Loss) error {
	d := l.open(node, step)
	if loss == (accountant.Loss{}) {
		return nil
	}
	d.payments++
	var own ExpectedPayment
	b := l.bill(node, d, &own)
	if b.total {
		if part, ok := b.part(loss); ok {
			d.sum += part
			return nil
		}
	}
	due, may := -1, -1 // prices of this size: one that has to be paid, and one that can be
	for i := range b.Prices {
		p, paid := &b.Prices[i], int(d.counts[i])
		if paid >= max(p.Least, p.Most) || p.Loss != loss {
			continue
		}
		if paid < p.Least && due < 0 {
			due = i
		}
		if paid < p.Most && may < 0 {
			may = i
		}
	}
	if due < 0 {
		due = may // without noise all prices are the same
	}
	if due >= 0 {
		d.counts[due]++
		d.complete = d.covers(b)
		return nil
	}
	return fmt.Errorf("a machine pays %s where the plan of the run has it pay %s", loss, *b)
}

// show notes that a participant has sent something in a step that an observer sees. Raw
// messages beside releases do not count: payer.shown has them.
func (l *Ledger) show(node messages.NodeID, step int, mark *algorithm.Mark) {
	d := l.open(node, step)
	d.sent = d.sent || !l.raw || mark.Exposure() != messages.Raw
	if reason := mark.Reason(); reason != "" && !slices.Contains(l.reasons, reason) {
		d.blame(step, fmt.Sprintf("its message is marked as public because %q, which is no reason of this algorithm", reason))
	}
}

// settle compares a participant's payments in its present step with the bill. A participant
// that stopped in the step could not pay all of it, and is passed over.
func (l *Ledger) settle(node messages.NodeID) {
	d := &l.paid[node].dues
	if d.step == 0 || !d.sent || d.stopped || d.complete {
		return
	}
	var own ExpectedPayment
	b := l.bill(node, d, &own)
	paid := func(text string) {
		d.blame(int(d.step)-1, fmt.Sprintf("it sent a message that somebody sees and paid %s; the plan of the run has it pay %s", text, *b))
	}
	if b.total {
		if due, _ := b.part(b.sum); d.sum != due && !(math.Abs(d.sum-due) <= slack*due) {
			paid(fmt.Sprintf("%.6g in all", d.sum))
		}
		return
	}
	for i, p := range b.Prices {
		if int(d.counts[i]) < p.Least {
			paid(fmt.Sprintf("%d times %s", d.counts[i], p.Loss))
			return
		}
	}
}

// Settled compares all payments with the plan, once the run is over, and raw messages with the
// budget. The error is of the first difference, by step, then participant.
func (l *Ledger) Settled(firstLabel int) error {
	if l.Bills == nil {
		return nil
	}
	l.partAll()
	if l.raw && l.budget != nil && l.budget.account.Observer != "" {
		l.blameRaw(l.budget.account.Observer)
	}
	var first *fault
	var who int
	for i := range l.paid {
		l.settle(messages.NodeID(i))
		if f := l.paid[i].dues.fault; f != nil && (first == nil || f.step < first.step) {
			first, who = f, i
		}
	}
	if first == nil {
		return nil
	}
	return fmt.Errorf("step %d, node %d: %s", first.step, who+firstLabel, first.text)
}

// blameRaw blames the participants that have sent raw messages to the observer of a budget.
func (l *Ledger) blameRaw(observer accountant.Observer) {
	for i := range l.paid {
		if first := l.paid[i].shown[ObserverIndex(observer)]; first > 0 {
			l.paid[i].dues.blame(int(first)-1, fmt.Sprintf("it sent raw data to %s, the observer of the budget: no epsilon bounds that", observer))
		}
	}
}

// slack allows for the rounding of a sum of many payments.
const slack = 1e-9
