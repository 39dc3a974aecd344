package study

import (
	"errors"
	"fmt"
	"slices"

	"starling/actors/option"
	"starling/scenarios/document"
	"starling/scenarios/metric"
	"starling/scenarios/problem"
	"starling/scenarios/problem/stream"
)

// OtherSeeds calls check for the seeds of the scenario after the first, in their order. data
// is the number of data that each seed divides anew; 0 means that all seeds divide them alike.
// Arms of one key divide the same data, and are counted once. Seeds that a check of a file has
// no time for are left to the run, with a remark for readers. The error names the seed.
func OtherSeeds(b *Builder, key any, data int, check func(seed uint64) error) error {
	if data == 0 {
		return nil
	}
	others := b.Seeds.Count - 1
	count := Shared(b, seedsKey{key}, func() (int, bool) {
		n := b.Usage.Divides(data, others)
		if n < others {
			b.Remark(metric.Warning{Code: "seeds", Message: fmt.Sprintf("the division of %d data was checked under the first %d of %d seeds; the run checks the others", data, n+1, others+1)})
		}
		return n, true
	})
	for k := range count {
		seed := b.Seeds.Base + 1 + uint64(k)
		if b.Data != nil && b.Data.Context != nil && b.Data.Context.Err() != nil {
			return b.Data.Context.Err()
		}
		if err := check(seed); err != nil {
			return UnderSeed(seed, err)
		}
	}
	return nil
}

// seedsKey names the data that are divided.
type seedsKey struct{ of any }

// Warn adds a warning, for readers of the results, about an arm before its run.
func (b *Builder) Warn(arm *Arm, w Warning) {
	b.Remark(metric.Warning{Code: w.Code, Arm: arm.Name, Message: w.Message})
}

// Remark adds a warning for readers of the results, once.
func (b *Builder) Remark(w metric.Warning) { b.Remarks = append(b.Remarks, w) }

// UnderSeed returns the error with the seed in its message, at its place.
func UnderSeed(seed uint64, err error) error {
	if of := (*option.Error)(nil); errors.As(err, &of) {
		return option.Errorf(of.Path, "under seed %d %s", seed, of.Message)
	}
	if of := document.Issues(nil); errors.As(err, &of) {
		said := slices.Clone(of)
		for i := range said {
			said[i].Message = fmt.Sprintf("under seed %d %s", seed, said[i].Message)
		}
		return said
	}
	return fmt.Errorf("under seed %d: %w", seed, err)
}

// dealt is data that are divided among learners under each seed; Deals returns how many anew.
type dealt[I problem.Data] interface {
	Stream(seed uint64, shape stream.Shape) (I, error)
	Deals() int
}

// CheckSeeds returns an error if data cannot be divided under some seed. Arms that divide
// alike share it.
func CheckSeeds[I problem.Data](b *Builder, data dealt[I], key any, shape stream.Shape) error {
	check := func(seed uint64) error {
		_, err := data.Stream(seed, shape)
		return err
	}
	type question struct {
		of    any
		shape stream.Shape
	}
	return Shared(b, question{key, shape}, func() (r struct{ err error }, ok bool) {
		if r.err = check(b.Seeds.Base); r.err == nil {
			r.err = OtherSeeds(b, key, data.Deals(), check)
		}
		return r, true
	}).err
}
