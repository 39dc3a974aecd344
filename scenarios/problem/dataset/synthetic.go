package dataset

import (
	"errors"
	"slices"
	"sync"

	"starling/actors/option"
	"starling/mechanisms/rng"
)

// Synthetic names the sets that NewSynthetic makes.
const Synthetic = "synthetic"

// PurposeSynthetic is the purpose of the key of NewSynthetic.
var PurposeSynthetic = rng.PurposeOf("data.synthetic")

// grey is the value about which the generated pixels lie.
const grey = 128

// SyntheticOptions describe generated images.
type SyntheticOptions struct {
	// Classes is 2 to 256; image i has label i mod Classes.
	Classes int `yaml:"classes"`
	// Train and Test are numbers of images.
	Train int `yaml:"train"`
	Test  int `yaml:"test"`
	// Channels, Rows and Columns are the shape of an image.
	Channels int `yaml:"channels"`
	Rows     int `yaml:"rows"`
	Columns  int `yaml:"columns"`
	// Block is the side of the squares of one shade, in pixels.
	Block int `yaml:"block"`
	// Contrast is the distance of a class's shades from grey, of 255, and Noise the largest
	// error of a pixel. While Noise < Contrast the classes are linearly separable, whatever is
	// drawn.
	Contrast int `yaml:"contrast"`
	Noise    int `yaml:"noise"`
}

// DefaultSyntheticOptions returns options for separable images of the shape of MNIST.
func DefaultSyntheticOptions() SyntheticOptions {
	return SyntheticOptions{Classes: 10, Train: 6000, Test: 1000, Channels: 1, Rows: 28, Columns: 28, Block: 4, Contrast: 48, Noise: 40}
}

// Validate reports every option that is wrong, each as an [option.Error].
func (o SyntheticOptions) Validate() error {
	err := errors.Join(
		requireRange("classes", o.Classes, 2, 256),
		requireRange("train", o.Train, 1, 1<<20),
		requireRange("test", o.Test, 1, 1<<20),
		requireRange("channels", o.Channels, 1, 16),
		requireRange("rows", o.Rows, 1, maxSide),
		requireRange("columns", o.Columns, 1, maxSide),
		requireRange("block", o.Block, 1, maxSide),
		requireRange("contrast", o.Contrast, 1, 127),
		requireRange("noise", o.Noise, 0, 255),
	)
	if err != nil {
		return err
	}
	if max(o.Train, o.Test) > maxContent/o.shape().Dim() {
		return option.Errorf("train", "is %d, and images of %d values exceed %d bytes", max(o.Train, o.Test), o.shape().Dim(), maxContent)
	}
	// Classes differ in their squares: k squares give at most 2^k different classes, and
	// drawing different ones takes some room.
	if blocks := o.blocks(); blocks < 16 && 1<<blocks < 2*o.Classes {
		return option.Errorf("block", "is %d, which leaves %d squares, too few for %d classes", o.Block, blocks, o.Classes)
	}
	return nil
}

func (o SyntheticOptions) shape() Shape {
	return Shape{Channels: o.Channels, Rows: o.Rows, Columns: o.Columns}
}

// blockColumns and blocks are the numbers of squares across and in all.
func (o SyntheticOptions) blockColumns() int { return (o.Columns + o.Block - 1) / o.Block }
func (o SyntheticOptions) blocks() int {
	return o.Channels * ((o.Rows + o.Block - 1) / o.Block) * o.blockColumns()
}

// NewSynthetic generates images. A class has squares that are lighter or
// darker than grey by Contrast, drawn so that no two classes agree in all of
// them; a pixel is that shade with an error uniform on the whole numbers
// -Noise..Noise, kept within 0..255. Image i has label i mod Classes.
func NewSynthetic(o SyntheticOptions, key rng.Key) (*ImageSet, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	signs := drawSigns(o, key)
	return &ImageSet{
		Name:    Synthetic,
		Classes: o.Classes,
		Train:   drawImages(o, signs, o.Train, key, 1),
		Test:    drawImages(o, signs, o.Test, key, 2),
		Notice:  "generated images",
	}, nil
}

// drawSigns draws for each class the squares that are lighter than grey.
func drawSigns(o SyntheticOptions, key rng.Key) [][]bool {
	var stream rng.Stream
	r := stream.Open(key, 0, 0, 0)
	var signs [][]bool
	for len(signs) < o.Classes {
		class := make([]bool, o.blocks())
		for b := range class {
			class[b] = r.Uint64()>>63 == 1
		}
		if !slices.ContainsFunc(signs, func(other []bool) bool { return slices.Equal(class, other) }) {
			signs = append(signs, class)
		}
	}
	return signs
}

// drawImages returns the images of one part. Their pixels are drawn when they are first asked
// for.
func drawImages(o SyntheticOptions, signs [][]bool, n int, key rng.Key, part int) *Images {
	im := &Images{Shape: o.shape(), Labels: make([]uint8, n)}
	for i := range im.Labels {
		im.Labels[i] = uint8(i % o.Classes)
	}
	im.drawn = sync.OnceValue(func() []uint8 { return drawPixels(o, signs, im.Labels, key, part) })
	return im
}

// drawPixels draws the pixels of images with these labels, image i from its own
// stream.
func drawPixels(o SyntheticOptions, signs [][]bool, labels []uint8, key rng.Key, part int) []uint8 {
	shape := o.shape()
	d := shape.Dim()
	all := make([]uint8, len(labels)*d)
	across := o.blockColumns()
	inChannel := o.blocks() / o.Channels
	var stream rng.Stream
	for i, label := range labels {
		r := stream.Open(key, i, part, 0)
		for j, pixels := 0, all[i*d:(i+1)*d]; j < len(pixels); j++ {
			channel, place := j/(shape.Rows*shape.Columns), j%(shape.Rows*shape.Columns)
			row, column := place/shape.Columns, place%shape.Columns
			v := grey - o.Contrast
			if signs[label][channel*inChannel+row/o.Block*across+column/o.Block] {
				v = grey + o.Contrast
			}
			v += r.IntN(2*o.Noise+1) - o.Noise
			pixels[j] = uint8(min(max(v, 0), 255))
		}
	}
	return all
}
