package standard

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"starling/mechanisms/rng"
	"starling/scenarios/document"
	"starling/scenarios/inputs"
	"starling/scenarios/kind"
	"starling/scenarios/ledger"
	"starling/scenarios/limits"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/problem/model"
	"starling/scenarios/problem/vector"
	"starling/scenarios/study"
)

// Images is the piece of images in the catalog.
type Images struct{}

// Narrower implements problems.Narrows: a network without hidden layers.
func (Images) Narrower() []string {
	return []string{"problem.model", "{kind: " + modelSoftmax + "}", "problem.set", "null"}
}

// imagesSection is the section of a problem that learns to classify images.
type imagesSection struct {
	Kind       string           `yaml:"kind,required"`
	Set        *document.Node   `yaml:"set" doc:"Omega, the compact convex set that decisions are from: nodes without a server need it, learners of a stream play projections on it, and those who draw batches project local steps on it, where it is given, and opestoch decides on the simplex with it or without; absent, none"`
	Data       string           `yaml:"data,required" range:"mnist, fashion-mnist, cifar-10 or synthetic" doc:"data set: mnist, fashion-mnist, cifar-10, or synthetic, which is generated, of the shape of MNIST"`
	Train      int              `yaml:"train" min:"0" says:"%v training images" unit:"images" doc:"training images, the first of the data set; absent, all, or 6000 synthetic ones"`
	Test       int              `yaml:"test" min:"0" says:"%v test images" unit:"images" doc:"test images, the first of the data set; absent, all, or 1000 synthetic ones"`
	Public     int              `yaml:"public" min:"0" says:"%v public images" unit:"images" doc:"how many of the training images, the last, are nobody's and public, for public statistics; absent, 0"`
	Validation float64          `yaml:"validation" over:"0" under:"1" says:"a validation share of %v" unit:"share of images" doc:"share of the training images, the last ones before the public ones, that are held out for the choice of keys, one at least; absent, none"`
	Model      *document.Node   `yaml:"model,required" doc:"model to learn: a network, or a model of rows"`
	Positive   []int            `yaml:"positive" min:"1" says:"%v classes" unit:"classes" range:"classes, from 0" doc:"for models of two labels such as logistic and hinge: the classes with label 1; all others have label -1; absent, the second half of the classes"`
	Partition  partitionSection `yaml:"partition,required" doc:"division of the training images among parties"`
}

// Kinds of models.
const (
	modelSoftmax = "softmax"
	modelMLP     = "mlp"
	modelCNN     = "cnn"
)

// NetworkSection is the section of a network. It may have keys that its kind does not use, so
// that a sweep can change the kind.
type NetworkSection struct {
	Kind    string        `yaml:"kind,required" oneof:"softmax mlp cnn" doc:"softmax, multinomial logistic regression; mlp, one dense hidden layer or several; cnn, two convolutions of 3x3"`
	Hidden  []int         `yaml:"hidden" unit:"units" range:"at least 1 each" doc:"units of the dense layers before the output, each with ReLU; absent, 128 of mlp and 64 of cnn; softmax has none"`
	Filters int           `yaml:"filters" min:"1" says:"%v filters" unit:"filters" doc:"filters of each convolution of cnn"`
	Pooling model.Pooling `yaml:"pooling" oneof:"each last" doc:"where cnn takes maxima of 2x2: each, after each convolution, or last, once after both"`
	Padding string        `yaml:"padding" oneof:"valid same" doc:"padding of the convolutions of cnn: valid or same"`
	Weights *string       `yaml:"weights" range:"a path" doc:"path, from the scenario's folder or else from where the program runs, of a safetensors file to start from, such as one of models/ of a run; absent, zeros without hidden layers, and random weights with them; what the file says that it cost is added to the ledger where it is of the same data, and a file that does not say is unknown"`
}

// partitionSection divides training images among the nodes.
type partitionSection struct {
	Kind      string    `yaml:"kind,required" oneof:"iid by-label shards dirichlet half-by-label sizes drawn" doc:"iid, even and at random; by-label, label l to node l mod nodes, or with labels so many of them to every node; shards of the images sorted by label; dirichlet, each label in random shares; half-by-label, half even and half by label; sizes, at random, so many to each node; drawn, size of all images or training rows to each node, drawn by its own key, so that nodes may be any number and share them"`
	Shards    int       `yaml:"shards" unit:"shards" range:"at least 1" doc:"of kind shards: into how many the sorted images are cut; absent, not given, which shards refuses"`
	PerClient int       `yaml:"per_client" unit:"shards" range:"at least 1" doc:"of kind shards: how many each node gets, at random; absent, not given, which shards refuses"`
	Labels    int       `yaml:"labels" min:"0" max:"256" says:"%v labels" unit:"labels" doc:"of kinds by-label and drawn: of how many labels each node has rows or images, at random; absent, the labels are divided among the nodes, or any are drawn"`
	Alpha     float64   `yaml:"alpha" unit:"none" range:"1e-6 to 1e6" doc:"of kind dirichlet: parameter of the shares of a label among nodes, uneven if small; of kind drawn: of the shares of labels at a node; absent, not given, which dirichlet refuses, and of drawn any images"`
	MinSize   int       `yaml:"min_size" unit:"images" range:"at least 0" doc:"of kind dirichlet: shares are drawn again until every node has so many images; absent, 0"`
	Size      int       `yaml:"size" unit:"rows or images" range:"at least 1" doc:"of kind drawn: rows or images of each node; absent, not given, which drawn refuses"`
	Sizes     []float64 `yaml:"sizes" min:"1" says:"%v sizes" unit:"none" range:"above 0" doc:"of kind sizes: numbers in proportion to the rows or images of each node, one for each; absent, exponent says it"`
	Exponent  *float64  `yaml:"exponent" min:"0" max:"100" says:"an exponent of %v" unit:"none" doc:"of kind sizes: a, where node i has a part proportional to i^-a; absent, sizes says it"`
}

// DefaultNetwork returns the section of a network with the values of keys that are absent.
func DefaultNetwork() NetworkSection {
	c := model.PerStepConvolutional()
	return NetworkSection{Filters: c.Filters, Pooling: c.Pooling, Padding: c.Padding}
}

// DefaultImages returns the section problem of images with the values of keys that are
// absent.
func DefaultImages() imagesSection { return imagesSection{} }

// imageSets returns the names of the data sets of images.
func imageSets() []string {
	return []string{dataset.MNIST, dataset.FashionMNIST, dataset.CIFAR10, dataset.Synthetic}
}

// pictures is a checked problem with images.
type pictures struct {
	imageModel
	Problem  *model.ImageProblem
	set      *dataset.ImageSet
	positive []int      // classes; nil is the default
	data     string     // name of the data set
	digest   string     // of the data set
	bytes    float64    // of all images of the set
	Weights  bool       // weights are read, and every seed starts from them
	Warm     *warmStart // the weights' own costs; nil without weights
	Notes    []study.Note
	Warnings []study.Warning
}

// newPictures builds a problem with images. Arms with the same section share the problem.
func newPictures(b *study.Builder, section *document.Node) (*pictures, error) {
	key := section.Text()
	if weights, ok := weightsNode(section); ok {
		key += "\x00" + weights.Position().File // which its path is relative to
	}
	var err error
	p := study.Shared(b, imagesKey(key), func() (p *pictures, ok bool) {
		p, err = newImages(b, section)
		return p, err == nil
	})
	return p, err
}

// imagesKey names a problem with images.
type imagesKey string

// newImages reads a data set and makes its model. Errors are at the key that they are
// about.
func newImages(b *study.Builder, section *document.Node) (*pictures, error) {
	s := DefaultImages()
	err := document.Decode(section, &s)
	learned, wrong := s.learned(b)
	if err = errors.Join(err, wrong); err != nil {
		return nil, err
	}
	if !slices.Contains(imageSets(), s.Data) {
		return nil, section.Resolve(document.At("data", "%s", document.Unknown("data set of images", s.Data, imageSets())))
	}
	set, digest, err := readImageSet(b, &s)
	if err != nil {
		return nil, section.Resolve(document.At("data", "%v", err))
	}
	p := &pictures{
		imageModel: learned, set: set, positive: s.Positive, data: s.Data, digest: digestOfImages(s.Data, digest),
		bytes: limits.Product(set.Train.Len()+set.Test.Len(), set.Train.Shape.Dim()),
	}
	o := model.ImageOptions{Set: set, Train: s.Train, Test: s.Test, Public: s.Public, Validation: s.Validation, Partition: s.Partition.options()}
	// Notes say which data were read, by their digest, so that a result can be traced to
	// them.
	read := study.NoteOfData(digest)
	if s.Data == dataset.Synthetic {
		read.Value = "synthetic: generated, nothing is read"
	}
	p.Notes = []study.Note{read}
	if p.network != nil {
		err = p.build(b, section, &o)
	} else {
		o.Label, err = p.label(), section.Resolve(p.checkPositive())
	}
	if err != nil {
		return nil, err
	}
	if p.Problem, err = model.NewImageProblem(o); err != nil {
		return nil, section.Resolve(err)
	}
	if _, drawn := p.Problem.Drawn(); drawn {
		p.Notes = append(p.Notes, study.Note{Key: "partition", Value: "nodes draw from all images, so several nodes may have the same one; losses are for the data of one node"})
	}
	if text := set.Warning(); text != "" {
		p.Warnings = []study.Warning{{Code: "data", Message: text}}
	}
	return p, nil
}

// imageModel is the model of images: a network, or a model of rows of the catalog.
type imageModel struct {
	name    string          // of its kind
	network *NetworkSection // nil for a model of rows
	rows    vector.Section  // nil for a network
}

// learned reads the section of the model. Names of networks are of networks, though a model of
// rows may have the same name.
func (s *imagesSection) learned(b *study.Builder) (m imageModel, err error) {
	if s.Model == nil {
		return m, nil // the missing key is an error of Decode
	}
	var read any
	if m.name, read, err = kind.AsOr[any](ImageModels(b.Kinds.Models), s.Model, modelSoftmax, "images"); err != nil {
		return m, err
	}
	if m.rows, _ = read.(vector.Section); m.rows == nil {
		m.network = read.(*NetworkSection)
		err = m.network.unread(s.Model)
	}
	return m, err
}

// unread refuses keys of models of rows with the name of a network, which have no effect here.
func (*NetworkSection) unread(section *document.Node) error {
	for _, key := range []string{"l2", "classes"} {
		var value float64
		if node, ok := section.Get(key); ok && document.Decode(node, &value) == nil && value != 0 {
			return node.Issuef("%s = %v; networks of images have no such key, want 0", key, value)
		}
	}
	return nil
}

// Among lets keys of other kinds of models stand: a sweep can change the kind alone.
func (*NetworkSection) Among() {}

// ImageModels returns the kinds of models of images: the networks, and the models of rows that
// are not named like one.
func ImageModels(rows []kind.Kind) []kind.Kind {
	networks := []kind.Kind{
		kind.Of(modelSoftmax, "multinomial logistic regression", DefaultNetwork()),
		kind.Of(modelMLP, "one dense hidden layer or several", DefaultNetwork()),
		kind.Of(modelCNN, "two convolutions of 3x3", DefaultNetwork()),
	}
	return append(networks, slices.DeleteFunc(slices.Clone(rows), func(k kind.Kind) bool {
		return slices.ContainsFunc(networks, func(n kind.Kind) bool { return n.Kind == k.Kind })
	})...)
}

// build makes the network, and adds it to the options with its start and notes.
func (p *pictures) build(b *study.Builder, section *document.Node, o *model.ImageOptions) error {
	options, err := p.network.options(p.set)
	if err != nil {
		return section.Resolve(err)
	}
	m, err := model.New(options)
	if err != nil {
		return section.Resolve(document.At("model", "%v", err))
	}
	// Weights that are read replace the start that would be drawn for each seed.
	p.Weights = p.network.Weights != nil
	start, from, err := readWeights(b, section, p.network, m, p)
	if err != nil {
		return err
	}
	o.Model, o.Start = m, start
	p.Notes = append(append(p.Notes, from...), parameters(m.Online(), p.name))
	return nil
}

// checkPositive refuses classes that the images do not have, and labels that are all alike.
func (p *pictures) checkPositive() error {
	distinct := map[int]bool{}
	for i, class := range p.positive {
		if class < 0 || class >= p.set.Classes {
			return document.At(fmt.Sprintf("positive[%d]", i), "class %d; want 0 to %d", class, p.set.Classes-1)
		}
		distinct[class] = true
	}
	if len(distinct) == p.set.Classes {
		return document.At("positive", "all %d classes; want some that are not", p.set.Classes)
	}
	return nil
}

// rowFacts returns the facts of images as rows: values are in [0, 1].
func (p *pictures) rowFacts() vector.Data {
	features := p.set.Train.Shape.Dim()
	return vector.Data{Features: features, FeatureNorm: math.Sqrt(float64(features)), LabelSize: float64(p.set.Classes - 1), Classes: p.set.Classes}
}

// label returns the function that makes labels of classes, in the form that the model of rows
// needs.
func (p *pictures) label() func(class float64) float64 {
	return vector.OfClasses(p.rows.Label(), func(class int) bool {
		if p.positive == nil {
			return 2*class >= p.set.Classes
		}
		return slices.Contains(p.positive, class)
	})
}

// Trained describes the model; quantity is the server's name for its parameters.
func (p *pictures) Trained(quantity string) *study.TrainedModel {
	return &study.TrainedModel{Model: p.Problem.Model(), Data: p.data, Digest: p.digest, Quantity: quantity}
}

// Held returns the number of bytes of the images, 0 if p is nil.
func (p *pictures) Held() float64 {
	if p == nil {
		return 0
	}
	return p.bytes
}

// weightsNode returns the node of a section that names a file of weights.
func weightsNode(section *document.Node) (*document.Node, bool) {
	network, ok := section.Get("model")
	if !ok {
		return nil, false
	}
	return network.Get("weights")
}

// readWeights reads the parameters that a section names, nil where it names none, and
// notes which file was read, and in the plan the privacy loss that the file states.
func readWeights(b *study.Builder, section *document.Node, s *NetworkSection, m *model.Model, p *pictures) (start []float64, notes []study.Note, err error) {
	if s.Weights == nil {
		return nil, nil, nil
	}
	network, _ := section.Get("model")
	text, digest, err := b.Data.File(network, "weights", *s.Weights)
	if err != nil {
		return nil, nil, err
	}
	if start, err = m.ReadParams(*s.Weights, text); err != nil {
		return nil, nil, section.Resolve(document.At("model.weights", "%v", err))
	}
	costs, known, err := ledger.ReadCosts(*s.Weights, text)
	if err != nil {
		return nil, nil, section.Resolve(document.At("model.weights", "%v", err))
	}
	p.Warm = &warmStart{file: *s.Weights, known: known, costs: costs, digest: p.digest}
	return start, []study.Note{study.NoteOfData(digest)}, nil
}

// readImageSet reads a data set, or generates one. Either is the same for all seeds.
func readImageSet(b *study.Builder, s *imagesSection) (*dataset.ImageSet, inputs.Digest, error) {
	if s.Data != dataset.Synthetic {
		return dataset.ImagesIn(b.Data, s.Data)
	}
	o := dataset.DefaultSyntheticOptions()
	if s.Train != 0 {
		o.Train = s.Train
	}
	if s.Test != 0 {
		o.Test = s.Test
	}
	set, err := dataset.NewSynthetic(o, rng.NewKey(0, dataset.PurposeSynthetic))
	return set, inputs.Digest{}, err
}

// options returns the options of the network on the images of a set.
func (s *NetworkSection) options(set *dataset.ImageSet) (model.Options, error) {
	shape := set.Train.Shape
	hidden := func(usual ...int) []int {
		if s.Hidden == nil {
			return usual
		}
		return s.Hidden
	}
	switch s.Kind {
	case modelSoftmax:
		return model.Logistic(shape, set.Classes), nil
	case modelMLP:
		o := model.Logistic(shape, set.Classes)
		for _, units := range hidden(128) {
			o.Layers = append(o.Layers, model.Dense(units), model.ReLU())
		}
		return o, nil
	case modelCNN:
		o, err := model.Convolutional(shape, set.Classes, model.ConvolutionalOptions{
			Pooling: s.Pooling, Padding: s.Padding, Filters: s.Filters, Hidden: hidden(64),
		})
		if err != nil {
			err = document.At("model", "%v", err)
		}
		return o, err
	}
	return model.Options{}, document.At("model.kind", "unknown model %q", s.Kind)
}

func (s *partitionSection) options() dataset.PartitionOptions {
	return dataset.PartitionOptions{Kind: s.Kind, Shards: s.Shards, PerClient: s.PerClient, Labels: s.Labels, Alpha: s.Alpha, MinSize: s.MinSize, Size: s.Size, Sizes: s.Sizes, Exponent: s.Exponent}
}
