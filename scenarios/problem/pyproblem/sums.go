package pyproblem

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"starling/actors/algorithm"
	"starling/actors/algorithm/batch"
	"starling/mechanisms/kernel"
	"starling/messages"
)

// The methods that a class may offer for clients that keep their data: it then gets the model
// of each question once, with all its data, and clips where the gradients are.
const (
	// Sums is sums(x, models, nodes, steps, clip). Datum j is of node nodes[j] at steps[j], and
	// is asked at the model x[models[j]]. It returns a dictionary: sums, of the shape of x, the
	// sum of the gradients of the data of each model, in their order, each scaled down to the
	// 2-norm clip where it is longer; and clipped, how many were, for each model. A clip of
	// infinity scales none.
	Sums = "sums"
	// EachLoss is losses(x, models, nodes, steps): the loss of every datum, at its model.
	EachLoss = "losses"
	// Start is start(): the model that all clients begin with, of shape (d,).
	Start = "start"
)

// CommonTests is an attribute of a class, true where fresh data are the same for all nodes:
// they are then asked for once.
const CommonTests = "common_tests"

// trust counts the answers of a class about sums, of which some are held against gradients one by one.
type trust struct{ begun atomic.Bool }

// Of how many sums one is held against single gradients, and the largest difference in 2-norm,
// as a part of the sum of the lengths that may be added: single precision has less.
const (
	checkedOf    = 1024
	sumTolerance = 1e-4
)

// checks reports whether an answer is held against single gradients: the first one of a seed,
// one in checkedOf by the data that it is about and the model, and all where calls are made twice.
func (t *trust) checks(q *batch.Sum, first int, twice bool) bool {
	if t.begun.CompareAndSwap(false, true) || twice {
		return true
	}
	hash := uint64(14695981039346656037) // FNV-1a, word by word
	mix := func(word uint64) { hash = (hash ^ word) * 1099511628211 }
	mix(uint64(first))
	for _, sample := range q.Samples {
		mix(uint64(sample))
	}
	for _, v := range q.X[:min(len(q.X), 8)] {
		mix(math.Float64bits(v))
	}
	return (hash^hash>>32)%checkedOf == 0
}

// byModel asks a method about data, each at its row of x, and returns the named arrays of the
// answer. arrays are the further arguments.
func (in *Instance) byModel(method string, r *rows, shape []int, arrays ...Array) ([]Array, error) {
	d, k := in.problem.Dim(), len(r.at)
	return in.object.Call(&Call{
		Method: method, What: in.whatRows(method, r), Shape: shape, Integers: []string{"models", "nodes", "steps"},
		Arrays: append([]Array{
			{Name: "x", Shape: []int{len(r.x) / d, d}, Values: r.x},
			{Name: "models", Shape: []int{k}, Values: r.at},
			{Name: "nodes", Shape: []int{k}, Values: r.nodes},
			{Name: "steps", Shape: []int{k}, Values: r.steps},
		}, arrays...),
	})
}

// bySums answers questions by the method Sums, as many models at a time as mostEntries allow.
func (s *summing) bySums(questions []any) error {
	d := s.corpus.problem.Dim()
	for most := max(1, mostEntries/d); len(questions) > 0; {
		count := min(most, len(questions))
		for i := 1; i < count; i++ { // one call has one bound
			if questions[i].(*batch.Sum).Clip != questions[0].(*batch.Sum).Clip {
				count = i
			}
		}
		if err := s.sum(questions[:count]); err != nil {
			return err
		}
		questions = questions[count:]
	}
	return nil
}

// sum answers questions of one bound by one call.
func (s *summing) sum(questions []any) error {
	d, r := s.corpus.problem.Dim(), s.corpus.rows()
	defer s.corpus.asked.Put(r)
	for row, question := range questions {
		q := question.(*batch.Sum)
		r.x = append(r.x, q.X...)
		data := q.Data.(*Samples)
		for _, sample := range q.Samples {
			data.ask(r, row, sample)
		}
	}
	if len(r.at) == 0 { // there is nothing to ask for
		for _, question := range questions {
			if err := s.take(question.(*batch.Sum), nil, 0); err != nil {
				return err
			}
		}
		return nil
	}
	clip := questions[0].(*batch.Sum).Clip
	arrays, err := s.corpus.byModel(Sums, r, nil, Array{Name: "clip", Values: []float64{clip}})
	if err != nil {
		return err
	}
	sums, clipped, err := takeSums(arrays, len(questions), d)
	if err != nil {
		return &Error{What: s.corpus.whatRows(Sums, r), Cause: err}
	}
	for row, question := range questions {
		q := question.(*batch.Sum)
		if err := s.take(q, sums[row*d:(row+1)*d], clipped[row]); err != nil {
			return err
		}
	}
	return nil
}

// takeSums returns the two arrays of an answer about so many models.
func takeSums(arrays []Array, models, d int) (sums, clipped []float64, err error) {
	for _, a := range arrays {
		switch want := (map[string][]int{"sums": {models, d}, "clipped": {models}})[a.Name]; {
		case want == nil:
			return nil, nil, fmt.Errorf("it returned %q; want a dictionary of sums and clipped", a.Name)
		case !slices.Equal(a.Shape, want):
			return nil, nil, fmt.Errorf("%s has the shape %v; want %v", a.Name, a.Shape, want)
		case a.Name == "sums":
			sums = a.Values
		default:
			clipped = a.Values
		}
	}
	if sums == nil || clipped == nil {
		return nil, nil, fmt.Errorf("it returned no dictionary of sums and clipped")
	}
	return sums, clipped, nil
}

// take writes an answer to its question. It refuses a sum that is longer than so many gradients
// of the bound, and one that is not the sum of the gradients where that is looked at.
func (s *summing) take(q *batch.Sum, sum []float64, clipped float64) error {
	data := q.Data.(*Samples)
	failed := func(format string, args ...any) error {
		r := rows{}
		for _, sample := range q.Samples {
			data.ask(&r, 0, sample)
		}
		return &Error{What: s.corpus.whatRows(Sums, &r), Cause: fmt.Errorf(format, args...)}
	}
	most, length := float64(len(q.Samples)), kernel.Norm(sum)
	switch {
	case len(q.Samples) == 0:
		clear(q.Answer)
		q.Clipped = 0
		return nil
	case !(length <= math.MaxFloat64):
		return failed("it returned a sum of length %v", length)
	case clipped != math.Floor(clipped) || clipped < 0 || clipped > most:
		return failed("it says that %v of %v gradients were scaled down", clipped, most)
	case length > q.Clip*most*(1+sumTolerance):
		return failed("the sum of %v gradients of at most %v has length %v", most, q.Clip, length)
	}
	if s.corpus.trust.checks(q, data.first, s.corpus.problem.o.Program.options.Twice) {
		if off, of, err := s.distance(q, sum); err != nil {
			return err
		} else if !(off <= sumTolerance*of) {
			return failed("the sum is %.3g from the sum of the gradients that the method gradient returns, each scaled down to %v; want at most %.3g", off, q.Clip, sumTolerance*of)
		}
	}
	copy(q.Answer, sum)
	q.Clipped = int(clipped)
	return nil
}

// distance returns how far a sum is from the sum of the gradients of the samples, each clipped in
// Go, in 2-norm, and the sum of their lengths.
func (s *summing) distance(q *batch.Sum, sum []float64) (off, lengths float64, err error) {
	d, data := s.corpus.problem.Dim(), q.Data.(*Samples)
	r, want := rows{x: q.X}, make([]float64, d)
	for _, sample := range q.Samples {
		data.ask(&r, 0, sample)
	}
	err = s.corpus.each("gradient", &r, []int{d}, func(_ int, g []float64) error {
		lengths += min(q.Clip, kernel.Norm(g))
		_, err := algorithm.Add(want, g, q.Clip)
		return err
	})
	for k := range want {
		want[k] -= sum[k]
	}
	return kernel.Norm(want), lengths, err
}

// lossesByModel asks for the loss of every datum by the method EachLoss, where the class offers
// it, and by single rows else.
func (in *Instance) lossesByModel(r *rows, use func(i int, loss float64) error) error {
	if !in.problem.offers(EachLoss) {
		return in.each("loss", r, nil, func(i int, loss []float64) error { return use(i, loss[0]) })
	}
	for first := 0; first < len(r.at); first += mostEntries {
		part := r.part(first, min(first+mostEntries, len(r.at)), in.problem.Dim())
		arrays, err := in.byModel(EachLoss, &part, []int{len(part.at)})
		if err != nil {
			return err
		}
		for i, loss := range arrays[0].Values {
			if math.IsNaN(loss) || math.IsInf(loss, 0) {
				return &Error{What: in.whatRows(EachLoss, &part), Cause: fmt.Errorf("it returned %v for node %v at step %v", loss, part.nodes[i], part.steps[i])}
			}
			if err := use(first+i, loss); err != nil {
				return err
			}
		}
	}
	return nil
}

// commonTests reports whether the class says that fresh data are the same for all nodes.
func (in *Instance) commonTests() (bool, error) {
	has, err := in.object.Describe()
	if err != nil {
		return false, err
	}
	switch said := has.Attributes[CommonTests].(type) {
	case nil:
		return false, nil
	case bool:
		return said, nil
	default:
		return false, fmt.Errorf("%s: the class %s has %s = %v; want True or False", in.problem.o.File, in.problem.o.Class, CommonTests, said)
	}
}

// judges are the nodes whose fresh data a model of all clients is tried on.
func (c *Corpus) judges() ([]messages.NodeID, error) {
	common, err := c.commonTests()
	switch {
	case err != nil:
		return nil, err
	case common:
		return []messages.NodeID{0}, nil
	case c.extent.Panel != nil:
		return nil, fmt.Errorf("%s: the class %s has fresh data for each of %d clients; a population wants %s = True, and data that all have in common", c.problem.o.File, c.problem.o.Class, c.extent.Clients, CommonTests)
	}
	nodes := make([]messages.NodeID, c.extent.Clients)
	for node := range nodes {
		nodes[node] = messages.NodeID(node)
	}
	return nodes, nil
}

// Start returns the model that a class has clients begin with, len d, the caller's own. It makes
// the object, and releases it on an error.
func (c *Corpus) Start() ([]float64, error) {
	if err := c.Open(); err != nil {
		return nil, err
	}
	x, err := c.plain(Start, []int{c.problem.Dim()}, nil)
	if err == nil && !kernel.AllFinite(x) {
		err = fmt.Errorf("%s: %s.%s returned a number that is not finite", c.problem.o.File, c.problem.o.Class, Start)
	}
	if err != nil {
		c.Release()
	}
	return x, err
}
