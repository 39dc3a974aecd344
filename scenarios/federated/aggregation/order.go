package aggregation

// order is a uniform order of the numbers 0 .. n-1 of which only the first are asked for: the shuffle of Fisher
// and Yates, in memory that goes with the numbers asked for. It is used again for the next order.
type order struct {
	places []place // a power of two of them, at most half of which the current order uses
	used   int
	number uint32 // of the current order, from 1
}

// place has the number at a place of an order, where that is not the number of the place.
type place struct {
	order  uint32
	at, is int32
}

// leastPlaces is the number of places that an order begins with.
const leastPlaces = 1 << 10

// begin begins another order: the places of those before are free.
func (o *order) begin() {
	o.used = 0
	if o.number++; o.number == 0 || o.places == nil { // places of 2^32 orders ago would look like new ones
		o.number, o.places = 1, make([]place, leastPlaces)
	}
}

// next returns the number at place i, which is drawn from the places i .. n-1: it stands at place j. Calls have
// i = 0, 1, ..., and numbers are less than 2^31.
func (o *order) next(i, j int) int {
	if 2*(o.used+1) > len(o.places) {
		o.grow()
	}
	last := int32(i)
	if p := o.find(last); p.order == o.number {
		last = p.is
	}
	p := o.find(int32(j))
	drawn := int32(j)
	if p.order == o.number {
		drawn = p.is
	} else {
		o.used++
	}
	*p = place{o.number, int32(j), last}
	return int(drawn)
}

// find returns the entry of a place, or the free one in which it would be.
func (o *order) find(at int32) *place {
	const golden = 0x9e3779b97f4a7c15 // 2^64 over the golden ratio: hashes of places in a row are far apart
	mask := len(o.places) - 1
	for k := int(uint64(at)*golden>>32) & mask; ; k = (k + 1) & mask {
		if p := &o.places[k]; p.order != o.number || p.at == at {
			return p
		}
	}
}

// grow doubles the number of entries.
func (o *order) grow() {
	before := o.places
	o.places = make([]place, 2*len(before))
	for _, p := range before {
		if p.order == o.number {
			*o.find(p.at) = p
		}
	}
}
