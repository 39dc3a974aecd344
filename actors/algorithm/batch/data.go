package batch

import "starling/messages"

// Models are models that are asked about many data at once. They are pure functions of x and
// the datum, safe for concurrent use.
type Models interface {
	// Gradients answers: it writes the gradient of the loss of each datum to the Answer.
	Gradients(questions []*Datum) error
}

// Datum is a question to a model: the gradient at X of the loss of one datum.
type Datum struct {
	X, Datum []float64 // read only
	Answer   []float64 // as long as X
}

// DeskHolder is implemented by models that ask another one. They have a desk of their own; nil
// means that they have none.
type DeskHolder interface{ Desk() Desk }

// OfModel returns the desk of a model, for questions of type *Datum; nil where the model is
// not asked about many data at once.
func OfModel(model any) Desk {
	if around, ok := model.(DeskHolder); ok {
		return around.Desk()
	}
	many, ok := model.(Models)
	if !ok {
		return nil
	}
	return &models{many}
}

// models is a desk that asks a model.
type models struct{ ask Models }

// Answer implements Desk.
func (m *models) Answer(_ int, _ []messages.NodeID, questions []any) error {
	list := make([]*Datum, len(questions))
	for i, question := range questions {
		list[i] = question.(*Datum)
	}
	return m.ask.Gradients(list)
}

// Earlier are costs that answer questions about many past steps at once.
type Earlier interface {
	// EarlierGradients answers questions[i] for nodes[i].
	EarlierGradients(nodes []messages.NodeID, questions []*Steps) error
}

// Steps is a question to costs: the gradients at X of the costs of the asking node in several
// steps.
type Steps struct {
	X      []float64 // read only
	Steps  []int     // read only
	Answer []float64 // a row as long as X for each step
}

// OfEarlier returns the desk of costs for questions of type *Steps; nil where they are not
// asked about many steps at once.
func OfEarlier(costs any) Desk {
	many, ok := costs.(Earlier)
	if !ok {
		return nil
	}
	return &earlier{many}
}

// earlier is a desk that asks costs.
type earlier struct{ ask Earlier }

// Answer implements Desk.
func (e *earlier) Answer(_ int, nodes []messages.NodeID, questions []any) error {
	list := make([]*Steps, len(questions))
	for i, question := range questions {
		list[i] = question.(*Steps)
	}
	return e.ask.EarlierGradients(nodes, list)
}

// ClientData is implemented by the data of a client that are asked for together with the data of
// others.
type ClientData interface {
	// Sums is the desk for questions of type *Sum, and Changes the desk for *Change.
	Sums() Desk
	Changes() Desk
}

// Sum is a question to the data of a client: the sum at X of the gradients of the losses of
// samples, in their order, each scaled down to the 2-norm Clip where it is longer.
type Sum struct {
	Data    ClientData
	X       []float64 // read only
	Samples []int     // read only
	Clip    float64   // +Inf clips nothing
	Answer  []float64 // as long as X
	Clipped int       // how many gradients were scaled down: a part of the answer
}

// Change is a question to the data of a client: the sum over samples, in their order, of their
// loss at To minus their loss at From, each held within [-Bound, Bound].
type Change struct {
	Data     ClientData
	From, To []float64 // read only
	Samples  []int     // read only
	Bound    float64   // +Inf bounds nothing
	Answer   float64
}

// Trainers is implemented by the data of a client that may take its local steps by itself. Training is
// the desk for questions of type *Train; nil where it takes none.
type Trainers interface{ Training() Desk }

// Train is a question to the data of a client: the model after its local steps from X.
type Train struct {
	Data  Trainers
	X     []float64 // the model, in place
	Steps int       // local steps
	Rate  float64   // step size
	Batch int       // expected size of a batch; 0 is all data of the client
	Kept  []float64 // numbers that the client keeps from round to round, in place; nil is none
}

// Samples are data of a client. Sum and Change describe the results of the methods; SumClipped
// returns how many gradients were scaled down.
type Samples interface {
	SumClipped(dst, x []float64, samples []int, clip float64) (clipped int)
	SumLossChanges(from, to []float64, samples []int, bound float64) float64
}

// Consult asks a desk a question, and returns once it is answered: algorithm.Turn.Consult.
type Consult func(at Desk, question any) error

// Train has data take local steps from a model x, in place, with the numbers that the client keeps, in place too;
// nil is none. It returns false, and does nothing, for data
// that take none by themselves. Without steps the model stays, and nothing is asked.
func (consult Consult) Train(data any, x []float64, steps int, rate float64, size int, kept []float64) (trained bool, err error) {
	trainers, ok := data.(Trainers)
	if !ok || trainers.Training() == nil {
		return false, nil
	}
	if steps == 0 {
		return true, nil
	}
	return true, consult(trainers.Training(), &Train{Data: trainers, X: x, Steps: steps, Rate: rate, Batch: size, Kept: kept})
}

// SumClipped calls SumClipped of data. For ClientData it puts a question to their desk.
func (consult Consult) SumClipped(data Samples, dst, x []float64, samples []int, clip float64) (clipped int, err error) {
	seated, ok := data.(ClientData)
	if !ok {
		return data.SumClipped(dst, x, samples, clip), nil
	}
	question := &Sum{Data: seated, X: x, Samples: samples, Clip: clip, Answer: dst}
	err = consult(seated.Sums(), question)
	return question.Clipped, err
}

// SumLossChanges calls SumLossChanges of data, with a question to their desk as SumClipped
// has.
func (consult Consult) SumLossChanges(data Samples, from, to []float64, samples []int, bound float64) (float64, error) {
	seated, ok := data.(ClientData)
	if !ok {
		return data.SumLossChanges(from, to, samples, bound), nil
	}
	question := &Change{Data: seated, From: from, To: to, Samples: samples, Bound: bound}
	err := consult(seated.Changes(), question)
	return question.Answer, err
}
