// Package rng derives every random number of a run from keyed streams: a stream for each
// (seed, purpose, node, step, hop).
//
//	seed, purpose  --NewKey-->  Key  --Open(node, step, hop)-->  *Rand
//	                            Key  --Bits(node, step, hop)-->  64 bits, without a stream
//
// A stream depends on its key alone. The order in which streams are opened or read
// therefore cannot change a result, and any shard can draw any participant's numbers:
// this is what makes runs equal to the last bit on one worker and on many, after a
// checkpoint, and under another runtime. A new use of randomness gets a purpose of its
// own and never shifts the numbers of an old use.
//
// The package is no cryptographic generator and must not protect anybody's data.
package rng

import "math/rand/v2"

// Purpose separates the streams of different uses under one seed. Derive it
// with PurposeOf from a fixed name, so that a new use never shifts an old one.
type Purpose uint64

// PurposeOf hashes a name to a purpose (64-bit FNV-1a).
func PurposeOf(name string) Purpose {
	h := uint64(14695981039346656037)
	for i := 0; i < len(name); i++ {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	return Purpose(h)
}

// Of returns the purpose of the same use for one of several things that are told apart
// by name, such as one of the mechanisms that an audit samples.
func (p Purpose) Of(name string) Purpose {
	return Purpose(mix(uint64(p) ^ mix(uint64(PurposeOf(name)))))
}

// Again returns the purpose of the same use once more where a stream was opened
// before, so many times, under one key. The first time, 0, has the purpose itself.
func (p Purpose) Again(times int) Purpose {
	if times == 0 {
		return p
	}
	return Purpose(mix(uint64(p) + mix(uint64(times))))
}

// mix is the finalizer of SplitMix64 (Steele, Lea, Flood 2014), a bijection
// whose every output bit depends on every input bit.
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// Key is the part of a stream's key that is fixed for a run: seed and purpose,
// already mixed.
type Key uint64

// NewKey returns the key of a purpose under a seed.
func NewKey(seed uint64, purpose Purpose) Key {
	return Key(mix(mix(seed) ^ uint64(purpose)))
}

// Bits returns 64 random bits of (key, node, step, hop) without opening a
// stream: for problems that need one number per node and step, in any order.
func (k Key) Bits(node, step, hop int) uint64 {
	// Each part is mixed in turn, so that (1, 2) and (2, 1) have unrelated bits.
	h := mix(uint64(k) ^ uint64(uint32(node)))
	h = mix(h ^ uint64(step))
	return mix(h ^ uint64(hop))
}

// Uniform returns a number uniform on (0, 1), never 0 or 1, from Bits.
func (k Key) Uniform(node, step, hop int) float64 {
	return Unit(k.Bits(node, step, hop))
}

// Unit maps 64 random bits to the open interval (0, 1): the midpoints of 2^52
// equal cells, all of which a float64 holds exactly.
func Unit(bits uint64) float64 {
	return (float64(bits>>12) + 0.5) * 0x1p-52
}

// Rand is the generator of a stream.
type Rand = rand.Rand

// Stream is a reusable generator. The zero value is ready for Open; it must
// not be copied after the first Open and not be shared between goroutines.
type Stream struct {
	pcg  rand.PCG
	rand *Rand
}

// Open points the stream at a key and returns its generator, which is valid
// until the next Open. It allocates at the first call only.
func (s *Stream) Open(k Key, node, step, hop int) *Rand {
	lo := k.Bits(node, step, hop)
	// PCG has 128 bits of state; the second half is derived from the first.
	s.pcg.Seed(mix(lo^0xd1b54a32d192ed03), lo)
	if s.rand == nil {
		s.rand = rand.New(&s.pcg)
	}
	return s.rand
}
