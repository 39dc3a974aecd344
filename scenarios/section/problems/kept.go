package problems

import (
	"starling/scenarios/cache"
	"starling/scenarios/problem"
	"starling/scenarios/problem/stream"
)

// Kept is Draw with the data kept in a cache that has room for them; see stream.Source.
func (p *Stream) Kept(c *cache.Cache, seed uint64, shape stream.Shape, reads stream.Reads) (problem.Data, error) {
	in, err := p.Draw(seed, shape)
	if err != nil {
		return nil, err
	}
	return p.Source.Keep(c, in, seed, shape, reads), nil
}

// Shared is a problem of nodes without a server. Its instances take their data from a cache,
// where it has room.
type Shared interface {
	problem.Problem
	// Needs returns the entries that DrawShared asks a cache for.
	Needs(seed uint64, horizon int, reads stream.Reads) []cache.Need
	// DrawShared returns the same numbers as Draw, to the last bit.
	DrawShared(c *cache.Cache, seed uint64, horizon int, reads stream.Reads) (problem.Instance, error)
}
