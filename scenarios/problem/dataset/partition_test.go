package dataset

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"starling/mechanisms/rng"
)

// cyclic are n labels 0, 1, .., classes-1, 0, ..
func cyclic(n, classes int) []uint8 {
	labels := make([]uint8, n)
	for i := range labels {
		labels[i] = uint8(i % classes)
	}
	return labels
}

// drawOptions draws options of a kind that fit the labels and parties.
func drawOptions(t *rapid.T, labels []uint8, parties int) PartitionOptions {
	o := PartitionOptions{Kind: rapid.SampledFrom(slices.DeleteFunc(partitionKinds(), func(kind string) bool { return kind == PartitionDrawn })).Draw(t, "kind")}
	switch o.Kind {
	case PartitionShards:
		if len(labels) < parties {
			o.Kind = PartitionIID
			break
		}
		o.Shards = rapid.IntRange(parties, len(labels)).Draw(t, "shards")
		o.PerClient = rapid.IntRange(1, o.Shards/parties).Draw(t, "per_client")
	case PartitionDirichlet:
		o.Alpha = math.Pow(10, rapid.Float64Range(-6, 6).Draw(t, "log alpha"))
	case PartitionByLabel:
		classes, rarest := countLabels(labels)
		// So many takers that no label has fewer data than parties.
		if most := min(classes, rarest*classes/parties); most*parties >= classes && rapid.Bool().Draw(t, "some labels") {
			o.Labels = rapid.IntRange((classes+parties-1)/parties, most).Draw(t, "labels of a party")
		}
	case PartitionSizes:
		if rapid.Bool().Draw(t, "power law") {
			exponent := rapid.Float64Range(0, mostExponent).Draw(t, "exponent")
			o.Exponent = &exponent
		} else {
			o.Sizes = rapid.SliceOfN(rapid.Float64Range(1e-300, 1e300), parties, parties).Draw(t, "sizes")
		}
	case PartitionHalfByLabel:
		if int(slices.Max(labels)) >= parties {
			o.Kind = PartitionByLabel
		}
	}
	return o
}

// countLabels counts the labels that there are, and the data of the rarest.
func countLabels(labels []uint8) (classes, rarest int) {
	counts := map[uint8]int{}
	for _, label := range labels {
		counts[label]++
	}
	rarest = len(labels)
	for _, n := range counts {
		rarest = min(rarest, n)
	}
	return len(counts), rarest
}

// For all kinds: as many lists as parties, ascending, disjoint, together all
// indices (shards: as many shards as are dealt), the same every time.
func TestSplitProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		labels := rapid.SliceOfN(rapid.Uint8Range(0, 12), 1, 300).Draw(t, "labels")
		parties := rapid.IntRange(1, 40).Draw(t, "parties")
		key := rng.NewKey(rapid.Uint64().Draw(t, "key"), 0)
		o := drawOptions(t, labels, parties)
		p, err := Split(o, labels, parties, key)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Split(o, slices.Clone(labels), parties, key)
		if err != nil || !reflect.DeepEqual(p, again) {
			t.Fatalf("%+v: another time it differs, %v", o, err)
		}
		if len(p) != parties {
			t.Fatalf("%d lists", len(p))
		}
		seen := make([]bool, len(labels))
		total := 0
		for party, indices := range p {
			if !slices.IsSorted(indices) {
				t.Fatalf("party %d is not ascending", party)
			}
			for _, index := range indices {
				if seen[index] {
					t.Fatalf("index %d is dealt twice", index)
				}
				seen[index] = true
				total++
			}
		}
		if o.Kind != PartitionShards && total != len(labels) {
			t.Fatalf("%+v: %d of %d dealt", o, total, len(labels))
		}
		if o.Kind == PartitionShards {
			requireShards(t, o, labels, p)
		}
		if o.Labels > 0 {
			requireLabels(t, o.Labels, labels, p)
		}
		if o.Kind == PartitionIID {
			requireEven(t, p)
		}
	})
}

// requireLabels checks that every party has data of so many labels, that as many
// parties have one label as have another, up to one, and that each has as much of
// it, up to one datum.
func requireLabels(t *rapid.T, want int, labels []uint8, p Partition) {
	takers := map[uint8][]int{} // by label: the data of each party that has some
	for party, indices := range p {
		counts := map[uint8]int{}
		for _, index := range indices {
			counts[labels[index]]++
		}
		if len(counts) != want {
			t.Fatalf("party %d has %d labels, want %d", party, len(counts), want)
		}
		for label, n := range counts {
			takers[label] = append(takers[label], n)
		}
	}
	fewest, most := len(p), 0
	for label, counts := range takers {
		fewest, most = min(fewest, len(counts)), max(most, len(counts))
		if slices.Max(counts)-slices.Min(counts) > 1 {
			t.Fatalf("label %d is dealt as %v", label, counts)
		}
	}
	if most-fewest > 1 {
		t.Fatalf("some label is at %d parties, and some at %d", fewest, most)
	}
}

func requireEven(t *rapid.T, p Partition) {
	least, most := math.MaxInt, 0
	for _, indices := range p {
		least, most = min(least, len(indices)), max(most, len(indices))
	}
	if most-least > 1 {
		t.Fatalf("sizes %d to %d", least, most)
	}
}

// requireShards checks each party's list against the shards, found by the
// ranks of its data among all sorted by label and index.
func requireShards(t *rapid.T, o PartitionOptions, labels []uint8, p Partition) {
	for party, indices := range p {
		covered := map[int]int{} // data by shard
		for _, index := range indices {
			rank := 0
			for j, label := range labels {
				if label < labels[index] || label == labels[index] && j < index {
					rank++
				}
			}
			// Shard s has the ranks s n/S .. (s+1) n/S - 1, rounded down.
			shard := ((rank+1)*o.Shards+len(labels)-1)/len(labels) - 1
			covered[shard]++
		}
		if len(covered) != o.PerClient {
			t.Fatalf("party %d has %d shards, want %d", party, len(covered), o.PerClient)
		}
		for shard, n := range covered {
			if want := (shard+1)*len(labels)/o.Shards - shard*len(labels)/o.Shards; n != want {
				t.Fatalf("party %d has %d data of shard %d, want %d", party, n, shard, want)
			}
		}
	}
}

func TestByLabel(t *testing.T) {
	labels := cyclic(1000, 10)
	for parties, want := range map[int]int{1: 10, 3: 4, 10: 1, 20: 1, 25: 1} { // labels of party 0
		p, err := Split(PartitionOptions{Kind: PartitionByLabel}, labels, parties, testKey)
		if err != nil {
			t.Fatal(err)
		}
		for party, indices := range p {
			for _, index := range indices {
				if label := int(labels[index]); label%min(parties, 10) != party%min(parties, 10) {
					t.Errorf("%d parties: label %d at party %d", parties, label, party)
				}
			}
		}
		counts := map[uint8]int{}
		for _, index := range p[0] {
			counts[labels[index]]++
		}
		if len(counts) != want {
			t.Errorf("%d parties: party 0 has %d labels, want %d", parties, len(counts), want)
		}
	}
}

// ALI-DPFL, section on data: sorted by label, 400 shards, 40 a client, 10
// clients: all data are dealt and all sizes equal. With 40 shards and 4 a client
// each shard has 1500 data of one label, so a client has at most four labels.
func TestShardsOfALIDPFL(t *testing.T) {
	labels := cyclic(60000, 10)
	p, err := Split(PartitionOptions{Kind: PartitionShards, Shards: 400, PerClient: 40}, labels, 10, testKey)
	if err != nil {
		t.Fatal(err)
	}
	for party, indices := range p {
		if len(indices) != 6000 {
			t.Errorf("party %d has %d data", party, len(indices))
		}
	}
	p, err = Split(PartitionOptions{Kind: PartitionShards, Shards: 40, PerClient: 4}, labels, 10, testKey)
	if err != nil {
		t.Fatal(err)
	}
	for party, indices := range p {
		counts := make([]int, 10)
		for _, index := range indices {
			counts[labels[index]]++
		}
		for label, n := range counts {
			if n%1500 != 0 {
				t.Errorf("party %d has %d of label %d", party, n, label)
			}
		}
	}
}

// OFL: 10 learners, 60,000 images, 30,000 evenly at random, 30,000 by digit,
// digit l to learner l+1. Each learner has exactly 3000 of the random half. Of
// the 6000 images of a digit the by-digit half has a hypergeometric number of
// mean 3000; by Hoeffding's bound, which holds for drawing without replacement,
// it is off by more than e with probability at most 2 exp(-2 e^2/30000). There
// are 10 digits.
// Three or four labels a client, of ten (ALI-DPFL, section VI.A): as many data for
// each of ten clients, other labels under another key, and all labels in use.
func TestThreeOrFourLabels(t *testing.T) {
	labels := cyclic(6000, 10)
	for _, count := range []int{3, 4} {
		o := PartitionOptions{Kind: PartitionByLabel, Labels: count}
		p, err := Split(o, labels, 10, testKey)
		if err != nil {
			t.Fatal(err)
		}
		other, err := Split(o, labels, 10, testKey.Of(1))
		if err != nil {
			t.Fatal(err)
		}
		if reflect.DeepEqual(p, other) {
			t.Errorf("%d labels: the same under another key", count)
		}
		for party, indices := range p {
			has := map[uint8]int{}
			for _, index := range indices {
				has[labels[index]]++
			}
			if len(indices) != 600 || len(has) != count {
				t.Errorf("%d labels: client %d has %d data of %d labels", count, party+1, len(indices), len(has))
			}
		}
	}
}

func TestHalfByLabel(t *testing.T) {
	labels := cyclic(60000, 10)
	p, err := Split(PartitionOptions{Kind: PartitionHalfByLabel}, labels, 10, testKey)
	if err != nil {
		t.Fatal(err)
	}
	tolerance := math.Sqrt(30000 * math.Log(20/chance) / 2)
	for learner, indices := range p {
		own := 0
		for _, index := range indices {
			if int(labels[index]) == learner {
				own++
			}
		}
		// What is not of the own digit came with the 3000 of the random half.
		if others := len(indices) - own; others > 3000 {
			t.Errorf("learner %d has %d of other digits", learner, others)
		}
		byDigit := len(indices) - 3000
		if math.Abs(float64(byDigit)-3000) > tolerance {
			t.Errorf("learner %d has %d by digit, want 3000 within %.0f", learner, byDigit, tolerance)
		}
	}
	// Of the 3000 of the random half those of other digits have a hypergeometric
	// number of mean 2700, to which the same bound applies with 3000 drawn.
	tolerance = math.Sqrt(3000 * math.Log(20/chance) / 2)
	for learner, indices := range p {
		others := 0
		for _, index := range indices {
			if int(labels[index]) != learner {
				others++
			}
		}
		if math.Abs(float64(others)-2700) > tolerance {
			t.Errorf("learner %d has %d of other digits, want 2700 within %.0f", learner, others, tolerance)
		}
	}
}

// A share of a symmetric Dirichlet variable of n parties is
// Beta(alpha, (n-1) alpha) distributed. By the Dvoretzky-Kiefer-Wolfowitz
// inequality the empirical distribution function of m independent shares is
// off by more than e with probability at most 2 exp(-2 m e^2).
func TestDirichletMarginals(t *testing.T) {
	const m, n = 20_000, 5
	tolerance := math.Sqrt(math.Log(2/chance) / (2 * m))
	for _, alpha := range []float64{0.05, 0.3, 1, 10} {
		var stream rng.Stream
		r := stream.Open(testKey, 0, 0, 0)
		for _, party := range []int{0, n - 1} {
			x := make([]float64, m)
			shares := make([]float64, n)
			for i := range x {
				drawShares(shares, alpha, r)
				x[i] = shares[party]
			}
			slices.Sort(x)
			beta := distuv.Beta{Alpha: alpha, Beta: (n - 1) * alpha}
			distance := 0.0
			for i, v := range x {
				f := beta.CDF(v)
				distance = max(distance, f-float64(i)/m, float64(i+1)/m-f)
			}
			if distance > tolerance {
				t.Errorf("alpha %v, party %d: distance %v from the beta law, want at most %v", alpha, party, distance, tolerance)
			}
		}
	}
}

// The sizes follow the shares: the data of a label that a party gets are its
// share of them within 1, for running sums are rounded.
func TestCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 10000).Draw(t, "n")
		shares := make([]float64, rapid.IntRange(1, 20).Draw(t, "parties"))
		var stream rng.Stream
		r := stream.Open(rng.NewKey(rapid.Uint64().Draw(t, "key"), 0), 0, 0, 0)
		drawShares(shares, math.Pow(10, rapid.Float64Range(-6, 6).Draw(t, "log alpha")), r)
		sizes := make([]int, len(shares))
		ends := cut(shares, n, sizes)
		if ends[len(ends)-1] != n || !slices.IsSorted(ends) {
			t.Fatalf("ends %v of %d", ends, n)
		}
		for i, size := range sizes {
			if math.Abs(float64(size)-shares[i]*float64(n)) > 1+1e-6 {
				t.Fatalf("size %d for a share of %v of %d", size, shares[i], n)
			}
		}
	})
}

func TestDirichletMinSize(t *testing.T) {
	labels := cyclic(1000, 10)
	o := PartitionOptions{Kind: PartitionDirichlet, Alpha: 0.1}
	least := func() int {
		p, err := Split(o, labels, 10, testKey)
		if err != nil {
			t.Fatal(err)
		}
		n := math.MaxInt
		for _, indices := range p {
			n = min(n, len(indices))
		}
		return n
	}
	before := least()
	if before >= 25 {
		t.Fatalf("the least size is %d without a minimum; the test shows nothing", before)
	}
	o.MinSize = 25
	if after := least(); after < 25 {
		t.Errorf("least size %d", after)
	}
	o.MinSize = 99
	if _, err := Split(o, labels, 10, testKey); err == nil || !strings.Contains(err.Error(), "partition dirichlet: some party had less than min_size 99 data in each of 1000 draws, ") {
		t.Errorf("got %v", err)
	}
	o.MinSize = 101
	if _, err := Split(o, labels, 10, testKey); err == nil || !strings.Contains(err.Error(), "min_size 101 for 10 parties, but there are 1000 data") {
		t.Errorf("got %v", err)
	}
}

func TestShuffle(t *testing.T) {
	p, err := Split(PartitionOptions{Kind: PartitionIID}, cyclic(100, 10), 2, testKey)
	if err != nil {
		t.Fatal(err)
	}
	before := [][]int{slices.Clone(p[0]), slices.Clone(p[1])}
	s := p.Shuffle(testKey)
	for i := range p {
		if !slices.Equal(p[i], before[i]) {
			t.Error("the partition itself changed")
		}
		if slices.Equal(s[i], p[i]) {
			t.Errorf("party %d keeps its order", i)
		}
		slices.Sort(s[i])
		if !slices.Equal(s[i], p[i]) {
			t.Errorf("party %d has other data", i)
		}
	}
}

func TestSplitRefuses(t *testing.T) {
	labels := cyclic(100, 10)
	for _, test := range []struct {
		o       PartitionOptions
		labels  []uint8
		parties int
		want    string
	}{
		{PartitionOptions{Kind: "even"}, labels, 2, `kind: is "even", want one of iid, by-label, shards, dirichlet, half-by-label, sizes, drawn`},
		{PartitionOptions{Kind: PartitionIID, Alpha: 1}, labels, 2, "alpha: alpha is for kinds dirichlet and drawn only, and min_size for dirichlet"},
		{PartitionOptions{Kind: PartitionIID, Shards: 1}, labels, 2, "shards: shards and per_client are for kind shards only"},
		{PartitionOptions{Kind: PartitionShards}, labels, 2, "shards: is 0, want 1 to 2147483647\nper_client: is 0, want 1 to 2147483647"},
		{PartitionOptions{Kind: PartitionDirichlet, Alpha: math.NaN()}, labels, 2, "alpha: is NaN, want 1e-06 to 1e+06"},
		{PartitionOptions{Kind: PartitionDirichlet, Alpha: 1, MinSize: -1}, labels, 2, "min_size: is -1, want 0 to 2147483647"},
		{PartitionOptions{Kind: PartitionShards, Shards: 101, PerClient: 1}, labels, 2, "partition shards: 101 shards of 100 data, want at most one a datum"},
		{PartitionOptions{Kind: PartitionShards, Shards: 40, PerClient: 21}, labels, 2, "partition shards: 2 parties of 21 shards each, but there are 40 shards"},
		{PartitionOptions{Kind: PartitionHalfByLabel}, labels, 9, "partition half-by-label: label 9 has no party of its own; there are 9 parties"},
		{PartitionOptions{Kind: PartitionIID, Labels: 3}, labels, 2, "labels: labels is for kinds by-label and drawn only"},
		{PartitionOptions{Kind: PartitionByLabel, Labels: -1}, labels, 2, "labels: is -1, want 0 to 256"},
		{PartitionOptions{Kind: PartitionByLabel, Labels: 11}, labels, 2, "partition by-label: 11 labels a party, but the data have 10"},
		{PartitionOptions{Kind: PartitionByLabel, Labels: 4}, labels, 2, "partition by-label: 2 parties of 4 labels each leave out some of the 10 labels"},
		{PartitionOptions{Kind: PartitionByLabel, Labels: 10}, labels, 11, "partition by-label: 11 parties share a label that has 10 data"},
		{PartitionOptions{Kind: PartitionIID, Sizes: []float64{1, 2}}, labels, 2, "sizes: sizes and exponent are for kind sizes only"},
		{PartitionOptions{Kind: PartitionSizes}, labels, 2, "sizes: give one of sizes and exponent"},
		{PartitionOptions{Kind: PartitionSizes, Sizes: []float64{1, 2}, Exponent: new(float64)}, labels, 2, "sizes: give one of sizes and exponent"},
		{PartitionOptions{Kind: PartitionSizes, Sizes: []float64{0, math.Inf(1)}}, labels, 2, "sizes: size 0 of party 1; want a finite number above 0\nsizes: size +Inf of party 2; want a finite number above 0"},
		{PartitionOptions{Kind: PartitionSizes, Sizes: []float64{1, 2}}, labels, 3, "partition sizes: 2 sizes for 3 parties"},
		{PartitionOptions{Kind: PartitionIID, Size: 3}, labels, 2, "size: size is for kind drawn only"},
		{PartitionOptions{Kind: PartitionDrawn}, labels, 2, "size: is 0, want 1 to 2147483647"},
		{PartitionOptions{Kind: PartitionDrawn, Size: 5, Labels: 2, Alpha: 1}, labels, 2, "labels: give one of labels and alpha, or neither"},
		{PartitionOptions{Kind: PartitionDrawn, Size: 5, Alpha: 1e9}, labels, 2, "alpha: is 1e+09, want 1e-06 to 1e+06"},
		{PartitionOptions{Kind: PartitionDrawn, Size: 5, Alpha: 1, MinSize: 2}, labels, 2, "alpha: alpha is for kinds dirichlet and drawn only, and min_size for dirichlet"},
		{PartitionOptions{Kind: PartitionDrawn, Size: 101}, labels, 2, "partition drawn: 101 data a party, and there are 100"},
		{PartitionOptions{Kind: PartitionDrawn, Size: 200}, cyclic(200, 10), maxParties, "partition drawn: 1048576 parties of 200 data each; want at most 134217728 data in all"},
		{PartitionOptions{Kind: PartitionDrawn, Size: 50, Labels: 11}, labels, 2, "partition drawn: 11 labels a party, but the data have 10"},
		{PartitionOptions{Kind: PartitionDrawn, Size: 5, Labels: 6}, labels, 2, "partition drawn: 6 labels a party, of 5 data"},
		{PartitionOptions{Kind: PartitionDrawn, Size: 50, Labels: 2}, labels, 2, "partition drawn: 25 data of one label a party, and a label has 10"},
		{PartitionOptions{Kind: PartitionIID}, labels, 0, "partition: 0 parties, want 1 to 1048576"},
		{PartitionOptions{Kind: PartitionIID}, nil, 1, "partition: no data"},
	} {
		if _, err := Split(test.o, test.labels, test.parties, testKey); err == nil || err.Error() != test.want {
			t.Errorf("%+v: got %v, want %s", test.o, err, test.want)
		}
	}
}

// Parties get data in proportion to their sizes, within one datum, and with an exponent a the
// share of party i is i^-a of all: 60, 30 and 20 of 110 data by hand for a = 1.
func TestSizes(t *testing.T) {
	one := 1.0
	for name, test := range map[string]struct {
		o    PartitionOptions
		want []int
	}{
		"exponent":   {PartitionOptions{Kind: PartitionSizes, Exponent: &one}, []int{60, 30, 20}},
		"even":       {PartitionOptions{Kind: PartitionSizes, Exponent: new(float64)}, []int{37, 36, 37}},
		"counts":     {PartitionOptions{Kind: PartitionSizes, Sizes: []float64{7, 100, 3}}, []int{7, 100, 3}},
		"proportion": {PartitionOptions{Kind: PartitionSizes, Sizes: []float64{1, 8, 2}}, []int{10, 80, 20}},
	} {
		for seed := range uint64(20) {
			p, err := Split(test.o, cyclic(110, 10), 3, rng.NewKey(seed, PurposePartition))
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range test.want {
				if len(p[i]) != want {
					t.Errorf("%s: party %d has %d data, want %d", name, i+1, len(p[i]), want)
				}
			}
		}
		if test.o.Varies() || test.o.ByClass() {
			t.Errorf("%s: its numbers do not depend on seeds or classes", name)
		}
	}
}
