package live

import (
	"cmp"
	"math"
	"slices"
)

// Join puts the progress of the parts of a run together, as one run of all would state it. It
// is nil for no parts. For parts of different runs it is the progress of the first run.
func Join(parts []*Run) *Run {
	parts = slices.DeleteFunc(slices.Clone(parts), func(p *Run) bool { return p == nil || p.Hash != firstOf(parts).Hash })
	if len(parts) < 2 {
		return firstOf(parts)
	}
	first := parts[0]
	all := *first
	all.Part, all.Warnings, all.WarningsMore, all.Speed, all.Left = "", nil, 0, nil, nil
	all.Runs, all.Steps, all.Workers, all.Memory, all.MemoryPeak = Count{}, Count{}, 0, 0, 0
	all.Arms = make([]ArmProgress, len(first.Arms))
	for i, a := range first.Arms {
		all.Arms[i] = ArmProgress{Name: a.Name, Values: a.Values, Horizon: a.Horizon}
	}
	for _, p := range parts {
		all.add(p)
	}
	all.Curves = joinCurves(parts)
	return &all
}

// firstOf is the first part that is not nil; nil where all are.
func firstOf(parts []*Run) *Run {
	for _, p := range parts {
		if p != nil {
			return p
		}
	}
	return nil
}

// add adds the progress of a part.
func (r *Run) add(p *Run) {
	r.Runs, r.Steps = r.Runs.plus(p.Runs), r.Steps.plus(p.Steps)
	r.Warnings, r.WarningsMore = append(r.Warnings, p.Warnings...), r.WarningsMore+p.WarningsMore
	if p.Started.Before(r.Started) {
		r.Started = p.Started
	}
	if p.Updated.After(r.Updated) {
		r.Updated = p.Updated
	}
	r.Elapsed, r.Next = max(r.Elapsed, p.Elapsed), max(r.Next, p.Next)
	if p.State == Running || p.State == Writing {
		r.State = Running
		r.Workers, r.Memory, r.MemoryPeak = r.Workers+p.Workers, r.Memory+p.Memory, r.MemoryPeak+p.MemoryPeak
		r.Speed = combined(r.Speed, p.Speed, func(a, b float64) float64 { return a + b })
		r.Left = combined(r.Left, p.Left, func(a, b float64) float64 { return max(a, b) })
	}
	for i := range min(len(r.Arms), len(p.Arms)) {
		to, from := &r.Arms[i], &p.Arms[i]
		to.Runs = to.Runs.plus(from.Runs)
		to.Running = append(to.Running, from.Running...)
		to.Seeds = letters(to.Seeds, from.Seeds)
	}
}

// letters joins the letters of an arm in two parts: for each seed the letter of the part that
// has it.
func letters(a, b string) string {
	if len(a) != len(b) {
		return a + b[min(len(a), len(b)):] // one of them is absent
	}
	both := []byte(a)
	for i := range both {
		if both[i] == '-' {
			both[i] = b[i]
		}
	}
	return string(both)
}

func (c Count) plus(d Count) Count { return Count{c.All + d.All, c.Done + d.Done, c.Before + d.Before} }

// combined applies f to two numbers. Either may be unknown.
func combined(a, b *float64, f func(a, b float64) float64) *float64 {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	x := f(*a, *b)
	return &x
}

// joinCurves joins the curves of all parts: its means are over the seeds of all of them.
func joinCurves(parts []*Run) []Curve {
	type key struct{ arm, metric string }
	type point struct {
		n             int
		mean, squares float64
	}
	joined, order, pauses := map[key]map[int64]point{}, []key{}, map[key]bool{}
	for _, p := range parts {
		for _, c := range p.Curves {
			k := key{c.Arm, c.Metric}
			if joined[k] == nil {
				joined[k] = map[int64]point{}
				order = append(order, k)
			}
			pauses[k] = pauses[k] || c.AtPauses
			for i, step := range c.Steps {
				at, n, mean := joined[k][step], c.N[i], float64(c.Mean[i])
				squares := 0.0
				if n > 1 {
					squares = float64(c.SE[i]) * float64(c.SE[i]) * float64(n) * float64(n-1)
				}
				both := at.n + n
				if both < 1 {
					continue
				}
				delta := mean - at.mean
				at.mean += delta * float64(n) / float64(both)
				at.squares += squares + delta*delta*float64(at.n)*float64(n)/float64(both)
				at.n = both
				joined[k][step] = at
			}
		}
	}
	curves := []Curve{}
	for _, k := range order {
		c := Curve{Arm: k.arm, Metric: k.metric, Steps: []int64{}, Mean: []Float{}, SE: []Float{}, N: []int{}, AtPauses: pauses[k]}
		for step := range joined[k] {
			c.Steps = append(c.Steps, step)
		}
		slices.Sort(c.Steps)
		for _, step := range c.Steps {
			at := joined[k][step]
			se := math.NaN()
			if at.n > 1 {
				se = math.Sqrt(at.squares / float64(at.n-1) / float64(at.n))
			}
			c.Mean, c.SE, c.N = append(c.Mean, Float(at.mean)), append(c.SE, Float(se)), append(c.N, at.n)
		}
		curves = append(curves, c)
	}
	return curves
}
