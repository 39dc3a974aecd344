package runner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"starling/actors/algorithm"
	"starling/actors/lockstep"
	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/jobs"
	"starling/scenarios/ledger"
	"starling/scenarios/limits"
	"starling/scenarios/loading"
	"starling/scenarios/results"
	"starling/scenarios/study"
)

// ReplayOptions select the part of a run to show again.
type ReplayOptions struct {
	// Arm may be empty where there is one.
	Arm string
	// Seed is one of the run's seeds.
	Seed uint64
	// Node, From and To are the paper's numbers; both steps are included.
	Node     int
	From, To int // both steps in the paper's numbers, both included
	// Build is this program's build, for a warning where another build made the run.
	Build string
	// Loader reads the scenario again, with the data that the run had. A Loader with Showing
	// refuses a run of a scenario that names code.
	Loader loading.Loader
}

// ReplayTurn is a turn of the node that is shown.
type ReplayTurn struct {
	// Step and Hop are the turn's; In holds the messages that reached the node, and Out those
	// that it sent.
	Step int      `json:"step"`
	Hop  int      `json:"hop"`
	In   []Letter `json:"in"`
	Out  []Letter `json:"out"`
	// State is the node's state after the turn.
	State   []ReplayValues `json:"state"`
	Stopped bool           `json:"stopped"`
	// Paid are the losses that the node was charged in the turn, in their order, as texts. The
	// messages that released them are in Out. Losses of zero are left out.
	Paid []string `json:"paid,omitempty"`
}

// Letter is an envelope that reached the node, or that it sent.
type Letter struct {
	From   int       `json:"from"`
	To     int       `json:"to"`
	Step   int       `json:"step"` // of sending
	Hop    int       `json:"hop"`
	Weight float64   `json:"weight"`
	Kind   string    `json:"kind"`
	Values []float64 `json:"values"`
	// Received is the lie that a Byzantine node's message became on its way, where the node received
	// one; Values is the message before that.
	Received []float64 `json:"received,omitempty"`
}

// ReplayValues is a quantity of a machine's state.
type ReplayValues struct {
	Name   string    `json:"name"`
	Values []float64 `json:"values"`
}

// ReplayVerdict is the comparison of a replay with the recorded metrics of the run.
type ReplayVerdict struct {
	// Rows is the number of recorded values within the steps that were run again.
	Rows int
	// Differ is the number of values that differ, by a bit or more.
	Differ int
	// Foreign is true if another build made the run.
	Foreign bool
	// Arithmetic is the warning that the run was made with other arithmetic than this process
	// has, where values differ; empty otherwise.
	Arithmetic string
}

// errShown ends a replay after the last step to show.
var errShown = errors.New("shown")

// Replay runs an arm of a finished run again under one seed and shows the turns of one node. It
// compares the metrics that it meets with the run's, which shows whether the turns are those
// of the run. A request that does not fit the run is an InputError.
func Replay(ctx context.Context, run *results.Run, o ReplayOptions, show func(*ReplayTurn) error) (ReplayVerdict, error) {
	s, err := o.Loader.Load(filepath.Join(run.Dir, results.ScenarioFile))
	if err == nil {
		err = Replayable(s)
	}
	if err == nil {
		err = study.CheckData(s, run.Manifest.Notes)
	}
	if err != nil {
		return ReplayVerdict{}, err
	}
	arm, err := replayed(s, &o)
	if err != nil {
		return ReplayVerdict{}, document.BadInput(err)
	}
	j, err := limits.Within(ctx, limits.Grace, func() (*study.Job, error) { return arm.Algorithm.Job(o.Seed) })
	if err != nil {
		return ReplayVerdict{}, err
	}
	p := &replay{options: o, arm: arm, show: show, clock: j.Run.Clock()}
	p.run = &j.Run
	p.book = &book{Ledger: j.Meter, node: messages.NodeID(o.Node - arm.Extent.FirstLabel)}
	j.Run.Meter = p.book
	err = lockstep.Watch(ctx, &j.Run, &lockstep.Watcher{Node: messages.NodeID(o.Node - arm.Extent.FirstLabel), Visit: p.visit})
	if err != nil && !errors.Is(err, errShown) {
		return ReplayVerdict{}, fmt.Errorf("scenario %s, arm %s, seed %d: %w", s.Name, arm.Name, o.Seed, err)
	}
	v, err := compareJob(run, jobs.MetricsOf(j, arm, o.Seed), int64(o.To))
	v.Foreign = Hash(s, o.Build) != run.Manifest.Hash
	if ours := results.CurrentVersions(""); v.Differ > 0 {
		v.Arithmetic = results.OtherMachine(&run.Manifest.Versions, &ours)
	}
	return v, err
}

// Replayable refuses a scenario that was loaded without the code that it names: a replay would
// run that code.
func Replayable(s *study.Scenario) error {
	if s.Folder.Withheld == "" {
		return nil
	}
	return document.BadInput(fmt.Errorf("the run names code in Python, %s, and to make it again runs that code, with all that you may do here: read it and the scenario first, if they are not your own; 'starling replay --python' runs it", s.Folder.Withheld))
}

// replayed returns the arm to show, and checks the rest of the options.
func replayed(s *study.Scenario, o *ReplayOptions) (*study.Arm, error) {
	i := slices.IndexFunc(s.Arms, func(arm *study.Arm) bool { return arm.Name == o.Arm })
	if o.Arm == "" && len(s.Arms) == 1 {
		i = 0
	}
	if i < 0 {
		names := make([]string, len(s.Arms))
		for k, arm := range s.Arms {
			names[k] = arm.Name
		}
		if o.Arm == "" {
			return nil, fmt.Errorf("the run has several arms: name one of %s (--arm)", document.List(names))
		}
		return nil, errors.New(document.Unknown("arm", o.Arm, names))
	}
	arm := s.Arms[i]
	a := &arm.Extent
	last := a.FirstStep + arm.File.Horizon - 1
	if o.Seed < s.Seeds.Base || o.Seed-s.Seeds.Base >= uint64(s.Seeds.Count) {
		return nil, fmt.Errorf("seed %d is not one of the run's, %d to %d", o.Seed, s.Seeds.Base, s.Seeds.Base+uint64(s.Seeds.Count)-1)
	}
	if o.Node < a.FirstLabel || o.Node >= a.FirstLabel+a.Participants {
		return nil, fmt.Errorf("node %d is not one of the run's, %d to %d", o.Node, a.FirstLabel, a.FirstLabel+a.Participants-1)
	}
	if o.From < a.FirstStep || o.To > last || o.From > o.To {
		return nil, fmt.Errorf("steps %d to %d are not a part of the run's, %d to %d", o.From, o.To, a.FirstStep, last)
	}
	return arm, nil
}

// replay shows the turns of a node.
type replay struct {
	options ReplayOptions
	run     *algorithm.Run
	arm     *study.Arm
	show    func(*ReplayTurn) error
	clock   algorithm.Clock // at the first turn that is not in moments
	moments []moment        // by turn
	book    *book
}

// book is the ledger of a job with the losses of one node since its last turn.
type book struct {
	*ledger.Ledger
	node messages.NodeID
	paid []string
}

// Spent implements algorithm.Meter.
func (b *book) Spent(node messages.NodeID, step int, loss accountant.Loss) error {
	err := b.Ledger.Spent(node, step, loss)
	if err == nil {
		b.note(node, node+1, loss)
	}
	return err
}

// SpentAll implements algorithm.CohortMeter.
func (b *book) SpentAll(first, end messages.NodeID, step int, loss accountant.Loss) bool {
	ok := b.Ledger.SpentAll(first, end, step, loss)
	if ok {
		b.note(first, end, loss)
	}
	return ok
}

// note records a loss, if the node is among the charged ones.
func (b *book) note(first, end messages.NodeID, loss accountant.Loss) {
	if first <= b.node && b.node < end && loss != (accountant.Loss{}) {
		b.paid = append(b.paid, loss.String())
	}
}

// moment is the time of a turn: the paper's step, and the exchange within it.
type moment struct{ step, hop int }

// momentOf returns the time of a past turn or the present one.
func (p *replay) momentOf(turn int) moment {
	for ; p.clock.Turn <= turn; p.clock.Next() {
		p.moments = append(p.moments, moment{p.clock.Step, p.clock.Hop})
	}
	return p.moments[turn]
}

func (p *replay) visit(w *lockstep.Watched) error {
	// The metrics up to To are complete by now, and can be compared.
	if w.Step > p.options.To {
		return errShown
	}
	paid := p.book.paid
	p.book.paid = nil
	if w.Step < p.options.From {
		return nil
	}
	r := &ReplayTurn{Step: w.Step, Hop: w.Hop, Stopped: w.Stopped, Paid: paid, In: []Letter{}, Out: []Letter{}, State: []ReplayValues{}}
	for i := range w.Inbox {
		e := &w.Inbox[i]
		sent := p.momentOf(int(e.Sent)) // a much earlier turn where the network has delayed it
		r.In = append(r.In, p.letter(int(e.From), p.options.Node-p.arm.Extent.FirstLabel, sent.step, sent.hop, e.Weight, e.Payload))
	}
	if err := p.lies(r, w); err != nil {
		return err
	}
	p.outbox(r, w)
	for _, q := range algorithm.Quantities(w.Machine) {
		r.State = append(r.State, ReplayValues{q.Name, slices.Clone(q.Values)})
	}
	return p.show(r)
}

// lies adds what the node received of Byzantine nodes in place of their messages.
func (p *replay) lies(r *ReplayTurn, w *lockstep.Watched) error {
	inbox := slices.Clone(w.Inbox)
	if err := p.run.Adversaries.Deceive(w.Node, inbox, p.run.Label); err != nil {
		return err
	}
	for i := range inbox {
		if lie, ok := inbox[i].Payload.(*messages.Vector); ok && inbox[i].Payload != w.Inbox[i].Payload {
			r.In[i].Received = slices.Clone(lie.Values)
		}
	}
	return nil
}

// outbox lists the messages that the node sends in the turn, by receiver, then in order of
// sending.
func (p *replay) outbox(r *ReplayTurn, w *lockstep.Watched) {
	self := messages.NodeID(p.options.Node - p.arm.Extent.FirstLabel)
	for _, to := range w.Graph.Out(self) {
		letter := func(payload messages.Payload) {
			r.Out = append(r.Out, p.letter(int(self), int(to), w.Step, w.Hop, w.Graph.Weight(to, self), payload))
		}
		broadcast := w.Outbox.Broadcast
		for _, single := range w.Outbox.Singles(to) {
			if broadcast != nil && w.Outbox.BroadcastSeq() < single.Seq {
				letter(broadcast)
				broadcast = nil
			}
			letter(single.Payload)
		}
		if broadcast != nil {
			letter(broadcast)
		}
	}
}

func (p *replay) letter(from, to, step, hop int, weight float64, payload messages.Payload) Letter {
	l := Letter{
		From: from + p.arm.Extent.FirstLabel, To: to + p.arm.Extent.FirstLabel,
		Step: step, Hop: hop, Weight: weight, Kind: payload.Kind().String(),
	}
	if v, ok := payload.(*messages.Vector); ok {
		l.Values = slices.Clone(v.Values)
	}
	return l
}

// compareJob compares the metrics of a job, up to a step, with those that a run
// recorded for it.
func compareJob(run *results.Run, again *results.Job, last int64) (v ReplayVerdict, err error) {
	type key struct {
		step   int64
		node   int32
		metric string
	}
	at := func(row *results.Row) key {
		k := key{row.Step, -1, row.Metric}
		if row.Node != nil {
			k.node = *row.Node
		}
		return k
	}
	values := map[key]float64{}
	for row := range again.Rows() {
		values[at(&row)] = row.Value
	}
	err = run.OfJob(again.Arm(), again.Seed(), func(row results.Row) error {
		if row.Step > last {
			return nil
		}
		v.Rows++
		// Bits, not values: NaN equals itself here, and 0 differs from -0.
		if got, ok := values[at(&row)]; !ok || math.Float64bits(got) != math.Float64bits(row.Value) {
			v.Differ++
		}
		return nil
	})
	return v, err
}
