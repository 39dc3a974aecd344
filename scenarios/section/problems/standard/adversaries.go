package standard

import (
	"errors"
	"fmt"

	"starling/mechanisms/rng"
	"starling/scenarios/document"
	"starling/scenarios/inputs"
	"starling/scenarios/limits"
	"starling/scenarios/problem"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/problem/experts"
	"starling/scenarios/problem/stream"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// adversarySection is the problem section of an adversary that draws its losses.
type adversarySection[O any] struct {
	Kind    string `yaml:"kind,required"`
	Experts int    `yaml:"experts,required" unit:"experts" range:"1 to 1000000" doc:"number of experts, d"`
	Options O      `yaml:",inline"`
}

// DefaultAdversary returns the section of an adversary with the default options.
func DefaultAdversary[O any](defaults func() O) adversarySection[O] {
	return adversarySection[O]{Options: defaults()}
}

// Zero returns the zero options, with all keys absent, for kinds without defaults.
func Zero[O any]() (o O) { return o }

// adversaryOf returns an adversary's builder from its default options and its
// constructor. The options stand in the section of the problem, beside kind and experts.
// Errors name the place of the option.
func adversaryOf[O any](defaults func() O, construct func(o O, clients, experts int) (*experts.Adversary, error)) problems.AdversaryBuilder {
	return func(_ *study.Builder, section *document.Node, a *study.ArmFile) (*problems.Adversary, error) {
		s := DefaultAdversary(defaults)
		if err := document.Decode(section, &s); err != nil {
			return nil, err
		}
		if s.Experts < 1 || s.Experts > limits.Dimension {
			return nil, section.Resolve(document.At("experts", "%d experts; want 1 to %d", s.Experts, limits.Dimension))
		}
		adversary, err := construct(s.Options, a.Nodes, s.Experts)
		if err != nil {
			return nil, section.Resolve(err)
		}
		return &problems.Adversary{
			Experts: s.Experts, Linear: adversary.Linear, Alpha: adversary.Alpha, Beta: adversary.Beta, Model: adversary.Model,
			Compared: true, Draw: func(seed uint64, horizon int) (problem.Instance, error) { return adversary.Draw(seed, horizon) },
		}, nil
	}
}

// Losses of prediction with expert advice, each for as many clients as the arm has nodes.
var (
	UniformZero     = ForLinearExperts(adversaryOf(Zero[experts.UniformZeroOptions], experts.NewUniformZero))
	Linear          = ForLinearExperts(adversaryOf(Zero[experts.LinearOptions], experts.NewLinear))
	GaussianSoftmax = softmaxForms{ForExperts(adversaryOf(experts.DefaultGaussianSoftmaxOptions, experts.NewGaussianSoftmax))}
	LowerBound3     = ForLinearExperts(adversaryOf(Zero[experts.LowerBound3Options], experts.NewLowerBound3))
	LowerBound2     = ForLinearExperts(adversaryOf(Zero[struct{}], func(_ struct{}, clients, d int) (*experts.Adversary, error) {
		return experts.NewLowerBound2(clients, d)
	}))
	OneSelect = ForLinearExperts(buildOneSelect)
	MovieLens = ForLinearExperts(buildMovieLens)
	FromFile  = ForLinearExperts(buildFile)
)

// softmaxForms are the forms of gaussian-softmax, whose losses are linear with some options.
type softmaxForms struct{ Experts }

// LinearLosses implements problems.AsLinearLosses.
func (e softmaxForms) LinearLosses(b *study.Builder, section *document.Node, a *study.ArmFile) (*problems.Adversary, error) {
	p, err := e.Losses(b, section, a)
	switch {
	case err != nil:
		return nil, err
	case !p.Linear:
		err = document.At("loss", "losses of experts in [0, 1] are needed, and these are not linear in the decision; give loss: %s, with clip: 1", experts.LinearInDecision)
	case p.Alpha > 1:
		err = document.At("clip", "losses of experts in [0, 1] are needed, and these are up to %.6g; give clip: 1, or less", p.Alpha)
	}
	return p, section.Resolve(err)
}

// buildOneSelectLosses builds the losses of buildOneSelect.
var buildOneSelectLosses = adversaryOf(Zero[experts.OneSelectOptions], experts.NewOneSelect)

// buildOneSelect builds the adversary of the second half of Theorem 2, with the
// regret that it forces: for all clients together a record is as many losses.
func buildOneSelect(b *study.Builder, section *document.Node, a *study.ArmFile) (*problems.Adversary, error) {
	plan, err := buildOneSelectLosses(b, section, a)
	if err != nil {
		return nil, err
	}
	s := DefaultAdversary(Zero[experts.OneSelectOptions])
	if err := document.Decode(section, &s); err != nil {
		return nil, err
	}
	records := min(s.Options.Records, a.Horizon)
	plan.Forced = func(epsilon float64) (paper, really float64) {
		return experts.SelectionRegret(s.Experts, records, epsilon), experts.SelectionRegret(s.Experts, records, float64(a.Nodes)*epsilon)
	}
	return plan, nil
}

// tablePlan returns the adversary of losses that are given as rows, for each seed. A row has d
// losses. The rows of client 1 at all steps are first, then the rows of client 2. They are in
// [0, 1] and linear in the decision.
func tablePlan(d, clients int, rows func(seed uint64) ([][]float64, error)) *problems.Adversary {
	return &problems.Adversary{Experts: d, Linear: true, Alpha: 1, Model: experts.NewLinearModel(d), Compared: true, Draw: func(seed uint64, horizon int) (problem.Instance, error) {
		list, err := rows(seed)
		if err != nil {
			return nil, err
		}
		table, err := experts.NewTable(list, clients)
		if err != nil {
			return nil, err
		}
		return table.Draw(seed, horizon)
	}}
}

// movieLensSection is the problem section of MovieLens.
type movieLensSection struct {
	Kind    string                   `yaml:"kind,required"`
	Options dataset.GenreLossOptions `yaml:",inline"`
}

// DefaultMovieLens returns the section problem of movielens with the values of keys
// that are absent.
func DefaultMovieLens() movieLensSection {
	return movieLensSection{Options: dataset.DefaultGenreLossOptions()}
}

// purposeOrder keys the order of the users of MovieLens.
var purposeOrder = rng.PurposeOf("movielens.order")

// buildMovieLens builds the losses of the genres of MovieLens 1M. They depend on the seed,
// which orders the users, and not on the arm. Each user has one loss. The best genre and the
// scale of all losses are computed from everybody's ratings without noise, so that protection
// of one loss does not protect a user. Owners has the privacy loss of a user.
func buildMovieLens(b *study.Builder, section *document.Node, a *study.ArmFile) (*problems.Adversary, error) {
	s := DefaultMovieLens()
	if err := document.Decode(section, &s); err != nil {
		return nil, err
	}
	if err := s.Options.Validate(); err != nil {
		return nil, section.Resolve(err)
	}
	ratings, digest, err := dataset.MovieLensIn(b.Data)
	if err != nil {
		return nil, section.Issuef("%v", err)
	}
	draw := func(seed uint64) (*dataset.GenreLosses, error) {
		return dataset.NewGenreLosses(ratings, s.Options, a.Nodes, a.Horizon, rng.NewKey(seed, purposeOrder))
	}
	first, err := draw(b.Seeds.Base)
	if err != nil {
		return nil, section.Issuef("%v", err)
	}
	var memo stream.Memo[uint64, [][]float64]
	plan := tablePlan(first.Experts(), a.Nodes, func(seed uint64) (list [][]float64, err error) {
		list = memo.Get(seed, func() (list [][]float64) {
			var l *dataset.GenreLosses
			if l, err = draw(seed); err == nil {
				list = rowsOfGenres(l)
			}
			return list
		})
		return list, err
	})
	plan.Notes = []study.Note{
		study.NoteOfData(digest),
		{Key: "genres", Value: fmt.Sprintf("best %s, by a mean of %.6g stars; losses are divided by %.6g stars; %d entries without a rating filled by %s",
			dataset.Genres[first.Best()], first.Means()[first.Best()], first.Scale(), first.Filled(), s.Options.Fill)},
	}
	plan.Held = rowsBytes(a.Nodes*a.Horizon, first.Experts()) + float64(ratingBytes*float64(len(ratings.Ratings)))
	plan.Owners = &problems.LossOwners{Name: "user", Own: 1, Computed: "the best genre and the scale", All: a.Nodes * a.Horizon}
	if s.Options.Fill == dataset.FillGenreMean {
		plan.Owners.Computed = "the best genre, the fills and the scale"
	}
	if ratings.Notice != "" {
		plan.Warnings = []study.Warning{{Code: "data", Message: "MovieLens 1M: " + ratings.Notice}}
	}
	return plan, nil
}

// ratingBytes is the number of bytes of a rating of MovieLens. It counts for each job, though
// all jobs share the ratings.
const ratingBytes = 16

// rowsBytes returns the number of bytes of rows of losses of d experts.
func rowsBytes(rows, d int) float64 { return limits.Product(rows, 24+8*d) }

// rowsOfGenres lists the losses of each client and step.
func rowsOfGenres(l *dataset.GenreLosses) [][]float64 {
	list := make([][]float64, 0, l.Clients()*l.Horizon())
	for client := range l.Clients() {
		for step := 1; step <= l.Horizon(); step++ {
			list = append(list, l.Losses(client, step))
		}
	}
	return list
}

// FileSection is the problem section of losses from a file.
type FileSection struct {
	Kind string `yaml:"kind,required"`
	File string `yaml:"file,required" range:"a path" doc:"path, from where the program runs, of a CSV or Parquet file with the columns client, step, expert, loss, or client, step and a column for each expert"`
}

// buildFile builds the losses of a file: of the first clients and steps that it has, the
// same for every seed. A file with fewer clients or steps than the scenario is an error,
// at the keys nodes and horizon.
func buildFile(b *study.Builder, section *document.Node, a *study.ArmFile) (*problems.Adversary, error) {
	var s FileSection
	if err := document.Decode(section, &s); err != nil {
		return nil, err
	}
	l, err := dataset.LossesIn(b.Data, s.File)
	if err != nil {
		return nil, section.Resolve(document.AtEach("file", err))
	}
	var short []error
	if a.Nodes > l.Clients {
		short = append(short, document.At("nodes", "%d clients; %s has %d", a.Nodes, s.File, l.Clients))
	}
	if a.Horizon > l.Steps {
		short = append(short, document.At("horizon", "%d steps; %s has %d", a.Horizon, s.File, l.Steps))
	}
	if short != nil {
		return nil, errors.Join(short...)
	}
	plan := tablePlan(l.Experts, a.Nodes, func(uint64) ([][]float64, error) { return l.Rows[:a.Nodes*l.Steps], nil })
	plan.Held = rowsBytes(len(l.Rows), l.Experts)
	plan.Notes = []study.Note{study.NoteOfData(inputs.Digest{Name: s.File, Sha256: l.SHA256})}
	if l.Left != nil {
		plan.Notes = append(plan.Notes, study.Note{Key: "left-out", Value: fmt.Sprintf("row numbers, which are no losses: %q", l.Left)})
	}
	return plan, nil
}
