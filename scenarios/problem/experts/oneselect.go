package experts

import (
	"errors"

	"starling/actors/option"
	"starling/mechanisms/portable"
)

// KindOneSelect names the adversary of OneSelectOptions.
const KindOneSelect = "one-select"

// OneSelectOptions describe the second half of Theorem 2, which rests on selecting
// one column of a data set: Algorithm 6 passes the records of a data set of 1-Select to an
// algorithm for prediction from experts, one a step, and takes its last decision. Here every
// client gets the same records. The data sets are from the packing argument behind Lemma 11:
// telling records are 1 in all columns except a hidden one, where they are 0. All other
// records are 0. The telling records come last, where they are worth the most to the
// adversary.
type OneSelectOptions struct {
	// Records is the number of telling records, at least 1; records beyond the horizon do not
	// exist. The adversary is hardest for log d/(2 eps) of them.
	Records int `yaml:"records,required" unit:"records" range:"at least 1" doc:"number of records, at the end of the run, in which every expert but a hidden one loses; log d/(2 eps) of them are hardest"`
	// Expert is the hidden column, from 1; 0, the default, draws it for each seed.
	Expert int `yaml:"expert" unit:"expert number" range:"1 to the number of experts" doc:"the expert that is best, from 1; absent, drawn for each seed"`
}

// NewOneSelect returns the adversary for a number of clients and experts.
func NewOneSelect(o OneSelectOptions, clients, experts int) (*Adversary, error) {
	errs := []error{requireParties(KindOneSelect, clients, experts), requireExpert("expert", o.Expert, experts)}
	if o.Records < 1 {
		errs = append(errs, option.Errorf("records", "is %d, want at least 1", o.Records))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return lossesAtTheEnd(KindOneSelect, clients, experts, o.Records, o.Expert), nil
}

// lossesAtTheEnd returns the adversary with losses of 0 until the last hard steps, in which
// all experts except one lose 1: the given one, or one that is drawn for each seed.
func lossesAtTheEnd(kind string, clients, experts, hard, expert int) *Adversary {
	return vectors(kind, clients, experts, 1, func(seed uint64, horizon int) fill {
		good, quiet := hidden(expert, seed, experts)-1, horizon-hard
		return func(dst []float64, _, step int) {
			loss := 0.0
			if step > quiet {
				loss = 1
			}
			for n := range dst {
				dst[n] = loss
			}
			dst[good] = 0
		}
	})
}

// SelectionRegret returns a lower bound on the regret of any algorithm, on average over the
// hidden experts, if its decisions cost a pure epsilon for each telling record that it gets:
//
//	sum_{i=0}^{records-1} (1 - min(1, e^(i epsilon)/d)).
//
// At the telling step after i others the weight of the hidden expert in the decision
// is at most e^(i epsilon) times its weight where no record is telling (group privacy), and
// there the weights of all d experts sum to 1. Where a record reaches m clients, and each has
// it as a loss of its own, epsilon is m times the epsilon of one loss.
func SelectionRegret(experts, records int, epsilon float64) (regret float64) {
	if records > 0 {
		regret = 1 - 1/float64(experts) // nothing is known yet
	}
	for i := 1; i < records; i++ {
		found := portable.Exp(float64(i)*epsilon) / float64(experts)
		if found >= 1 {
			break
		}
		regret += 1 - found
	}
	return regret
}
