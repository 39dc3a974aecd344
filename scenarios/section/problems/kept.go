package problems

import (
	"starling/scenarios/cache"
	"starling/scenarios/problem"
	"starling/scenarios/problem/stream"
)

// Reads says who reads the data of a job besides the machines.
type Reads struct {
	// Again tells that gauges read each datum in the step in which it is met, or soon after.
	Again bool
	// Whole tells that all data are read once more when the run is over.
	Whole bool
	// Tests is how often fresh data are read.
	Tests int
}

// drawing is what is known beforehand of data that are drawn whenever they are asked for.
type drawing struct {
	text         string // of the section: of equal text are equal data
	width, tests int
}

// The keys of what arms share: data and fresh data of equal text, extent and seed, the
// instance that they are drawn from included.
type (
	dataKey struct {
		text            string
		learners, steps int
		seed            uint64
	}
	testsKey struct {
		text     string
		learners int
		seed     uint64
	}
)

func (p *Stream) dataKey(seed uint64, shape stream.Shape) dataKey {
	return dataKey{p.drawn.text, shape.Learners, shape.Steps(), seed}
}

func (p *Stream) testsKey(seed uint64, shape stream.Shape) testsKey {
	return testsKey{p.drawn.text, shape.Learners, seed}
}

// Needs are what Kept asks a cache for.
func (p *Stream) Needs(seed uint64, shape stream.Shape, reads Reads) []cache.Need {
	d := p.drawn
	if d == nil {
		return nil
	}
	needs := []cache.Need{{
		Key: p.dataKey(seed, shape), Bytes: stream.KeptBytes(d.width, shape.Learners, shape.Steps()), Alone: reads.Whole,
	}}
	if reads.Tests > 0 {
		needs = append(needs, cache.Need{Key: p.testsKey(seed, shape), Bytes: stream.KeptBytes(d.width, shape.Learners, d.tests), Alone: reads.Tests > 1})
	}
	return needs
}

// Kept is Draw with data that are kept where a cache has room for them, and where other
// jobs or gauges read them again. The bits are those of Draw.
func (p *Stream) Kept(c *cache.Cache, seed uint64, shape stream.Shape, reads Reads) (stream.Instance, error) {
	in, err := p.Draw(seed, shape)
	drawn, ok := in.(stream.Drawn)
	if err != nil || !ok || p.drawn == nil {
		return in, err
	}
	d := p.drawn
	steps, kept, _ := cache.Get(c, p.dataKey(seed, shape), func() (*stream.Rows, error) {
		return stream.AllSteps(d.width, shape.Learners, shape.Steps()), nil
	})
	if !kept && reads.Again {
		steps = stream.Window(d.width, shape.Learners)
	}
	var tests *stream.Rows
	if reads.Tests > 0 {
		tests, _, _ = cache.Get(c, p.testsKey(seed, shape), func() (*stream.Rows, error) {
			return stream.AllTests(d.width, shape.Learners, d.tests), nil
		})
	}
	return stream.Keep(drawn, steps, tests), nil
}

// Shared is a problem of nodes that are equals whose instances take their data from a
// cache, where it has room.
type Shared interface {
	problem.Problem
	// Needs are what DrawShared asks a cache for, of an instance whose data are read once
	// more when the run is over, or not, and whose fresh data are read so often.
	Needs(seed uint64, horizon int, reads Reads) []cache.Need
	// DrawShared is Draw, to the last bit.
	DrawShared(c *cache.Cache, seed uint64, horizon int, reads Reads) (problem.Instance, error)
}
