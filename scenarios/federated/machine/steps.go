package machine

import (
	"cmp"
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/actors/algorithm/batch"
	"starling/actors/algorithm/mirror"
	"starling/mechanisms/accountant"
	"starling/mechanisms/kernel"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/federated/aggregation"
	"starling/scenarios/section/problems"
)

// Local are the local steps of a client in a round.
type Local struct {
	Tau          int     `yaml:"tau" min:"1" says:"%v local steps" unit:"steps" doc:"local steps of a client in a round"`
	LearningRate float64 `yaml:"learning_rate,required" role:"rate" over:"0" says:"learning rate %v" unit:"step size" doc:"step size of local steps"`
	Batch        *int    `yaml:"batch" min:"1" says:"a batch of %v" unit:"samples" doc:"expected size of a batch, drawn for every local step; absent, all data of the client"`
}

// Steps takes the local steps of clients, for authors of clients. The machines of a run share
// one. It is immutable.
type Steps struct {
	Local
	// Record is the noise of records; nil means no clipping and no noise.
	Record *aggregation.Records
	// Data are by client, from 0, or nil where Passing returns the data of a client that comes
	// and goes.
	Data    []problems.Samples
	Passing func(client int) problems.Passing
	// Sizes is the number of samples of a client of Passing, from 0; nil where all have one number.
	Sizes func(client int) int
	// Stragglers have time for fewer local steps; nil is none.
	Stragglers *algorithm.DrawnStragglers
	// Calendar has the rounds: Tau local steps for each step since the round before.
	Calendar *aggregation.Calendar
	// Proximal is mu of FedProx, whose local steps are pulled back to the model that they begin from
	// (Li et al. 2020); 0 is none.
	Proximal float64
	// Set contains the model after each local step, by a projection; nil is all of R^d. Batches is the
	// purpose of draws of batches; 0 is the purpose in this package.
	Set     mirror.Set
	Batches rng.Purpose
}

// The purposes of the draws of local steps.
var (
	batchPurpose  = rng.PurposeOf("federated.batches") // arms meet the same batches
	recordPurpose = rng.PurposeOf("federated.records")
)

// Of returns the data of a client, from 0.
func (s *Steps) Of(client int) problems.Samples {
	if s.Data == nil {
		return s.Passing(client)
	}
	return s.Data[client]
}

// size is the number of samples of a client, from 0. It reads no sample.
func (s *Steps) size(client int) int {
	if s.Sizes != nil {
		return s.Sizes(client)
	}
	return s.Of(client).Size()
}

// Expected is the mean size of a batch of a client, from 0.
func (s *Steps) Expected(client int) float64 { return s.expected(s.size(client)) }

// expected is Expected for a number of samples.
func (s *Steps) expected(size int) float64 {
	if s.Batch == nil {
		return float64(size)
	}
	return float64(min(*s.Batch, size))
}

// Rate is the sampling rate of a step of a client, from 0.
func (s *Steps) Rate(client int) float64 { return s.rate(s.size(client)) }

// rate is Rate for a number of samples.
func (s *Steps) rate(size int) float64 { return s.expected(size) / float64(size) }

// Rates are the rates of all clients: one for all of them without Data.
func (s *Steps) Rates() []float64 {
	if s.Data == nil {
		return []float64{s.Rate(0)}
	}
	rates := make([]float64, len(s.Data))
	for i := range rates {
		rates[i] = s.Rate(i)
	}
	return rates
}

// Done is the number of local steps of a client, from 0, for the round of a step. It is In except
// for a straggler, and 0 where the update of a straggler is dropped.
func (s *Steps) Done(client, step int) int {
	if !s.Calendar.Has(step) {
		return 0
	}
	return s.Stragglers.Steps(messages.NodeID(client+1), step, s.In(step))
}

// In is the number of local steps for the round of a step; 0 without a round.
func (s *Steps) In(step int) int { return s.Tau * s.Calendar.Since(step) }

// sent is the number of local steps behind a message of a client.
func (at *Setting) sent(e *messages.Envelope) int {
	step := int(e.Sent)/hops + 1
	client, _ := at.Seats.client(e.From, step)
	return at.Steps.Done(int(client)-1, step)
}

// Take takes the local steps of a client, from 0, in place, as many as Done: x <- x - learning
// rate (g + shift), g the mean gradient of a batch at x, with noise where records have it.
// shift may be nil; it has the length of x. Each step with noise is paid for before it is
// taken; the receipt is the last step's. kept is for data that take local steps by themselves. An error of a
// budget is returned as it is.
func (s *Steps) Take(t *algorithm.Turn, client int, x, shift []float64, kept Kept) (receipt accountant.Receipt, err error) {
	data := s.Of(client)
	if passing, ok := data.(problems.Passing); ok {
		defer passing.Leave()
	}
	if trained, err := s.train(t, data, x, s.Done(client, t.Step), kept); trained {
		return receipt, err
	}
	b := s.begin(t, data, client)
	sum, begun := make([]float64, len(x)), s.anchor(x)
	for range b.ends {
		if receipt, err = b.Sum(sum, x); err != nil {
			return receipt, err
		}
		for k, v := range begun {
			sum[k] += float64(b.Size * s.Proximal * (x[k] - v))
		}
		kernel.Axpy(x, -s.LearningRate/b.Size, sum)
		if shift != nil {
			kernel.Axpy(x, -s.LearningRate, shift)
		}
		if s.Set != nil {
			s.Set.Project(x, x, make([]float64, s.Set.WorkSize()))
		}
	}
	return receipt, nil
}

// train has the data of a client take local steps by themselves, in place; it reports false, and does nothing, for
// data that take none.
func (s *Steps) train(t *algorithm.Turn, data problems.Samples, x []float64, steps int, kept Kept) (trained bool, err error) {
	size := 0
	if s.Batch != nil {
		size = *s.Batch
	}
	if trained, err = batch.Consult(t.Consult).Train(data, x, steps, s.LearningRate, size, kept); trained && err == nil && s.Set != nil {
		s.Set.Project(x, x, make([]float64, s.Set.WorkSize()))
	}
	return trained, err
}

// Batches are the batches of a client for its local steps in a round, one for each, for authors of clients with
// other steps than Take has.
type Batches struct {
	// Size is the expected number of samples of a batch.
	Size float64

	steps  *Steps
	turn   *algorithm.Turn
	client int
	data   problems.Samples
	// samples has the batches one after the other, which end at ends; taken is the number of those before next.
	samples, ends []int
	next, taken   int
	clip          float64
	added         *rng.Rand // noise of records
}

// Begin draws the batches of a client, from 0, for the local steps of its turn, as many as Done. Leave is to be
// called at their end.
func (s *Steps) Begin(t *algorithm.Turn, client int) Batches { return s.begin(t, s.Of(client), client) }

// begin is Begin on data.
func (s *Steps) begin(t *algorithm.Turn, data problems.Samples, client int) Batches {
	rate, steps := s.rate(data.Size()), s.Done(client, t.Step)
	b := Batches{Size: s.expected(data.Size()), steps: s, turn: t, client: client, data: data, clip: math.Inf(1)}
	b.samples, b.ends = make([]int, 0, steps*int(b.Size)), make([]int, 0, steps)
	draws := t.Rand(cmp.Or(s.Batches, batchPurpose)) // a turn has one open stream at a time
	for range steps {
		for k := range data.Size() {
			if rate == 1 || draws.Float64() < rate {
				b.samples = append(b.samples, k)
			}
		}
		b.ends = append(b.ends, len(b.samples))
	}
	if s.Record != nil {
		b.clip, b.added = s.Record.Clip, t.Rand(recordPurpose)
	}
	return b
}

// Left is the number of batches that are left.
func (b *Batches) Left() int { return len(b.ends) - b.next }

// Sum writes the sum at x of the gradients of the next batch to dst, with noise where records have it. The noise is
// paid for before it is added; an error of a budget is returned as it is.
func (b *Batches) Sum(dst, x []float64) (receipt accountant.Receipt, err error) {
	end := b.ends[b.next]
	if _, err := batch.Consult(b.turn.Consult).SumClipped(b.data, dst, x, b.samples[b.taken:end], b.clip); err != nil {
		return receipt, err
	}
	b.next, b.taken = b.next+1, end
	if b.steps.Record == nil {
		return receipt, nil
	}
	return b.steps.Record.Of(b.client).Release(dst, b.added, b.turn.Spend)
}

// Leave ends the use of the data, of a client that comes and goes.
func (b *Batches) Leave() {
	if passing, ok := b.data.(problems.Passing); ok {
		passing.Leave()
	}
}

// anchor is the model that local steps from x are pulled back to; nil if they are not.
func (s *Steps) anchor(x []float64) []float64 {
	if s.Proximal == 0 {
		return nil
	}
	return slices.Clone(x)
}
