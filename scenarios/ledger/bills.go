package ledger

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/messages"
)

// Bill is what a plan has a participant pay in a step, by the options and the
// schedule alone. The ledger holds what the machine pays against it: a payment of
// another size fails the run at once, and one that is missing beside what the
// participant sent fails it at its end.
type Bill struct {
	Prices [MostPrices]Price // those that are made 0 times at most are none
	// total tells that in place of prices the payments are of any sizes, all pure or
	// all a rho, and add up to sum.
	total bool
	sum   accountant.Loss
	// Alike tells that all participants whose step has the same Moment.Begins have this
	// bill in the step, whatever else their Moments say.
	Alike bool
}

// Price is a payment of the same loss, made least times at least by a participant
// that sends anything in the step, and most times at most.
type Price struct {
	Loss        accountant.Loss
	Least, Most int
}

// MostPrices is how many prices a bill has at most.
const MostPrices = 2

// Pays is a bill of one price.
func Pays(loss accountant.Loss, least, most int) Bill {
	return Bill{Prices: [MostPrices]Price{{loss, least, most}}}
}

// PaysInAll is a bill of payments that add up to a sum: pure ones to an epsilon, those of
// Gaussian noise to a rho.
func PaysInAll(sum accountant.Loss) Bill { return Bill{total: true, sum: sum} }

// part is what a loss adds to the sum of a bill; ok is false of a loss of another kind.
func (b *Bill) part(loss accountant.Loss) (part float64, ok bool) {
	if b.sum.Rho > 0 {
		return loss.Rho, loss == accountant.Loss{Rho: loss.Rho}
	}
	return loss.Epsilon, loss == accountant.Loss{Epsilon: loss.Epsilon, Laplace: loss.Laplace}
}

// Moment is what a bill may depend on beside participant and step.
type Moment struct {
	Begins   bool // the participant's first step in the run
	Paid     bool // it has paid more than nothing in an earlier step
	Payments int  // of more than nothing so far, those of this step included
}

// Billing makes the bills of a run.
type Billing func(node messages.NodeID, step int, at Moment) Bill

// String says what is to be paid.
func (b Bill) String() string {
	if b.total {
		return b.sum.String() + " in all"
	}
	var list []string
	for _, p := range b.Prices {
		switch {
		case p.Most == 0:
		case p.Least == p.Most:
			list = append(list, fmt.Sprintf("%d times %s", p.Most, p.Loss))
		default:
			list = append(list, fmt.Sprintf("%d to %d times %s", p.Least, p.Most, p.Loss))
		}
	}
	if len(list) == 0 {
		return "nothing"
	}
	return strings.Join(list, " and ")
}

// dues is what a participant has paid of the bill of its present step, and sent.
type dues struct {
	step     int32 // counted from 1; 0 before its first
	payments int32 // of more than nothing, in the whole run
	counts   [MostPrices]int32
	sum      float64
	begins, paid,
	sent, stopped bool
	// complete tells that what is due in the step is paid, by prices.
	complete bool
	fault    *fault
}

// fault is the first difference of a participant's payments from the plan that was
// found when its step was over.
type fault struct {
	step int
	text string
}

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

// posted is a bill of one step that many participants have.
type posted struct {
	step   int32
	begins bool
	bill   Bill
}

// bill is that of a participant's present step, read only. What no others have is
// written to own.
func (l *Ledger) bill(node messages.NodeID, d *dues, own *Bill) *Bill {
	// Those of two steps are kept: parts of a run can be a step ahead of others.
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

// charge counts a payment against the bill of its step. The error is of one that
// the bill has not.
func (l *Ledger) charge(node messages.NodeID, step int, loss accountant.Loss) error {
	d := l.open(node, step)
	if loss == (accountant.Loss{}) {
		return nil
	}
	d.payments++
	var own Bill
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

// covers tells whether no price of the bill is left to be paid.
func (d *dues) covers(b *Bill) bool {
	for i := range b.Prices {
		if int(d.counts[i]) < b.Prices[i].Least {
			return false
		}
	}
	return true
}

// show notes that a participant has sent something in a step that somebody sees.
func (l *Ledger) show(node messages.NodeID, step int, mark *algorithm.Mark) {
	d := l.open(node, step)
	d.sent = true
	if reason := mark.Reason(); reason != "" && !slices.Contains(l.reasons, reason) {
		d.blame(step, fmt.Sprintf("what it sent is said to show nothing because %q, which is no reason of this algorithm", reason))
	}
}

// blame notes a fault, unless there is one already.
func (d *dues) blame(step int, text string) {
	if d.fault == nil {
		d.fault = &fault{step, text}
	}
}

// slack allows for the rounding of a sum of many payments.
const slack = 1e-9

// settle compares a participant's payments in its present step with the bill. Who
// stopped in the step could not pay all of it.
func (l *Ledger) settle(node messages.NodeID) {
	d := &l.paid[node].dues
	if d.step == 0 || !d.sent || d.stopped || d.complete {
		return
	}
	var own Bill
	b := l.bill(node, d, &own)
	paid := func(text string) {
		d.blame(int(d.step)-1, fmt.Sprintf("it sent what somebody sees and paid %s; the plan of the run has it pay %s", text, *b))
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

// Settled compares all payments with the plan, once the run is over. The error is
// of the first difference, by step, then participant.
func (l *Ledger) Settled(firstLabel int) error {
	if l.Bills == nil {
		return nil
	}
	l.partAll()
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

func (d *dues) state(c *messages.Codec) {
	c.Int32("step of the bill", &d.step)
	c.Int32("payments", &d.payments)
	messages.Each(c, "count", d.counts[:], func(v *int32) { c.Int32("", v) })
	c.Float("sum", &d.sum)
	c.Bool("begins", &d.begins)
	c.Bool("paid", &d.paid)
	c.Bool("sent", &d.sent)
	c.Bool("stopped", &d.stopped)
	messages.Optional(c, "fault", &d.fault, func(f *fault) {
		c.Int("step", &f.step)
		c.Text("text", &f.text)
	})
}
