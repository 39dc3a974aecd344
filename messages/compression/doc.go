// Package compression encodes vectors in few bytes, at the price of some of their information.
//
//	codec        message                                    1 - omega of Assumption 1
//	TopK         the largest entries, with their places     1 - k/d
//	RandomK      entries at random places, with a seed      1 - k/d, in expectation
//	Dithering    a norm, and levels of a few bits           1 - 1/tau, in expectation
//	Sign         a mean, and a bit an entry                 1 - 1/d at worst
//	Whole        whole numbers of a few bits, and no other  0
//
// Assumption 1 is from Koloskova, Stich, Jaggi, Decentralized Stochastic Optimization and
// Gossip Algorithms with Compressed Communication (ICML 2019, arXiv 1902.00340):
//
//	E ||Q(x) - x||^2 <= (1 - omega) ||x||^2 for all x of length d,
//
// for some omega > 0. Codec.Omega is the largest for which it is proven.
//
// A form says by itself how it is decoded: Decode needs no options of the encoder. Draws come
// from a stream that the caller opens, and a form is a function of the vector and that stream
// alone. The package knows no privacy: encoding a release is post-processing of it, since a
// codec sees nothing but the release.
//
// The package is no compression of bytes without loss, and no secure code.
package compression
