package scenarios

import (
	"errors"
	"fmt"

	"starling/mechanisms/rng"
	"starling/scenarios/document"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/problem/experts"
	"starling/scenarios/problem/stream"
)

// adversaryPlan is a checked problem of prediction from experts.
type adversaryPlan struct {
	experts     int     // d
	linear      bool    // losses are linear, with entries in [0, alpha]
	alpha, beta float64 // Lipschitz constant and smoothness in the 1-norm
	// draw makes the losses of a seed.
	draw     func(seed uint64, horizon int) (experts.Instance, error)
	notes    []note
	warnings []warning
	// forced is the regret of a client that a pure epsilon for each loss forces by
	// the paper, and what it really does; nil where nothing is known.
	forced func(epsilon float64) (paper, really float64)
	// owners are the people whom losses are about; nil is nobody.
	owners *lossOwners
	held   float64 // about how many bytes the losses take that are read
}

// adversarySection is the problem section of an adversary that draws its losses.
type adversarySection[O any] struct {
	Kind    string `yaml:"kind,required"`
	Experts int    `yaml:"experts,required" doc:"number of experts, d"`
	Options O      `yaml:",inline"`
}

func defaultAdversary[O any](defaults func() O) adversarySection[O] {
	return adversarySection[O]{Options: defaults()}
}

func zero[O any]() (o O) { return o }

// adversaryOf returns an adversary's builder from its default options and its
// constructor.
func adversaryOf[O any](defaults func() O, construct func(o O, clients, experts int) (experts.Adversary, error)) adversaryBuilder {
	return func(_ *builder, section *document.Node, a *armFile) (*adversaryPlan, error) {
		s := defaultAdversary(defaults)
		if err := document.Decode(section, &s); err != nil {
			return nil, err
		}
		if s.Experts < 1 || s.Experts > mostDimension {
			return nil, section.Resolve(document.At("experts", "%d experts; want 1 to %d", s.Experts, mostDimension))
		}
		adversary, err := construct(s.Options, a.Nodes, s.Experts)
		if err != nil {
			return nil, section.Resolve(err)
		}
		return &adversaryPlan{
			experts: s.Experts, linear: adversary.Linear(), alpha: adversary.Alpha(), beta: adversary.Beta(), draw: adversary.Draw,
		}, nil
	}
}

var (
	buildUniformZero     = adversaryOf(zero[experts.UniformZeroOptions], experts.NewUniformZero)
	buildLinear          = adversaryOf(zero[experts.LinearOptions], experts.NewLinear)
	buildGaussianSoftmax = adversaryOf(experts.DefaultGaussianSoftmaxOptions, experts.NewGaussianSoftmax)
	buildLowerBound3     = adversaryOf(zero[experts.LowerBound3Options], experts.NewLowerBound3)
	buildOneSelectLosses = adversaryOf(zero[experts.OneSelectOptions], experts.NewOneSelect)
	buildLowerBound2     = adversaryOf(zero[struct{}], func(_ struct{}, clients, d int) (experts.Adversary, error) {
		return experts.NewLowerBound2(clients, d)
	})
)

// buildOneSelect builds the adversary of the second half of Theorem 2, with the
// regret that it forces: for all clients together a record is as many losses.
func buildOneSelect(b *builder, section *document.Node, a *armFile) (*adversaryPlan, error) {
	plan, err := buildOneSelectLosses(b, section, a)
	if err != nil {
		return nil, err
	}
	s := defaultAdversary(zero[experts.OneSelectOptions])
	if err := document.Decode(section, &s); err != nil {
		return nil, err
	}
	records := min(s.Options.Records, a.Horizon)
	plan.forced = func(epsilon float64) (paper, really float64) {
		return experts.SelectionRegret(s.Experts, records, epsilon), experts.SelectionRegret(s.Experts, records, float64(a.Nodes)*epsilon)
	}
	return plan, nil
}

// tablePlan is the plan of losses that are there as rows, for each seed.
func tablePlan(d, clients int, rows func(seed uint64) ([][]float64, error)) *adversaryPlan {
	return &adversaryPlan{experts: d, linear: true, alpha: 1, draw: func(seed uint64, horizon int) (experts.Instance, error) {
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

func defaultMovieLens() movieLensSection {
	return movieLensSection{Options: dataset.DefaultGenreLossOptions()}
}

// purposeOrder keys the order of the users of MovieLens.
var purposeOrder = rng.PurposeOf("movielens.order")

// buildMovieLens builds the losses of the genres of MovieLens 1M. They are those
// of the seed alone, whatever the arm.
func buildMovieLens(b *builder, section *document.Node, a *armFile) (*adversaryPlan, error) {
	s := defaultMovieLens()
	if err := document.Decode(section, &s); err != nil {
		return nil, err
	}
	if err := s.Options.Validate(); err != nil {
		return nil, section.Resolve(err)
	}
	ratings, digest, err := b.data.movieLens()
	if err != nil {
		return nil, section.Issuef("%v", err)
	}
	draw := func(seed uint64) (*dataset.GenreLosses, error) {
		return dataset.NewGenreLosses(ratings, s.Options, a.Nodes, a.Horizon, rng.NewKey(seed, purposeOrder))
	}
	first, err := draw(b.seeds.Base)
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
	plan.notes = []note{
		digest.note(),
		{"genres", fmt.Sprintf("best %s, by a mean of %.6g stars; losses are divided by %.6g stars; %d entries without a rating filled by %s",
			dataset.Genres[first.Best()], first.Means()[first.Best()], first.Scale(), first.Filled(), s.Options.Fill)},
	}
	plan.held = rowsBytes(a.Nodes*a.Horizon, first.Experts()) + ratingBytes*float64(len(ratings.Ratings))
	plan.owners = &lossOwners{name: "user", own: 1, computed: "the best genre and the scale", all: a.Nodes * a.Horizon}
	if s.Options.Fill == dataset.FillGenreMean {
		plan.owners.computed = "the best genre, the fills and the scale"
	}
	if ratings.Notice != "" {
		plan.warnings = []warning{{"data", "MovieLens 1M: " + ratings.Notice}}
	}
	return plan, nil
}

// ratingBytes is what a rating of MovieLens takes, for each job though all share the
// ratings.
const ratingBytes = 16

// rowsBytes is what so many rows of losses of d experts take.
func rowsBytes(rows, d int) float64 { return product(rows, 24+8*d) }

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

// fileSection is the problem section of losses from a file.
type fileSection struct {
	Kind string `yaml:"kind,required"`
	File string `yaml:"file,required" doc:"path, from where the program runs, of a CSV or Parquet file with the columns client, step, expert, loss, or client, step and a column for each expert"`
}

// buildFile builds the losses of a file: of the first clients and steps that it
// has, for every seed.
func buildFile(b *builder, section *document.Node, a *armFile) (*adversaryPlan, error) {
	var s fileSection
	if err := document.Decode(section, &s); err != nil {
		return nil, err
	}
	l, err := b.data.losses(s.File)
	if err != nil {
		return nil, section.Resolve(document.At("file", "%v", err))
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
	plan.held = rowsBytes(len(l.Rows), l.Experts)
	plan.notes = []note{dataDigest{s.File, l.SHA256}.note()}
	return plan, nil
}

// adversary builds the problem of an arm; arms that say the same of it share it.
func (b *builder) adversary(a *armFile, algorithm string, found *faults) *adversaryPlan {
	if a.Problem == nil {
		return nil
	}
	return shared(b, adversaryKey{a.Nodes, a.Horizon, a.Problem.Text()}, func() (*adversaryPlan, bool) {
		build, err := find[adversaryBuilder](b.kinds.problems, a.Problem, "the algorithm "+algorithm)
		if !found.note(err) {
			return nil, false
		}
		p, err := build(b, a.Problem, a)
		if !found.note(err) {
			return nil, false
		}
		if !b.usage.take(&b.usage.coordinates, product(4, a.Nodes, p.experts), mostCoordinates) {
			found.at(a.Problem.Path(), "the clients of all arms have over %d coordinates", mostCoordinates)
			return nil, false
		}
		return p, true
	})
}

// adversaryBuilder builds a problem of prediction from experts.
type adversaryBuilder = func(b *builder, section *document.Node, a *armFile) (*adversaryPlan, error)

// adversaryKey names a problem.
type adversaryKey struct {
	nodes, horizon int
	text           string
}
