package dataset

import (
	"fmt"
	"math"
	"slices"

	"starling/actors/option"
	"starling/mechanisms/rng"
)

// validateDrawn reports faults of the options of PartitionDrawn.
func (o PartitionOptions) validateDrawn() error {
	switch {
	case o.Kind != PartitionDrawn && o.Size != 0:
		return option.Errorf("size", "size is for kind %s only", PartitionDrawn)
	case o.Kind != PartitionDrawn:
		return nil
	case o.Alpha != 0 && o.Labels != 0:
		return option.Errorf("labels", "give one of labels and alpha, or neither")
	}
	return requireRange("size", o.Size, 1, math.MaxInt32)
}

// Drawn draws the data of parties that share one set of data: PartitionDrawn. The data of a party are a
// function of its key, so that none is kept, and the parties may be any number. It is immutable.
type Drawn struct {
	o      PartitionOptions
	n      int
	groups [][]int // indices of the labels that there are, each ascending
}

// NewDrawn checks the options against data with these labels.
func NewDrawn(o PartitionOptions, labels []uint8) (*Drawn, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	switch {
	case o.Kind != PartitionDrawn:
		return nil, fmt.Errorf("kind %s divides all data among parties at once", o.Kind)
	case o.Size > len(labels):
		return nil, fmt.Errorf("%d data a party, and there are %d", o.Size, len(labels))
	}
	d := &Drawn{o: o, n: len(labels)}
	for _, indices := range group(labels, ascending(len(labels))) {
		if len(indices) > 0 {
			d.groups = append(d.groups, indices)
		}
	}
	switch {
	case o.Labels > len(d.groups):
		return nil, fmt.Errorf("%d labels a party, but the data have %d", o.Labels, len(d.groups))
	case o.Labels > o.Size:
		return nil, fmt.Errorf("%d labels a party, of %d data", o.Labels, o.Size)
	}
	if o.Labels == 0 {
		return d, nil
	}
	most := (o.Size + o.Labels - 1) / o.Labels
	for _, indices := range d.groups {
		if len(indices) < most {
			return nil, fmt.Errorf("%d data of one label a party, and a label has %d", most, len(indices))
		}
	}
	return d, nil
}

// ascending returns 0 .. n-1.
func ascending(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// Of returns the indices of the data of a party from 0: Size of them, distinct and ascending.
func (d *Drawn) Of(party int, key rng.Key) []int {
	var stream, shared rng.Stream
	r := stream.Open(key, party, 0, streamDeal)
	var list []int
	switch {
	case d.o.Labels > 0:
		for k, label := range rng.Sample[int](r, len(d.groups), d.o.Labels) {
			list = d.take(list, label, d.o.Size*(k+1)/d.o.Labels-d.o.Size*k/d.o.Labels, r)
		}
	case d.o.Alpha > 0:
		shares := make([]float64, len(d.groups))
		drawShares(shares, d.o.Alpha, shared.Open(key, party, 0, streamShares))
		for label, count := range d.counts(shares, r) {
			list = d.take(list, label, count, r)
		}
	default:
		return rng.Sample[int](r, d.n, d.o.Size)
	}
	slices.Sort(list)
	return list
}

// Shuffled is Of in random order, as Shuffle of all parties has it.
func (d *Drawn) Shuffled(party int, key rng.Key) []int {
	list := d.Of(party, key)
	reorder(list, party, key)
	return list
}

// counts draws the number of data of each label: each datum has a label by the shares, among the labels with
// data that are left.
func (d *Drawn) counts(shares []float64, r *rng.Rand) []int {
	counts := make([]int, len(shares))
	for range d.o.Size {
		left := 0.0
		for label, share := range shares {
			if counts[label] < len(d.groups[label]) {
				left += share
			}
		}
		chosen, at := -1, float64(rng.Unit(r.Uint64())*left)
		for label, share := range shares {
			if counts[label] == len(d.groups[label]) {
				continue
			}
			if chosen = label; at < share {
				break
			}
			at -= share
		}
		counts[chosen]++
	}
	return counts
}

// take appends so many of the data of a label, drawn without replacement.
func (d *Drawn) take(list []int, label, count int, r *rng.Rand) []int {
	for _, k := range rng.Sample[int](r, len(d.groups[label]), count) {
		list = append(list, d.groups[label][k])
	}
	return list
}

// mostDrawn is the largest number of indices of parties that are held.
const mostDrawn = 1 << 27

// drawn has each party draw its data, where all are held.
func (p Partition) drawn(o PartitionOptions, labels []uint8, key rng.Key) error {
	if o.Size > mostDrawn/len(p) {
		return fmt.Errorf("%d parties of %d data each; want at most %d data in all", len(p), o.Size, mostDrawn)
	}
	d, err := NewDrawn(o, labels)
	if err != nil {
		return err
	}
	for i := range p {
		p[i] = d.Of(i, key)
	}
	return nil
}
