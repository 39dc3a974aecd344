package problems

import (
	"slices"
	"sort"

	"starling/scenarios/cache"
	"starling/scenarios/gauge"
	"starling/scenarios/study"
)

// Pooled returns the corpus with the data of so many clients in one place. It has one client,
// with the data of the clients in their order.
func (c *Corpus) Pooled(clients int) *Corpus {
	one := *c
	one.Accuracies, one.OwnFresh, one.OwnValidation = false, false, false // of all data in one place
	pool := func(draw func(uint64, int) (*Divided, error)) func(uint64, int) (*Divided, error) {
		if draw == nil {
			return nil
		}
		return func(seed uint64, _ int) (*Divided, error) {
			divided, err := draw(seed, clients)
			if err != nil {
				return nil, err
			}
			in := *divided
			if divided.Own != nil {
				in.Own = &gauge.OwnData{Loss: func(_ int, x []float64) (float64, error) { return divided.Loss(x) }}
			}
			if in.Clients = []Samples{divided.Together}; divided.Together == nil {
				in.Clients = []Samples{newPooled(divided.Clients)}
			}
			return &in, nil
		}
	}
	one.Draw, one.Public = pool(c.Draw), pool(c.Public)
	if c.Needs != nil {
		one.Needs = func(seed uint64, _ int) []cache.Need { return c.Needs(seed, clients) }
	}
	if c.Shares != nil {
		one.Shares = func(seed uint64, _ int) []study.Note { return c.Shares(seed, clients) }
	}
	return &one
}

// pooled are the samples of several clients, one after the other.
type pooled struct {
	parts []Samples
	ends  []int // by part: the index after its last sample
}

func newPooled(parts []Samples) *pooled {
	p := &pooled{parts: parts}
	size := 0
	for _, part := range parts {
		size += part.Size()
		p.ends = append(p.ends, size)
	}
	return p
}

// Size implements Samples.
func (p *pooled) Size() int { return p.ends[len(p.ends)-1] }

// each calls use with the samples of each part that has any, in the order of the parts.
// samples ascend.
func (p *pooled) each(samples []int, use func(part Samples, own []int)) {
	first := 0
	for i, part := range p.parts {
		n := sort.SearchInts(samples, p.ends[i])
		if n > 0 {
			own := slices.Clone(samples[:n])
			for k := range own {
				own[k] -= first
			}
			use(part, own)
		}
		samples, first = samples[n:], p.ends[i]
	}
}

// SumClipped implements Samples.
func (p *pooled) SumClipped(dst, params []float64, samples []int, clip float64) (clipped int) {
	clear(dst)
	sum := make([]float64, len(dst))
	p.each(samples, func(part Samples, own []int) {
		clipped += part.SumClipped(sum, params, own, clip)
		for k, v := range sum {
			dst[k] += v
		}
	})
	return clipped
}

// SumLossChanges implements Samples.
func (p *pooled) SumLossChanges(from, to []float64, samples []int, bound float64) (sum float64) {
	p.each(samples, func(part Samples, own []int) { sum += part.SumLossChanges(from, to, own, bound) })
	return sum
}
