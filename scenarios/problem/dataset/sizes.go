package dataset

import (
	"fmt"
	"math"
	"slices"

	"starling/actors/option"
	"starling/mechanisms/portable"
)

// mostExponent is the largest Exponent.
const mostExponent = 100.0

// validateSizes reports faults of the options of PartitionSizes.
func (o PartitionOptions) validateSizes() (errs []error) {
	given := o.Sizes != nil || o.Exponent != nil
	switch {
	case o.Kind != PartitionSizes && given:
		return append(errs, option.Errorf("sizes", "sizes and exponent are for kind %s only", PartitionSizes))
	case o.Kind == PartitionSizes && (o.Sizes != nil) == (o.Exponent != nil):
		return append(errs, option.Errorf("sizes", "give one of sizes and exponent"))
	}
	for i, size := range o.Sizes {
		if !(size > 0) || math.IsInf(size, 1) {
			errs = append(errs, option.Errorf("sizes", "size %v of party %d; want a finite number above 0", size, i+1))
		}
	}
	if o.Exponent != nil && !(*o.Exponent >= 0 && *o.Exponent <= mostExponent) {
		errs = append(errs, option.Errorf("exponent", "exponent %v; want 0 to %v", *o.Exponent, mostExponent))
	}
	return errs
}

// sizes cuts the data in an order by the shares of parties.
func (p Partition) sizes(o PartitionOptions, order []int) error {
	shares := slices.Clone(o.Sizes)
	if o.Exponent != nil {
		shares = make([]float64, len(p))
		for i := range shares {
			shares[i] = portable.Pow(float64(i+1), -*o.Exponent)
		}
	}
	if len(shares) != len(p) {
		return fmt.Errorf("%d sizes for %d parties", len(shares), len(p))
	}
	largest, all := slices.Max(shares), 0.0 // relative to the largest the sum does not overflow
	for i := range shares {
		shares[i] /= largest
		all += shares[i]
	}
	for i := range shares {
		shares[i] /= all
	}
	begin := 0
	for i, end := range cut(shares, len(order), make([]int, len(p))) {
		p[i] = append(p[i], order[begin:end]...)
		begin = end
	}
	return nil
}
