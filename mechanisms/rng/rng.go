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
// Under one key, no two streams begin in the same state: the map from an address to a state is
// a bijection. Streams of different keys do so as often as chance has it in 2^128 values:
// among 10^9 streams with a probability below 2e-21. One of them meets another within 10^12
// numbers with a probability below 3e-9 even if all states were among 2^128; they are among
// 2^256 - 1.
//
// The package is no cryptographic generator and must not protect anybody's data.
package rng

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

// mix is the finalizer of SplitMix64 (Steele, Lea, Flood 2014), a bijection in which every
// output bit depends on every input bit.
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// Key is the part of a stream's key that is fixed for a run, seed and purpose, already
// mixed: 128 bits. Two purposes of a seed never have the same key, nor two seeds the same
// of one purpose, as the mixing is a bijection.
type Key struct{ place, time uint64 }

// NewKey returns the key of a purpose under a seed.
func NewKey(seed uint64, purpose Purpose) Key {
	return keyOf(mix(seed), mix(uint64(purpose)))
}

// Of returns a key for another use of the thing that has this key.
func (k Key) Of(purpose Purpose) Key {
	return keyOf(mix(k.place^uint64(purpose)), k.time)
}

func keyOf(u, v uint64) Key { return Key{mix(u + v), mix(u + 2*v)} }

// at returns the start and the increment of a sequence of SplitMix64 for an address, a
// bijection from node and hop, of which the low 32 bits count, and step.
func (k Key) at(node, step, hop int) (start, increment uint64) {
	place := uint64(uint32(node)) | uint64(uint32(hop))<<32
	start = (k.place ^ place) * 0x9e3779b97f4a7c15
	increment = (k.time ^ uint64(step)) * 0xd1342543de82ef95
	return start ^ start>>32, increment ^ increment>>32
}

// open returns the generator of a stream. The words of its state are four of the sequence of
// its address: the authors of xoshiro256++ advise seeding by SplitMix64.
func (k Key) open(node, step, hop int) Rand {
	u, v := k.at(node, step, hop)
	return Rand{mix(u + v), mix(u + 2*v), mix(u + 3*v), mix(u + 4*v)}
}

// Bits returns 64 random bits of (key, node, step, hop) without opening a
// stream: for problems that need one number per node and step, in any order.
func (k Key) Bits(node, step, hop int) uint64 {
	u, v := k.at(node, step, hop)
	return mix(u + 5*v) // a word that is in no state
}

// Uniform returns a number uniform on (0, 1), never 0 or 1, from Bits.
func (k Key) Uniform(node, step, hop int) float64 {
	return Unit(k.Bits(node, step, hop))
}

// Stream is a reusable generator. The zero value is ready for Open; it must
// not be shared between goroutines.
type Stream struct{ rand Rand }

// Open points the stream at a key and returns its generator, which is valid
// until the next Open. Of node and hop the low 32 bits count.
func (s *Stream) Open(k Key, node, step, hop int) *Rand {
	s.rand = k.open(node, step, hop)
	return &s.rand
}
