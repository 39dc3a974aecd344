package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"starling/actors/option"
	"starling/mechanisms/portable"
	"starling/mechanisms/rng"
)

// PurposePartition is the purpose of the key of Split and Shuffle.
var PurposePartition = rng.PurposeOf("data.partition")

// Kinds of partitions.
const (
	PartitionIID         = "iid"           // even and at random
	PartitionByLabel     = "by-label"      // label l to party l mod parties, or so many labels a party
	PartitionShards      = "shards"        // shards of the data sorted by label
	PartitionDirichlet   = "dirichlet"     // each label in Dirichlet proportions
	PartitionHalfByLabel = "half-by-label" // half even at random, half by label
	PartitionSizes       = "sizes"         // at random, so many to each party
	PartitionDrawn       = "drawn"         // each party draws from all data, by its own key
)

// partitionKinds lists the kinds.
func partitionKinds() []string {
	return []string{PartitionIID, PartitionByLabel, PartitionShards, PartitionDirichlet, PartitionHalfByLabel, PartitionSizes, PartitionDrawn}
}

// The streams of a partition's key, one for each use.
const (
	streamDeal   = iota // which index goes where
	streamShares        // Dirichlet shares; its step is the attempt
	streamOrder         // the order within a party
	streamLabels        // the order of labels
)

// maxParties is the largest number of parties.
const maxParties = 1 << 20

// mostLabels is the number of labels that a byte can tell apart.
const mostLabels = 256

// The range of Alpha: below it one party has practically all, above it shares are practically
// even.
const (
	leastAlpha = 1e-6
	mostAlpha  = 1e6
)

// dirichletAttempts is the most draws of shares until every party has MinSize data.
const dirichletAttempts = 1000

// PartitionOptions describe how labelled data are divided among parties.
type PartitionOptions struct {
	// Kind is one of partitionKinds, and decides which other options count; the others
	// must be 0.
	Kind string `yaml:"kind"`
	// Shards is the number of runs of (almost) equal length into which the data, sorted by
	// label, are cut. PerClient is the number of them, drawn at random without replacement,
	// that a party gets. Both are for shards only. ALI-DPFL has 400 and 40.
	Shards    int `yaml:"shards"`
	PerClient int `yaml:"per_client"`
	// Labels is the number of labels of which every party has data, the same for all; 0
	// divides the labels among the parties. It is for by-label only. ALI-DPFL speaks of three
	// or four. Of drawn it is the number of labels of a party, 0 for any.
	Labels int `yaml:"labels"`
	// Size is the number of data of each party; drawn only.
	Size int `yaml:"size"`
	// Alpha is the parameter of the symmetric Dirichlet distribution of a
	// label's shares over the parties: small is uneven. Of drawn it is of the shares of the labels at a party (Hsu, Qi,
	// Brown 2019), 0 for even ones. dirichlet and drawn only.
	Alpha float64 `yaml:"alpha"`
	// MinSize is the least number of data of a party: all shares are drawn
	// again, up to 1000 times, until every party has it, and Split fails if
	// none does. It thereby changes the distribution of the shares. 0 accepts
	// parties without data; dirichlet only.
	MinSize int `yaml:"min_size"`
	// Sizes are numbers in proportion to the data of each party, above 0, one for each. With
	// Exponent a >= 0 in their place, party i has a part proportional to i^-a. Both are for sizes
	// only.
	Sizes    []float64 `yaml:"sizes"`
	Exponent *float64  `yaml:"exponent"`
}

// Validate reports every option that is wrong, each as an [option.Error].
func (o PartitionOptions) Validate() error {
	errs := []error{requireOneOf("kind", o.Kind, partitionKinds())}
	if o.Kind == PartitionShards {
		errs = append(errs, requireRange("shards", o.Shards, 1, math.MaxInt32), requireRange("per_client", o.PerClient, 1, math.MaxInt32))
	} else if o.Shards != 0 || o.PerClient != 0 {
		errs = append(errs, option.Errorf("shards", "shards and per_client are for kind %s only", PartitionShards))
	}
	if o.Kind == PartitionByLabel || o.Kind == PartitionDrawn {
		errs = append(errs, requireRange("labels", o.Labels, 0, mostLabels))
	} else if o.Labels != 0 {
		errs = append(errs, option.Errorf("labels", "labels is for kinds %s and %s only", PartitionByLabel, PartitionDrawn))
	}
	if o.Kind == PartitionDirichlet {
		errs = append(errs, requireBetween("alpha", o.Alpha, leastAlpha, mostAlpha), requireRange("min_size", o.MinSize, 0, math.MaxInt32))
	} else if o.Kind == PartitionDrawn && o.Alpha != 0 && o.MinSize == 0 {
		errs = append(errs, requireBetween("alpha", o.Alpha, leastAlpha, mostAlpha))
	} else if o.Alpha != 0 || o.MinSize != 0 {
		errs = append(errs, option.Errorf("alpha", "alpha is for kinds %s and %s only, and min_size for %s", PartitionDirichlet, PartitionDrawn, PartitionDirichlet))
	}
	return errors.Join(append(errs, append(o.validateSizes(), o.validateDrawn())...)...)
}

// Varies reports whether the seed decides the numbers of data of parties, and not only which
// data they have.
func (o PartitionOptions) Varies() bool {
	return o.ByClass() && o.Kind != PartitionDrawn && (o.Kind != PartitionByLabel || o.Labels > 0)
}

// ByClass reports whether the labels of data decide the parties that have them.
func (o PartitionOptions) ByClass() bool {
	if o.Kind == PartitionDrawn {
		return o.Alpha > 0 || o.Labels > 0
	}
	return o.Kind != PartitionIID && o.Kind != PartitionSizes
}

// Least returns the remedy where a party has fewer data than the number wanted.
func (o PartitionOptions) Least(wanted int) string {
	if o.Kind == PartitionDirichlet && o.MinSize < wanted {
		return fmt.Sprintf("partition.min_size: %d has all shares be drawn again until every party has so many", wanted)
	}
	return "want more of them, or another partition"
}

// Partition has for each party the indices of its data, ascending. No index is
// in two parties, unless parties draw their data.
type Partition [][]int

// Split divides data with these labels among parties. Every index is in a
// party, apart from kind shards, which leaves out the shards that are not
// drawn, and kind drawn. It depends on its arguments alone.
//
//   - iid: sizes differ by at most 1.
//   - by-label: label l goes to party l mod n. With more parties than labels
//     the data of label l are dealt evenly at random to the parties that are
//     l modulo L; L is the largest label plus 1. With Labels, every party has
//     data of exactly so many labels: the labels stand in a random circle, of
//     which each party takes the next Labels, and the data of a label are dealt
//     evenly at random to the parties that took it. So the numbers of parties
//     that have a label differ by at most 1. There must be no more than L, and
//     enough that every label is taken.
//   - shards: the data sorted by label, then index, are cut in shards with lengths that differ
//     by at most 1; parties x per_client must not exceed them.
//   - dirichlet: the data of each label, in random order, are cut at the
//     running sums of its shares, rounded.
//   - drawn: each party draws Size distinct data from all, as Drawn does: parties may have
//     the same datum, and some data may have no party.
//   - sizes: the data in random order are cut at the running sums of the
//     sizes' shares, rounded.
//   - half-by-label: a random half of the data, rounded down, is dealt as iid
//     does and the others go by label, label l to party l from 0; there must
//     be a party for every label (Zhang, Zhu, Fay, Johansson, Locally
//     Differentially Private Online Federated Learning With Correlated Noise:
//     digit l to learner l+1).
func Split(o PartitionOptions, labels []uint8, parties int, key rng.Key) (Partition, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if parties < 1 || parties > maxParties {
		return nil, fmt.Errorf("partition: %d parties, want 1 to %d", parties, maxParties)
	}
	if len(labels) == 0 {
		return nil, errors.New("partition: no data")
	}
	p := make(Partition, parties)
	var err error
	switch o.Kind {
	case PartitionIID:
		p.deal(permutation(len(labels), key), 0, 1)
	case PartitionByLabel:
		if o.Labels > 0 {
			err = p.someLabels(o.Labels, labels, key)
		} else {
			p.byLabel(labels, key)
		}
	case PartitionShards:
		err = p.shards(o, labels, key)
	case PartitionDirichlet:
		err = p.dirichlet(o, labels, key)
	case PartitionHalfByLabel:
		err = p.halfByLabel(labels, key)
	case PartitionSizes:
		err = p.sizes(o, permutation(len(labels), key))
	case PartitionDrawn:
		err = p.drawn(o, labels, key)
	}
	if err != nil {
		return nil, fmt.Errorf("partition %s: %w", o.Kind, err)
	}
	// Ascending, so that a partition is a set for each party and no order: Shuffle draws
	// one.
	for _, indices := range p {
		slices.Sort(indices)
	}
	return p, nil
}

// Shuffle returns the partition with the indices of each party in an order
// drawn from the key, for parties that read their data as a stream.
func (p Partition) Shuffle(key rng.Key) Partition {
	shuffled := make(Partition, len(p))
	for i, indices := range p {
		shuffled[i] = slices.Clone(indices)
		reorder(shuffled[i], i, key)
	}
	return shuffled
}

// reorder puts the indices of a party in random order.
func reorder(indices []int, party int, key rng.Key) {
	var stream rng.Stream
	r := stream.Open(key, party, 0, streamOrder)
	r.Shuffle(len(indices), func(a, b int) { indices[a], indices[b] = indices[b], indices[a] })
}

// Alike divides all test data among the parties of a partition. The test data of a class, in
// their order, are cut at the running shares of the parties in the training data of the class,
// rounded down. Test data of classes that no party has are dealt in turn. class and
// classOfTest give the class of a datum, from 0.
func Alike(met Partition, class func(int) int, tests []int, classOfTest func(int) int, classes int) Partition {
	byClass := make([][]int, classes)
	for _, k := range tests {
		byClass[classOfTest(k)] = append(byClass[classOfTest(k)], k)
	}
	counts := make([][]int, len(met))
	all := make([]int, classes)
	for i, indices := range met {
		counts[i] = make([]int, classes)
		for _, k := range indices {
			counts[i][class(k)]++
			all[class(k)]++
		}
	}
	fresh, foreign := make(Partition, len(met)), 0
	for c, indices := range byClass {
		if all[c] == 0 {
			fresh.deal(indices, foreign%len(met), 1)
			foreign += len(indices)
			continue
		}
		before, first := 0, 0
		for i := range met {
			before += counts[i][c]
			end := before * len(indices) / all[c]
			fresh[i] = append(fresh[i], indices[first:end]...)
			first = end
		}
	}
	return fresh
}

// deal gives the indices in turn to the parties first, first+step, ...
func (p Partition) deal(indices []int, first, step int) {
	to := first
	for _, index := range indices {
		p[to] = append(p[to], index)
		if to += step; to >= len(p) {
			to = first
		}
	}
}

// byLabel gives all data of label l to party l mod n or, with more parties than labels,
// deals them to the parties that are l modulo L.
func (p Partition) byLabel(labels []uint8, key rng.Key) {
	groups := group(labels, permutation(len(labels), key))
	for label, indices := range groups {
		if len(p) <= len(groups) {
			p[label%len(p)] = append(p[label%len(p)], indices...)
		} else {
			p.deal(indices, label, len(groups))
		}
	}
}

// someLabels gives every party data of count labels.
func (p Partition) someLabels(count int, labels []uint8, key rng.Key) error {
	var groups [][]int // of the labels that there are
	for _, indices := range group(labels, permutation(len(labels), key)) {
		if len(indices) > 0 {
			groups = append(groups, indices)
		}
	}
	switch {
	case count > len(groups):
		return fmt.Errorf("%d labels a party, but the data have %d", count, len(groups))
	case count*len(p) < len(groups):
		return fmt.Errorf("%d parties of %d labels each leave out some of the %d labels", len(p), count, len(groups))
	}
	// The circle of labels: place k of count*parties places is label k mod L, and party
	// k/count stands at count places in a row.
	shuffle(groups, key, streamLabels)
	takers := make([][]int, len(groups)) // by label, ascending
	for place := range count * len(p) {
		takers[place%len(groups)] = append(takers[place%len(groups)], place/count)
	}
	for label, indices := range groups {
		if len(indices) < len(takers[label]) {
			return fmt.Errorf("%d parties share a label that has %d data", len(takers[label]), len(indices))
		}
		for k, index := range indices {
			party := takers[label][k%len(takers[label])]
			p[party] = append(p[party], index)
		}
	}
	return nil
}

// shards sorts the data by label, cuts them in shards, and gives every party PerClient
// shards drawn at random: most parties have data of few labels.
func (p Partition) shards(o PartitionOptions, labels []uint8, key rng.Key) error {
	if o.Shards > len(labels) {
		return fmt.Errorf("%d shards of %d data, want at most one a datum", o.Shards, len(labels))
	}
	if o.PerClient > o.Shards/len(p) {
		return fmt.Errorf("%d parties of %d shards each, but there are %d shards", len(p), o.PerClient, o.Shards)
	}
	sorted := make([]int, len(labels))
	for i := range sorted {
		sorted[i] = i
	}
	slices.SortStableFunc(sorted, func(a, b int) int { return cmp.Compare(labels[a], labels[b]) })
	order := permutation(o.Shards, key)
	for party := range p {
		for _, shard := range order[party*o.PerClient : (party+1)*o.PerClient] {
			p[party] = append(p[party], sorted[shard*len(sorted)/o.Shards:(shard+1)*len(sorted)/o.Shards]...)
		}
	}
	return nil
}

// halfByLabel deals a random half evenly, and gives the other half by label.
func (p Partition) halfByLabel(labels []uint8, key rng.Key) error {
	if largest := int(slices.Max(labels)); largest >= len(p) {
		return fmt.Errorf("label %d has no party of its own; there are %d parties", largest, len(p))
	}
	order := permutation(len(labels), key)
	half := len(order) / 2
	p.deal(order[:half], 0, 1)
	for _, index := range order[half:] {
		p[labels[index]] = append(p[labels[index]], index)
	}
	return nil
}

// dirichlet divides each label by shares drawn from a Dirichlet law. All labels are drawn
// again where some party has too few data: accepting the others' shares would favour
// them.
func (p Partition) dirichlet(o PartitionOptions, labels []uint8, key rng.Key) error {
	if o.MinSize > len(labels)/len(p) {
		return fmt.Errorf("min_size %d for %d parties, but there are %d data", o.MinSize, len(p), len(labels))
	}
	groups := group(labels, permutation(len(labels), key))
	shares := make([]float64, len(p))
	ends := make([][]int, len(groups)) // of each party's part of a label
	var stream rng.Stream
	most := 0 // the largest least size so far
	for attempt := range dirichletAttempts {
		r := stream.Open(key, 0, attempt, streamShares)
		sizes := make([]int, len(p))
		for label, indices := range groups {
			drawShares(shares, o.Alpha, r)
			ends[label] = cut(shares, len(indices), sizes)
		}
		if least := slices.Min(sizes); least < o.MinSize {
			most = max(most, least)
			continue
		}
		for label, indices := range groups {
			begin := 0
			for party, end := range ends[label] {
				p[party] = append(p[party], indices[begin:end]...)
				begin = end
			}
		}
		return nil
	}
	return fmt.Errorf("some party had less than min_size %d data in each of %d draws, %d at best; want a larger alpha or a smaller min_size", o.MinSize, dirichletAttempts, most)
}

// drawShares draws from the symmetric Dirichlet distribution. Gamma variables
// of a small alpha underflow, so their logarithms are drawn: a Gamma(alpha)
// variable is one of Gamma(alpha+1) times U^(1/alpha) (Marsaglia, Tsang 2000).
func drawShares(shares []float64, alpha float64, r *rng.Rand) {
	for i := range shares {
		shares[i] = portable.Log(drawGamma(alpha+1, r)) + portable.Log(rng.Unit(r.Uint64()))/alpha
	}
	// Relative to the largest the exponentials do not overflow, and the largest is 1.
	largest, sum := slices.Max(shares), 0.0
	for i := range shares {
		shares[i] = portable.Exp(shares[i] - largest)
		sum += shares[i]
	}
	for i := range shares {
		shares[i] /= sum
	}
}

// drawGamma draws from the gamma distribution of a shape of at least 1 and scale 1: candidates
// are d (1 + c x)^3 for a normal x, and are accepted so that the density is right (Marsaglia,
// Tsang 2000).
func drawGamma(shape float64, r *rng.Rand) float64 {
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := r.NormFloat64()
		v := 1 + float64(c*x)
		if v <= 0 {
			continue
		}
		v = float64(v * v * v)
		u := rng.Unit(r.Uint64())
		if portable.Log(u) < float64(x*x/2)+float64(d*(1-v+portable.Log(v))) {
			return d * v
		}
	}
}

// cut returns where the parts of n data end, the running sums of the shares
// rounded, and adds the parts' sizes.
func cut(shares []float64, n int, sizes []int) []int {
	ends := make([]int, len(shares))
	sum, begin := 0.0, 0
	for i, share := range shares {
		sum += share
		ends[i] = min(int(math.Round(float64(sum*float64(n)))), n)
		if i == len(shares)-1 {
			ends[i] = n // also the rest of rounding
		}
		sizes[i] += ends[i] - begin
		begin = ends[i]
	}
	return ends
}

// group sorts indices by their labels, keeping their order. It has a list for
// every label up to the largest.
func group(labels []uint8, indices []int) [][]int {
	groups := make([][]int, int(slices.Max(labels))+1)
	for _, index := range indices {
		groups[labels[index]] = append(groups[labels[index]], index)
	}
	return groups
}

// permutation draws an order of 0..n-1.
func permutation(n int, key rng.Key) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	shuffle(order, key, streamDeal)
	return order
}

// shuffle orders a list at random.
func shuffle[E any](list []E, key rng.Key, hop int) {
	var stream rng.Stream
	r := stream.Open(key, 0, 0, hop)
	r.Shuffle(len(list), func(a, b int) { list[a], list[b] = list[b], list[a] })
}
