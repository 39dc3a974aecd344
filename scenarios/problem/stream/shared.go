package stream

import (
	"starling/scenarios/cache"
	"starling/scenarios/problem"
)

// Reads describes the reads of the data of a job besides the machines' reads.
type Reads struct {
	// Again is true if gauges read each datum in the step in which it is met, or soon after.
	Again bool
	// Whole is true if all data are read once more when the run is over.
	Whole bool
	// Tests is the number of times that fresh data are read.
	Tests int
}

// Source has the facts known beforehand of data that are Drawn, by which a cache keeps them
// for the jobs of a study that meet the same data.
type Source struct {
	Text         string // data of equal text, extent and seed are equal
	Width, Tests int    // length of a datum, and fresh data of a learner
}

// The cache's keys of shared data, and of shared fresh data.
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

// Needs returns the entries that Keep asks a cache for; none for a nil source.
func (s *Source) Needs(seed uint64, shape Shape, reads Reads) []cache.Need {
	if s == nil {
		return nil
	}
	data := cache.Need{
		Key: dataKey{s.Text, shape.Learners, shape.Steps(), seed}, Bytes: KeptBytes(s.Width, shape.Learners, shape.Steps()), Alone: reads.Whole,
	}
	if reads.Again {
		data.Own = int64(windowOf(s.Width, shape.Learners)) * KeptBytes(s.Width, shape.Learners, 1)
	}
	needs := []cache.Need{data}
	if reads.Tests > 0 {
		needs = append(needs, cache.Need{Key: testsKey{s.Text, shape.Learners, seed}, Bytes: KeptBytes(s.Width, shape.Learners, s.Tests), Alone: reads.Tests > 1})
	}
	return needs
}

// Keep returns the instance of a seed, to the last bit, with data that are kept where the
// cache has room for them, and where other jobs or gauges read them again. Data that are not
// Drawn, and data of a nil source, stay as they are.
func (s *Source) Keep(c *cache.Cache, in problem.Data, seed uint64, shape Shape, reads Reads) problem.Data {
	drawn, ok := in.(Drawn)
	if s == nil || !ok {
		return in
	}
	steps, kept, _ := cache.Get(c, dataKey{s.Text, shape.Learners, shape.Steps(), seed}, func() (*Rows, error) {
		return AllSteps(s.Width, shape.Learners, shape.Steps()), nil
	})
	if !kept && reads.Again {
		steps = Window(s.Width, shape.Learners)
	}
	var tests *Rows
	if reads.Tests > 0 {
		tests, _, _ = cache.Get(c, testsKey{s.Text, shape.Learners, seed}, func() (*Rows, error) {
			return AllTests(s.Width, shape.Learners, s.Tests), nil
		})
	}
	return Keep(drawn, steps, tests)
}
