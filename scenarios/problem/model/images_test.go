package model

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"starling/actors/option"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/problem/stream"
)

// imageSet are 60 images for training and 30 for tests, 4 x 4, of 3 classes in turn.
func imageSet(t testing.TB) *dataset.ImageSet {
	t.Helper()
	o := dataset.SyntheticOptions{Classes: 3, Train: 60, Test: 30, Channels: 1, Rows: 4, Columns: 4, Block: 1, Contrast: 100, Noise: 20}
	set, err := dataset.NewSynthetic(o, rng.NewKey(3, dataset.PurposeSynthetic))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func compiled(t testing.TB, o Options) *Model {
	t.Helper()
	m, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// options are softmax on all of imageSet, evenly divided.
func options(t testing.TB) ImageOptions {
	t.Helper()
	set := imageSet(t)
	return ImageOptions{
		Set: set, Model: compiled(t, Logistic(set.Train.Shape, set.Classes)),
		Partition: dataset.PartitionOptions{Kind: dataset.PartitionIID},
	}
}

func imageProblem(t testing.TB, o ImageOptions) *ImageProblem {
	t.Helper()
	p, err := NewImageProblem(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// gradient identifies what a client has by its gradients: the sum over its samples,
// unclipped, at zero.
func gradient(p *ImageProblem, f *Federated, client int) []float64 {
	sum := make([]float64, p.Model().Dim())
	c := f.Client(client)
	all := make([]int, c.Size())
	for i := range all {
		all[i] = i
	}
	c.SumClipped(sum, make([]float64, len(sum)), all, math.Inf(1))
	return sum
}

// TestOptionErrors checks what is refused, and under which name.
func TestOptionErrors(t *testing.T) {
	for _, test := range []struct {
		field, want string
		change      func(o *ImageOptions)
	}{
		{"train", "61 training images; synthetic has 60", func(o *ImageOptions) { o.Train = 61 }},
		{"train", "-1 training images", func(o *ImageOptions) { o.Train = -1 }},
		{"test", "31 test images; synthetic has 30", func(o *ImageOptions) { o.Test = 31 }},
		{"test", "-1 test images", func(o *ImageOptions) { o.Test = -1 }},
		{"public", "20 public images of 20 for training", func(o *ImageOptions) { o.Train, o.Public = 20, 20 }},
		{"public", "-1 public images", func(o *ImageOptions) { o.Public = -1 }},
		{"model", "25 inputs and 3 classes; the images have 16 values and 3 classes", func(o *ImageOptions) {
			o.Model = compiled(t, Logistic(dataset.Shape{Channels: 1, Rows: 5, Columns: 5}, 3))
		}},
		{"model", "16 inputs and 4 classes", func(o *ImageOptions) { o.Model = compiled(t, Logistic(o.Set.Train.Shape, 4)) }},
		{"validation", "a share of 0.99 of 20 training images leaves none", func(o *ImageOptions) { o.Train, o.Validation = 20, 0.99 }},
		{"start", "an initial model of 3 parameters; the model has 51", func(o *ImageOptions) { o.Start = make([]float64, 3) }},
		{"partition.kind", "", func(o *ImageOptions) { o.Partition.Kind = "even" }},
	} {
		o := options(t)
		test.change(&o)
		_, err := NewImageProblem(o)
		var located *option.Error
		if !errors.As(err, &located) || located.Path != test.field || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.field, err, test.want)
		}
	}
}

// TestDivisions checks that clients have all training images but the public ones,
// that Held divides these alone, and that a seed says which are whose.
func TestDivisions(t *testing.T) {
	o := options(t)
	o.Train, o.Public, o.Test = 50, 20, 10
	p := imageProblem(t, o)
	if p.Test().Len() != 10 {
		t.Errorf("%d test images", p.Test().Len())
	}
	for name, test := range map[string]struct {
		divide      func(seed uint64, clients int) (*Federated, error)
		first, size int
	}{"federated": {p.Federated, 0, 30}, "held": {p.Held, 30, 20}} {
		f, err := test.divide(1, 4)
		if err != nil {
			t.Fatal(err)
		}
		// What clients have together is the range of images, by its gradient.
		whole, err := NewFederated(p.Model(), Images{Images: o.Set.Train}, [][]int{interval(test.first, test.first+test.size)})
		if err != nil {
			t.Fatal(err)
		}
		total, samples := make([]float64, p.Model().Dim()), 0
		for i := range f.Clients() {
			for k, v := range gradient(p, f, i) {
				total[k] += v
			}
			samples += f.Client(i).Size()
			if n := f.Client(i).Size(); n < test.size/4 || n > test.size/4+1 {
				t.Errorf("%s: client %d has %d images of %d", name, i, n, test.size)
			}
		}
		for k, want := range gradient(p, whole, 0) {
			if math.Abs(total[k]-want) > 1e-4 {
				t.Fatalf("%s: the clients together have other images than %d to %d", name, test.first, test.first+test.size-1)
			}
		}
		if samples != test.size {
			t.Errorf("%s: %d images, want %d", name, samples, test.size)
		}
		again, err := test.divide(1, 4)
		if err != nil || again != f {
			t.Errorf("%s: divided twice (%v)", name, err)
		}
		fresh, err := imageProblem(t, o).Federated(1, 4)
		if err != nil {
			t.Fatal(err)
		}
		other, err := p.Federated(2, 4)
		if err != nil {
			t.Fatal(err)
		}
		if name == "federated" && (!slices.Equal(gradient(p, fresh, 0), gradient(p, f, 0)) || slices.Equal(gradient(p, other, 0), gradient(p, f, 0))) {
			t.Error("the seed alone does not say which image is whose")
		}
	}
}

func interval(first, end int) (list []int) {
	for i := first; i < end; i++ {
		list = append(list, i)
	}
	return list
}

// TestDivisionErrors checks divisions that leave somebody without images.
func TestDivisionErrors(t *testing.T) {
	field := func(err error, want string) {
		t.Helper()
		var o *option.Error
		if !errors.As(err, &o) || o.Path != want {
			t.Errorf("error %v, want one of %s", err, want)
		}
	}
	p := imageProblem(t, options(t))
	_, err := p.Held(1, 2)
	field(err, "public")
	_, err = p.Federated(1, 61)
	field(err, "partition")
	_, err = p.Federated(1, 0)
	field(err, "partition")
	_, again := p.Federated(1, 61)
	if again == nil {
		t.Error("an error is forgotten")
	}
}

// TestStart checks where networks start: at zeros without hidden layers, at weights of
// the seed with them, and at those of the options whatever the seed.
func TestStart(t *testing.T) {
	o := options(t)
	p := imageProblem(t, o)
	if x := p.Start(1); len(x) != 51 || slices.ContainsFunc(x, func(v float64) bool { return v != 0 }) {
		t.Errorf("softmax starts at %v", x)
	}
	o.Model = compiled(t, Perceptron(o.Set.Train.Shape, 3, 2))
	p = imageProblem(t, o)
	want := make([]float64, p.Model().Dim())
	p.Model().Init(want, rng.NewKey(7, PurposeInit))
	if !slices.Equal(p.Start(7), want) || slices.Equal(p.Start(8), want) {
		t.Error("a network with a hidden layer does not start at what Init draws under the seed")
	}
	o.Start = slices.Clone(want)
	p = imageProblem(t, o)
	o.Start[0] = 99
	p.Start(1)[1] = 99
	if !slices.Equal(p.Start(1), want) || !slices.Equal(p.Start(2), want) {
		t.Error("a given start depends on the seed, or on what callers do with it")
	}
}

// TestStream checks that a learner meets its own training images, none twice, and
// fresh ones of the same labels.
func TestStream(t *testing.T) {
	const learners = 3
	o := options(t)
	o.Partition = dataset.PartitionOptions{Kind: dataset.PartitionByLabel} // label l to learner l
	p := imageProblem(t, o)
	instance, err := p.Stream(5, stream.Shape{Learners: learners, Rounds: 10, Tau: 2})
	if err != nil {
		t.Fatal(err)
	}
	if instance.Width() != 17 || instance.TestSamples(0) != 10 {
		t.Fatalf("%d values, %d test samples; want 17 and a third of 30", instance.Width(), instance.TestSamples(0))
	}
	datum := make([]float64, 17)
	// find is the image of a part that a datum is.
	find := func(im *dataset.Images) int {
		for k := range im.Len() {
			same := datum[16] == float64(im.Labels[k])
			for j, v := range im.Bytes(k) {
				same = same && datum[j] == float64(float32(v)/255)
			}
			if same {
				return k
			}
		}
		return -1
	}
	var orders [learners][]int
	for i := range learners {
		for step := range 20 {
			instance.Datum(datum, messages.NodeID(i), step+1)
			k := find(o.Set.Train)
			if k < 0 || slices.Contains(orders[i], k) || datum[16] != float64(i) {
				t.Fatalf("learner %d meets image %d of label %v in step %d after %v", i, k, datum[16], step, orders[i])
			}
			orders[i] = append(orders[i], k)
		}
		seen := map[int]bool{}
		for k := range instance.TestSamples(messages.NodeID(i)) {
			instance.Test(datum, messages.NodeID(i), k)
			if at := find(o.Set.Test); at < 0 || seen[at] || datum[16] != float64(i) {
				t.Fatalf("test image %d of learner %d has label %v", at, i, datum[16])
			} else {
				seen[at] = true
			}
		}
	}
	if slices.IsSorted(orders[0]) {
		t.Error("images are met in the order of the file")
	}
	other, err := p.Stream(6, stream.Shape{Learners: learners, Rounds: 10, Tau: 2})
	if err != nil {
		t.Fatal(err)
	}
	differs := false
	for step := range 20 {
		other.Datum(datum, 0, step+1)
		differs = differs || find(o.Set.Train) != orders[0][step]
	}
	if !differs {
		t.Error("another seed, the same order")
	}
}

// TestFreshAlike checks the division of test images where labels are uneven: each
// learner has all that are its own, in the proportions of what it meets.
func TestFreshAlike(t *testing.T) {
	o := options(t)
	o.Partition = dataset.PartitionOptions{Kind: dataset.PartitionHalfByLabel}
	p := imageProblem(t, o)
	instance, err := p.Stream(1, stream.Shape{Learners: 3, Rounds: 10, Tau: 1})
	if err != nil {
		t.Fatal(err)
	}
	met, err := dataset.Split(o.Partition, o.Set.Train.Labels, 3, rng.NewKey(1, dataset.PurposePartition))
	if err != nil {
		t.Fatal(err)
	}
	// Of 10 test images of a label, learner i has the share of its training images,
	// rounded at the running sums: within one of it.
	datum, dealt := make([]float64, instance.Width()), 0
	for i := range met {
		want, have := [3]float64{}, [3]float64{}
		for _, k := range met[i] {
			want[o.Set.Train.Labels[k]] += 10. / 20
		}
		all := p.alike(met, p.test)[i]
		dealt += len(all)
		if got := instance.TestSamples(messages.NodeID(i)); got != len(all) {
			t.Errorf("learner %d: %d test samples, want %d", i, got, len(all))
		}
		for _, k := range all {
			have[o.Set.Test.Labels[k]]++
		}
		for label := range want {
			if math.Abs(want[label]-have[label]) >= 1 {
				t.Errorf("learner %d has %v test images of label %d for %v", i, have[label], label, want[label])
			}
		}
		instance.Test(datum, messages.NodeID(i), 0)
	}
	if dealt != 30 {
		t.Errorf("%d test samples are dealt, want all 30", dealt)
	}
}

// TestStreamErrors checks what a stream needs, and under which name it is missed.
func TestStreamErrors(t *testing.T) {
	o := options(t)
	for _, test := range []struct {
		field  string
		shape  stream.Shape
		change func(o *ImageOptions)
	}{
		{"partition", stream.Shape{Learners: 3, Rounds: 21, Tau: 1}, func(*ImageOptions) {}},
		{"partition", stream.Shape{Learners: 61, Rounds: 1, Tau: 1}, func(*ImageOptions) {}},
	} {
		changed := o
		test.change(&changed)
		_, err := imageProblem(t, changed).Stream(1, test.shape)
		var option *option.Error
		if !errors.As(err, &option) || option.Path != test.field {
			t.Errorf("%+v: error %v, want one of %s", test.shape, err, test.field)
		}
	}
	// A learner may have no image of some label, and nobody may have one: test images of it
	// are dealt all the same, as servers try their models on them too.
	o.Partition = dataset.PartitionOptions{Kind: dataset.PartitionByLabel}
	o.Train = 2
	for _, tests := range []int{0, 1} { // all, and one for two learners
		o.Test = tests
		p := imageProblem(t, o)
		in, err := p.Stream(1, stream.Shape{Learners: 2, Rounds: 1, Tau: 1})
		if err != nil {
			t.Fatalf("a label that nobody has: %v", err)
		}
		if got := in.TestSamples(0) + in.TestSamples(1); got != p.Test().Len() {
			t.Errorf("%d of %d test images are dealt", got, p.Test().Len())
		}
	}
}

// The clipped sums of any model on a stream, and those of package model, which are
// faster, are the same up to the rounding of single precision.
func TestClippedSumsOfAStream(t *testing.T) {
	p, err := NewImageProblem(options(t))
	if err != nil {
		t.Fatal(err)
	}
	m := p.Model()
	const clients, size = 2, 30
	divided, err := p.Federated(3, clients)
	if err != nil {
		t.Fatal(err)
	}
	data, err := p.Stream(3, stream.Shape{Learners: clients, Rounds: size, Tau: 1})
	if err != nil {
		t.Fatal(err)
	}
	corpus := stream.NewCorpus(m.Online(), data, clients, size)
	all := make([]int, size)
	for k := range all {
		all[k] = k
	}
	x, y := make([]float64, m.Dim()), make([]float64, m.Dim())
	r := rand.New(rand.NewPCG(1, 2))
	for k := range x {
		x[k], y[k] = r.NormFloat64()/20, r.NormFloat64()/20
	}
	fast, general := make([]float64, m.Dim()), make([]float64, m.Dim())
	for i := range clients {
		for _, clip := range []float64{0.3, 1, math.Inf(1)} {
			want, got := divided.Client(i).SumClipped(fast, x, all, clip), corpus.Party(i).SumClipped(general, x, all, clip)
			if want != got {
				t.Errorf("client %d, clip %v: %d gradients clipped, %d by package model", i, clip, got, want)
			}
			for k := range fast {
				if math.Abs(fast[k]-general[k]) > 1e-4*(1+math.Abs(fast[k])) {
					t.Fatalf("client %d, clip %v, entry %d: %v, and %v by package model", i, clip, k, general[k], fast[k])
				}
			}
		}
		want, got := divided.Client(i).SumLossChanges(x, y, all, 0.5), corpus.Party(i).SumLossChanges(x, y, all, 0.5)
		if math.Abs(want-got) > 1e-4*(1+math.Abs(want)) {
			t.Errorf("client %d: losses change by %v, and %v by package model", i, got, want)
		}
	}
	if want, err := divided.Evaluate(x); err != nil || math.Abs(want.Loss-corpus.Loss(x)) > 1e-4*want.Loss {
		t.Errorf("mean loss %v, and %v by package model, %v", corpus.Loss(x), want.Loss, err)
	}
}

// Images of validation are the last training images before the public ones, and learners meet none
// of them.
func TestValidationImages(t *testing.T) {
	o := options(t)
	o.Public, o.Validation, o.Model = 6, 0.25, nil
	p, err := NewImageProblem(o)
	if err != nil {
		t.Fatal(err)
	}
	own := o.Set.Train.Len() - 6
	held := own / 4
	if own%4 >= 2 {
		held++
	}
	if got, want := p.validation.Labels, o.Set.Train.Labels[own-held:own]; !slices.Equal(got, want) || !slices.Equal(p.train.Labels, o.Set.Train.Labels[:own-held]) || p.public.Len() != 6 {
		t.Fatalf("%d to learn from, %d of validation, %d public", p.train.Len(), p.validation.Len(), p.public.Len())
	}
	data, sizes, err := p.Rows(1, 2, 0)
	if err != nil {
		t.Fatal(err)
	}
	v, tests := stream.ValidationOf(data), 0
	datum := make([]float64, v.Width())
	for i := range sizes {
		for k := range v.TestSamples(messages.NodeID(i)) {
			v.Test(datum, messages.NodeID(i), k)
			tests++
		}
	}
	if tests != held || sizes[0]+sizes[1] != own-held {
		t.Errorf("%d rows of validation, want %d, and %v to learn from, of %d", tests, held, sizes, own-held)
	}
}

// TestDrawnImages: a client of a population has the images that it has where all clients are held, and a panel
// those of its clients.
func TestDrawnImages(t *testing.T) {
	o := options(t)
	o.Partition = dataset.PartitionOptions{Kind: dataset.PartitionDrawn, Size: 7, Alpha: 0.5}
	p := imageProblem(t, o)
	if size, drawn := p.Drawn(); size != 7 || !drawn {
		t.Errorf("%d images, drawn %v", size, drawn)
	}
	for _, samples := range []int{0, 4} {
		held, err := p.First(5, 30, samples)
		if err != nil {
			t.Fatal(err)
		}
		panel, err := p.Panel(5, []messages.NodeID{3, 29}, samples)
		if err != nil {
			t.Fatal(err)
		}
		x := make([]float64, p.Model().Dim())
		losses := panel.Losses(x)
		for k, client := range []int{3, 29} {
			e, err := held.Client(client).Evaluate(x)
			if err != nil || losses[k] != e.Loss {
				t.Errorf("client %d of the panel has the loss %v, held %v, %v", client, losses[k], e.Loss, err)
			}
		}
		for client := range 30 {
			if one := p.Passing(5, client, samples); !slices.Equal(one.data.Indices, held.Client(client).data.Indices) || one.Size() != map[int]int{0: 7, 4: 4}[samples] {
				t.Errorf("client %d has %v, and %v where all are held", client, one.data.Indices, held.Client(client).data.Indices)
			}
		}
	}
}
