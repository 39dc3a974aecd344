package study

import (
	"errors"
	"fmt"
	"slices"

	"starling/actors/option"
	"starling/scenarios/document"
	"starling/scenarios/problem/stream"
	"starling/scenarios/results"
)

// OtherSeeds calls check for the seeds of the scenario after the first, in their order, where
// each divides so many data anew; 0 is that all seeds divide them alike. Arms of one key divide
// the same data: they are counted once. What a check of a file has no time for is left to the
// run, and readers are told. The error names the seed.
func OtherSeeds(b *Builder, key any, data int, check func(seed uint64) error) error {
	if data == 0 {
		return nil
	}
	others := b.Seeds.Count - 1
	count := Shared(b, seedsKey{key}, func() (int, bool) {
		n := b.Usage.Divides(data, others)
		if n < others {
			b.Remark(results.Warning{Code: "seeds", Message: fmt.Sprintf("how %d data are divided was checked under the first %d of %d seeds: the run finds out whether nodes have enough under the others", data, n+1, others+1)})
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

// seedsKey names what is divided.
type seedsKey struct{ of any }

// Warn warns readers of what is known of an arm before it is run.
func (b *Builder) Warn(arm *Arm, w Warning) {
	b.Remark(results.Warning{Code: w.Code, Arm: arm.Name, Message: w.Message})
}

// Remark notes what readers of the results are told, once.
func (b *Builder) Remark(w results.Warning) { b.Remarks = append(b.Remarks, w) }

// UnderSeed says under which seed something is wrong, at its place.
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

// dealt is data that are divided among learners under each seed; Deals says how many anew.
type dealt[I stream.Instance] interface {
	Stream(seed uint64, shape stream.Shape) (I, error)
	Deals() int
}

// CheckSeeds tells why data cannot be divided under some seed. Arms that divide alike share it.
func CheckSeeds[I stream.Instance](b *Builder, data dealt[I], key any, shape stream.Shape) error {
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
