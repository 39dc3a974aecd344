package scenarios

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/messages"
)

// bill is what a plan has a participant pay in a step, by the options and the
// schedule alone. The ledger holds what the machine pays against it: a payment of
// another size fails the run at once, and one that is missing beside what the
// participant sent fails it at its end.
type bill struct {
	prices [mostPrices]price // those that are made 0 times at most are none
	// total tells that in place of prices the payments are pure, of any sizes, and
	// add up to sum.
	total bool
	sum   float64
}

// price is a payment of the same loss, made least times at least by a participant
// that sends anything in the step, and most times at most.
type price struct {
	loss        accountant.Loss
	least, most int
}

// mostPrices is how many prices a bill has at most.
const mostPrices = 2

// pays is a bill of one price.
func pays(loss accountant.Loss, least, most int) bill {
	return bill{prices: [mostPrices]price{{loss, least, most}}}
}

// paysInAll is a bill of pure payments that add up to a sum.
func paysInAll(epsilon float64) bill { return bill{total: true, sum: epsilon} }

// moment is what a bill may depend on beside participant and step.
type moment struct {
	begins   bool // the participant's first step in the run
	paid     bool // it has paid more than nothing in an earlier step
	payments int  // of more than nothing so far, those of this step included
}

// billing makes the bills of a run.
type billing func(node messages.NodeID, step int, at moment) bill

// String says what is to be paid.
func (b bill) String() string {
	if b.total {
		return fmt.Sprintf("%.6g in all", b.sum)
	}
	var list []string
	for _, p := range b.prices {
		switch {
		case p.most == 0:
		case p.least == p.most:
			list = append(list, fmt.Sprintf("%d times %s", p.most, p.loss))
		default:
			list = append(list, fmt.Sprintf("%d to %d times %s", p.least, p.most, p.loss))
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
	counts   [mostPrices]int32
	sum      float64
	begins, paid,
	sent, stopped bool
	fault *fault
}

// fault is the first difference of a participant's payments from the plan that was
// found when its step was over.
type fault struct {
	step int
	text string
}

// open begins a participant's step, once the step before is settled.
func (l *ledger) open(node messages.NodeID, step int) *dues {
	p := &l.paid[node]
	d := &p.dues
	if d.step == int32(step)+1 {
		return d
	}
	l.settle(node)
	p.dues = dues{step: int32(step) + 1, payments: d.payments, begins: d.step == 0, paid: d.payments > 0, fault: d.fault}
	return d
}

// bill is that of a participant's present step.
func (l *ledger) bill(node messages.NodeID, d *dues) bill {
	return l.bills(node, int(d.step)-1, moment{begins: d.begins, paid: d.paid, payments: int(d.payments)})
}

// charge counts a payment against the bill of its step. The error is of one that
// the bill has not.
func (l *ledger) charge(node messages.NodeID, step int, loss accountant.Loss) error {
	d := l.open(node, step)
	if loss == (accountant.Loss{}) {
		return nil
	}
	d.payments++
	b := l.bill(node, d)
	if b.total && loss == (accountant.Loss{Epsilon: loss.Epsilon, Laplace: loss.Laplace}) {
		d.sum += loss.Epsilon
		return nil
	}
	due, may := -1, -1 // prices of this size: one that has to be paid, and one that can be
	for i, p := range b.prices {
		if p.loss == loss && int(d.counts[i]) < p.least && due < 0 {
			due = i
		}
		if p.loss == loss && int(d.counts[i]) < p.most && may < 0 {
			may = i
		}
	}
	if due < 0 {
		due = may // without noise all prices are the same
	}
	if due >= 0 {
		d.counts[due]++
		return nil
	}
	return fmt.Errorf("a machine pays %s where the plan of the run has it pay %s", loss, b)
}

// show notes that a participant has sent something in a step that somebody sees.
func (l *ledger) show(node messages.NodeID, step int, mark algorithm.Mark) {
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
func (l *ledger) settle(node messages.NodeID) {
	d := &l.paid[node].dues
	if d.step == 0 || !d.sent || d.stopped {
		return
	}
	b := l.bill(node, d)
	paid := func(text string) {
		d.blame(int(d.step)-1, fmt.Sprintf("it sent what somebody sees and paid %s; the plan of the run has it pay %s", text, b))
	}
	if b.total {
		if d.sum != b.sum && !(math.Abs(d.sum-b.sum) <= slack*b.sum) {
			paid(fmt.Sprintf("%.6g in all", d.sum))
		}
		return
	}
	for i, p := range b.prices {
		if int(d.counts[i]) < p.least {
			paid(fmt.Sprintf("%d times %s", d.counts[i], p.loss))
			return
		}
	}
}

// settled compares all payments with the plan, once the run is over. The error is
// of the first difference, by step, then participant.
func (l *ledger) settled(firstLabel int) error {
	if l.bills == nil {
		return nil
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
