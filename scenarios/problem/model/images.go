package model

import (
	"math"
	"slices"

	"starling/actors/option"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/problem/stream"
)

// ImageOptions describe the model and the images that it is learned from.
type ImageOptions struct {
	Set *dataset.ImageSet
	// Train and Test are the numbers of images that are used, the first of each part; 0 means
	// all.
	Train, Test int
	// Public is the number of images, the last ones of the training images, that belong to no
	// party and are public.
	Public int
	// Validation is the share of the training images, the last ones before the public ones, that
	// are held out for the choice of keys, one at least; 0 means none.
	Validation float64
	Partition  dataset.PartitionOptions
	// Model is the network that is learned; nil where the images are rows for another model.
	Model *Model
	// Label returns the label of a class in Stream and Rows; nil means the class itself.
	Label func(class float64) float64
	// Start is the initial model under every seed, len Dim of Model; nil means zeros or random
	// weights, see Problem.Start. New copies it.
	Start []float64
}

// ImageProblem is the problem that the options describe. It is immutable and safe for concurrent
// use; divisions of the data are computed once for each seed and kept.
type ImageProblem struct {
	options ImageOptions
	train   *dataset.Images // without the public ones
	public  *dataset.Images
	test    *dataset.Images
	// validation are the images of validation; nil where there are none.
	validation *dataset.Images
	// drawn draws the images of a client from all; nil where they are divided.
	drawn *dataset.Drawn

	federated, held stream.Memo[division, divided]
}

// division identifies a division of data: its seed, the number of parties, and the number of
// samples of each that are used, 0 for all.
type division struct {
	seed             uint64
	parties, samples int
}

type divided struct {
	federated *Federated
	err       error
}

// NewImageProblem checks the options. Errors are *option.Error, or from dataset.PartitionOptions.Validate.
func NewImageProblem(o ImageOptions) (*ImageProblem, error) {
	if err := option.Under("partition", o.Partition.Validate()); err != nil {
		return nil, err
	}
	if o.Train == 0 {
		o.Train = o.Set.Train.Len()
	}
	if o.Test == 0 {
		o.Test = o.Set.Test.Len()
	}
	switch {
	case o.Train < 1 || o.Train > o.Set.Train.Len():
		return nil, option.Errorf("train", "%d training images; %s has %d", o.Train, o.Set.Name, o.Set.Train.Len())
	case o.Test < 1 || o.Test > o.Set.Test.Len():
		return nil, option.Errorf("test", "%d test images; %s has %d", o.Test, o.Set.Name, o.Set.Test.Len())
	case o.Public < 0 || o.Public >= o.Train:
		return nil, option.Errorf("public", "%d public images of %d for training; want at least 0, and some that are not", o.Public, o.Train)
	case o.Model != nil && (o.Model.Inputs() != o.Set.Train.Shape.Dim() || o.Model.Classes() != o.Set.Classes):
		return nil, option.Errorf("model", "%d inputs and %d classes; the images have %d values and %d classes",
			o.Model.Inputs(), o.Model.Classes(), o.Set.Train.Shape.Dim(), o.Set.Classes)
	case o.Start != nil && len(o.Start) != o.Model.Dim():
		return nil, option.Errorf("start", "an initial model of %d parameters; the model has %d", len(o.Start), o.Model.Dim())
	}
	o.Start = slices.Clone(o.Start)
	own := o.Train - o.Public
	p := &ImageProblem{
		options: o,
		train:   o.Set.Train.Part(0, own),
		public:  o.Set.Train.Part(own, o.Train),
		test:    o.Set.Test.Part(0, o.Test),
	}
	if o.Validation > 0 {
		held := max(1, int(math.Round(o.Validation*float64(own))))
		if held >= own {
			return nil, option.Errorf("validation", "a share of %v of %d training images leaves none to learn from", o.Validation, own)
		}
		p.train, p.validation = o.Set.Train.Part(0, own-held), o.Set.Train.Part(own-held, own)
	}
	if o.Partition.Kind == dataset.PartitionDrawn {
		var err error
		if p.drawn, err = dataset.NewDrawn(o.Partition, p.train.Labels); err != nil {
			return nil, option.Errorf("partition", "%v", err)
		}
	}
	return p, nil
}

// Validates reports whether there are images of validation.
func (p *ImageProblem) Validates() bool { return p.validation != nil }

// Validation returns the images of validation, of which there must be some.
func (p *ImageProblem) Validation() Samples { return Images{Images: p.validation} }

// Model returns the model that is learned.
func (p *ImageProblem) Model() *Model { return p.options.Model }

// Test returns the test images.
func (p *ImageProblem) Test() Samples { return Images{Images: p.test} }

// Start returns the initial model under a seed, len Dim, the caller's own. It is the start of
// the options. Where they have none it is zeros without hidden layers, since the loss is then
// convex, and random weights otherwise.
func (p *ImageProblem) Start(seed uint64) []float64 {
	if p.options.Start != nil {
		return slices.Clone(p.options.Start)
	}
	m := p.options.Model
	x := make([]float64, m.Dim())
	if p.Random() {
		m.Init(x, rng.NewKey(seed, PurposeInit))
	}
	return x
}

// Random reports whether the initial model is drawn at random for each seed. It is for
// networks with hidden layers without given weights.
func (p *ImageProblem) Random() bool {
	return p.options.Start == nil && len(p.options.Model.Options().Layers) > 0
}

// split divides images among parties under a seed.
func (p *ImageProblem) split(im *dataset.Images, seed uint64, parties int) (dataset.Partition, error) {
	if im.Len() == 0 {
		return nil, option.Errorf("public", "no public images")
	}
	parts, err := dataset.Split(p.options.Partition, im.Labels, parties, rng.NewKey(seed, dataset.PurposePartition))
	if err != nil {
		return nil, option.Errorf("partition", "%v", err)
	}
	return parts, nil
}

// parts divides images among parties, each of which has at least one, or it is an error.
func (p *ImageProblem) parts(im *dataset.Images, of division) (dataset.Partition, error) {
	parts, err := p.split(im, of.seed, of.parties)
	if err != nil {
		return nil, err
	}
	for i, indices := range parts {
		switch least := p.options.Partition.Least; {
		case len(indices) == 0:
			return nil, option.Errorf("partition", "client %d has no images; %s", i+1, least(1))
		case len(indices) < of.samples:
			return nil, option.Errorf("partition", "client %d has %d images; want at least the %d samples of a client; %s", i+1, len(indices), of.samples, least(of.samples))
		}
		if of.samples > 0 {
			parts[i] = indices[:of.samples]
		}
	}
	return parts, nil
}

func (p *ImageProblem) divide(memo *stream.Memo[division, divided], im *dataset.Images, of division) (*Federated, error) {
	d := memo.Get(of, func() divided {
		parts, err := p.parts(im, of)
		if err != nil {
			return divided{err: err}
		}
		f, err := NewFederated(p.options.Model, Images{Images: im}, parts)
		if err != nil {
			return divided{err: option.Errorf("partition", "%v", err)}
		}
		return divided{federated: f}
	})
	return d.federated, d.err
}

// Federated returns the model on the training images, divided among clients under a seed.
// Every client has at least one, or it is an error.
func (p *ImageProblem) Federated(seed uint64, clients int) (*Federated, error) {
	return p.First(seed, clients, 0)
}

// First is Federated with only the first samples images of each client; it is an error if a
// client has fewer. 0 means all.
func (p *ImageProblem) First(seed uint64, clients, samples int) (*Federated, error) {
	return p.divide(&p.federated, p.train, division{seed, clients, samples})
}

// Drawn reports whether each client draws its images from all, so that clients can be any number. They have
// so many images each.
func (p *ImageProblem) Drawn() (images int, ok bool) { return p.options.Partition.Size, p.drawn != nil }

// Passing returns a client, from 0, of any number that draw their images, with the first samples of them; 0
// means all. Nothing is kept for it.
func (p *ImageProblem) Passing(seed uint64, client, samples int) *Client {
	return &Client{model: p.options.Model, data: Subset{Samples: Images{Images: p.train}, Indices: p.own(seed, client, samples)}}
}

// Panel is First for some of any number of clients that draw their images.
func (p *ImageProblem) Panel(seed uint64, clients []messages.NodeID, samples int) (*Federated, error) {
	var parts dataset.Partition
	for _, client := range clients {
		parts = append(parts, p.own(seed, int(client), samples))
	}
	return NewFederated(p.options.Model, Images{Images: p.train}, parts)
}

// own returns the first samples images of a client that draws them, or all.
func (p *ImageProblem) own(seed uint64, client, samples int) []int {
	indices := p.drawn.Of(client, rng.NewKey(seed, dataset.PurposePartition))
	if samples > 0 {
		return indices[:samples]
	}
	return indices
}

// Deals returns the number of images that a seed divides anew; 0 means that seeds do not
// decide the number of images of a client.
func (p *ImageProblem) Deals() int {
	if !p.options.Partition.Varies() {
		return 0
	}
	return p.train.Len() + p.public.Len()
}

// Labels counts the labels of clients under a seed: the labels of the client with the fewest,
// of the client with the most, and of all clients together.
func (p *ImageProblem) Labels(seed uint64, clients int) (fewest, most, all int, err error) {
	parts, err := p.split(p.train, seed, clients)
	if err != nil {
		return 0, 0, 0, err
	}
	fewest = math.MaxInt
	var together [256]bool
	for _, indices := range parts {
		var seen [256]bool
		n := 0
		for _, index := range indices {
			label := p.train.Labels[index]
			if !seen[label] {
				seen[label] = true
				n++
			}
			if !together[label] {
				together[label] = true
				all++
			}
		}
		fewest, most = min(fewest, n), max(most, n)
	}
	return fewest, most, all, nil
}

// Held returns the model on the public images, divided among clients in the same way.
func (p *ImageProblem) Held(seed uint64, clients int) (*Federated, error) {
	return p.divide(&p.held, p.public, division{seed: seed, parties: clients})
}
