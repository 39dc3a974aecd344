package ledger

import (
	"fmt"
	"strings"

	"starling/mechanisms/accountant"
	"starling/messages"
)

// ExpectedPayment is the payment that a plan expects of a participant in a step, by the options and the
// schedule alone. The ledger holds the payments of the machine against it. A payment of
// another size fails the run at once. A payment that is missing although the participant sent
// something fails the run at its end.
type ExpectedPayment struct {
	Prices [MostPrices]Price // a price with Most = 0 is none
	// total means that the bill has no prices: the payments may have any sizes, are all pure
	// or all a rho, and add up to sum.
	total bool
	sum   accountant.Loss
	// Alike means that all participants with the same Moment.Begins in the step have this
	// bill, whatever the other fields of their Moments.
	Alike bool
}

// Price is a payment of one loss. A participant that sends anything in the step makes it at
// least Least and at most Most times. Raw messages of Options.Raw do not count as sent.
type Price struct {
	Loss        accountant.Loss
	Least, Most int
}

// MostPrices is the largest number of prices of a bill.
const MostPrices = 2

// Pays returns a bill of one price.
func Pays(loss accountant.Loss, least, most int) ExpectedPayment {
	return ExpectedPayment{Prices: [MostPrices]Price{{loss, least, most}}}
}

// PaysInAll returns a bill of payments that add up to a sum: pure payments to an epsilon,
// payments for Gaussian noise to a rho.
func PaysInAll(sum accountant.Loss) ExpectedPayment { return ExpectedPayment{total: true, sum: sum} }

// part returns the amount that a loss adds to the sum of a bill. ok is false for a loss of
// another kind.
func (b *ExpectedPayment) part(loss accountant.Loss) (part float64, ok bool) {
	if b.sum.Rho > 0 {
		return loss.Rho, loss == accountant.Loss{Rho: loss.Rho}
	}
	return loss.Epsilon, loss == accountant.Loss{Epsilon: loss.Epsilon, Laplace: loss.Laplace}
}

// Moment is the state of a participant on which its bill may depend, besides participant and
// step.
type Moment struct {
	Begins   bool // the participant's first step in the run
	Paid     bool // it has paid more than nothing in an earlier step
	Payments int  // of more than nothing so far, including this step
}

// Billing makes the bills of a run.
type Billing func(node messages.NodeID, step int, at Moment) ExpectedPayment

// String returns the bill in words.
func (b ExpectedPayment) String() string {
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

// dues is the state of a participant's present step: its payments against the bill, and
// whether it sent anything.
type dues struct {
	step     int32 // counted from 1; 0 before its first
	payments int32 // of more than nothing, in the whole run
	counts   [MostPrices]int32
	sum      float64
	begins, paid,
	sent, stopped bool
	// complete: all prices that are due in the step are paid.
	complete bool
	fault    *fault
}

// fault is the first difference between a participant's payments and the plan. It is found
// when the step is over.
type fault struct {
	step int
	text string
}

// covers reports whether no price of the bill is left to be paid.
func (d *dues) covers(b *ExpectedPayment) bool {
	for i := range b.Prices {
		if int(d.counts[i]) < b.Prices[i].Least {
			return false
		}
	}
	return true
}

// blame notes a fault, unless there is one already.
func (d *dues) blame(step int, text string) {
	if d.fault == nil {
		d.fault = &fault{step, text}
	}
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

// posted is a bill of one step that many participants have.
type posted struct {
	step   int32
	begins bool
	bill   ExpectedPayment
}
