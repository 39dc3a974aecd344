package ledger

import (
	"fmt"
	"strings"

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
// that sends anything in the step, but for raw messages of Options.Raw, and most times at
// most.
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

// covers tells whether no price of the bill is left to be paid.
func (d *dues) covers(b *Bill) bool {
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
	bill   Bill
}
