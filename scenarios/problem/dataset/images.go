package dataset

import (
	"bytes"
	"fmt"
	"strings"
)

// classes is the number of classes of all image sets of the registry.
const classes = 10

// Shape is the shape of an image.
type Shape struct {
	// Channels is 1 for grey, or 3 for red, green and blue.
	Channels int `json:"channels"`
	// Rows and Columns are in pixels.
	Rows    int `json:"rows"`
	Columns int `json:"columns"`
}

// Dim returns the number of values of an image.
func (s Shape) Dim() int { return s.Channels * s.Rows * s.Columns }

// Images are labelled images, kept as bytes. They must not be changed.
type Images struct {
	// A pixel is a byte from 0 to 255: MNIST has 47 million of them, which as float64
	// would take 376 MB.
	Shape  Shape
	Pixels []uint8 // n x Channels x Rows x Columns; see All
	Labels []uint8 // len n
	// drawn are the pixels of generated images, which are drawn when they are first
	// asked for: that takes long, and a check of a scenario needs none. It is nil for images
	// that have Pixels.
	drawn func() []uint8
}

// Len returns the number of images.
func (im *Images) Len() int { return len(im.Labels) }

// Bytes returns the pixels of image i from 0, len Shape.Dim(), without
// copying.
func (im *Images) Bytes(i int) []uint8 {
	d := im.Shape.Dim()
	return im.All()[i*d : (i+1)*d : (i+1)*d]
}

// All returns the pixels of all images, n x Channels x Rows x Columns, without
// copying. It is safe for concurrent use.
func (im *Images) All() []uint8 {
	if im.drawn != nil {
		return im.drawn()
	}
	return im.Pixels
}

// Equal reports whether others have the same shape, pixels and labels.
func (im *Images) Equal(others *Images) bool {
	return im.Shape == others.Shape && bytes.Equal(im.Labels, others.Labels) && bytes.Equal(im.All(), others.All())
}

// Part returns the images first .. end-1. They share the pixels and labels.
func (im *Images) Part(first, end int) *Images {
	d := im.Shape.Dim()
	part := &Images{Shape: im.Shape, Labels: im.Labels[first:end:end]}
	if im.drawn == nil {
		part.Pixels = im.Pixels[first*d : end*d : end*d]
	} else {
		part.drawn = func() []uint8 { return im.drawn()[first*d : end*d : end*d] }
	}
	return part
}

// scale maps v to v/255, rounded to float32 once.
var scale = func() (table [256]float32) {
	for v := range table {
		table[v] = float32(v) / 255
	}
	return table
}()

// Features writes image i from 0 into x, len Shape.Dim(), with values in
// [0, 1], in the order of Bytes.
func (im *Images) Features(i int, x []float32) {
	pixels, table := im.Bytes(i), &scale
	x = x[:len(pixels)]
	// Four at a time, which takes half of the time: this conversion is a fifth of the time of
	// a gradient of logistic regression.
	for len(pixels) >= 4 && len(x) >= 4 {
		a, b, c, d := table[pixels[0]], table[pixels[1]], table[pixels[2]], table[pixels[3]]
		x[0], x[1], x[2], x[3] = a, b, c, d
		pixels, x = pixels[4:], x[4:]
	}
	for j, v := range pixels {
		x[j] = table[v]
	}
}

// Counts returns the number of images of each label, len classes. Labels must
// lie below classes.
func (im *Images) Counts(classes int) []int {
	counts := make([]int, classes)
	for _, label := range im.Labels {
		counts[label]++
	}
	return counts
}

// ImageSet is a data set of images in its two parts.
type ImageSet struct {
	// Name is the set's name in the registry, or "synthetic".
	Name string // of the registry, or "synthetic"
	// Classes is the number of labels, 0 .. Classes-1.
	Classes int
	// Train and Test are the two parts, which share no image.
	Train *Images
	Test  *Images
	// Subset is true if images of the canonical set are missing; Notice then says which.
	// Notice belongs beside every figure that was found with the set.
	Subset bool
	Notice string
}

// Warning returns a warning for readers of results with the set; empty for the canonical set.
func (s *ImageSet) Warning() string {
	switch {
	case s.Name == Synthetic:
		return "The images are synthetic; do not compare with published accuracy."
	case s.Subset:
		return fmt.Sprintf("%s is %s; do not compare with published accuracy", s.Name, s.Notice)
	}
	return ""
}

// LoadImages reads an image set of the registry from a folder. Errors are a
// *MissingError, a *FormatError, or one of the file system. Contents are
// checked for their form, not for their checksums, which is Verify's task.
func LoadImages(folder, name string) (*ImageSet, error) {
	set, err := Find(name)
	if err != nil {
		return nil, err
	}
	if set.Forms[0].records(ratingLines) > 0 {
		return nil, fmt.Errorf("data set %s has no images", name)
	}
	form, files, err := require(folder, set)
	if err != nil {
		return nil, err
	}
	result := &ImageSet{Name: name, Classes: classes, Train: &Images{}, Test: &Images{}}
	for _, file := range files {
		if err := result.read(file); err != nil {
			return nil, err
		}
	}
	for _, part := range []*Images{result.Train, result.Test} {
		if n := len(part.Pixels) / part.Shape.Dim(); n != len(part.Labels) {
			return nil, fmt.Errorf("data set %s in %s: %d images and %d labels in one part", name, folder, n, len(part.Labels))
		}
	}
	if a, b := result.Train.Shape, result.Test.Shape; a != b {
		return nil, fmt.Errorf("data set %s in %s: training images of %v, test images of %v", name, folder, a, b)
	}
	result.describe(set, form)
	return result, nil
}

// read adds the contents of a file to its part.
func (s *ImageSet) read(file found) error {
	c, err := openContent(file.path)
	if err != nil {
		return err
	}
	defer c.Close()
	part := s.Train
	if file.role == testImages || file.role == testLabels || file.role == testRecords {
		part = s.Test
	}
	// Files of CIFAR-10 hold images and labels together and add up; files of MNIST come in
	// pairs.
	switch file.role {
	case trainImages, testImages:
		part.Pixels, part.Shape, err = readIDXImages(c)
	case trainLabels, testLabels:
		part.Labels, err = readIDXLabels(c, s.Classes)
	case trainRecords, testRecords:
		part.Shape = cifarShape
		part.Pixels, part.Labels, err = readCIFAR(c, s.Classes, part.Pixels, part.Labels)
	default:
		err = fmt.Errorf("%s holds no images", file.path)
	}
	return err
}

// describe sets Subset and Notice from the images that were read, so that a shortened copy of
// a canonical file is called a subset too.
func (s *ImageSet) describe(set *Set, form *Form) {
	all := &set.Forms[0]
	train := all.records(trainLabels) + all.records(trainRecords)
	test := all.records(testLabels) + all.records(testRecords)
	if s.Train.Len() >= train && s.Test.Len() >= test {
		return
	}
	s.Subset = true
	s.Notice = fmt.Sprintf("a subset of %s: %s of %s training images and %s of %s test images",
		set.Title, grouped(s.Train.Len()), grouped(train), grouped(s.Test.Len()), grouped(test))
	if form.Subset && s.Train.Len() == form.records(trainRecords) && s.Test.Len() == form.records(testRecords) {
		s.Notice += " (" + form.Notice + ")"
	}
}

// grouped prints a count with a comma between thousands.
func grouped(n int) string {
	digits := fmt.Sprint(n)
	var text strings.Builder
	for i, digit := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			text.WriteByte(',')
		}
		text.WriteRune(digit)
	}
	return text.String()
}
