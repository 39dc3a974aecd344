// Package safetensors reads and writes tensors in the safetensors format
// (https://github.com/huggingface/safetensors), so that other tools open them: in Python,
// safetensors.numpy.load_file(path) is a dictionary of arrays.
//
//	8 bytes      length of the header, little-endian
//	header       {"name": {"dtype": "F64", "shape": [2, 3], "data_offsets": [0, 48]}, ...,
//	              "__metadata__": {"key": "text"}}, and spaces up to a multiple of 8
//	data         the tensors one after the other, little-endian, the last index fastest
//
// The header is a JSON object of at most 100 MB that begins with '{' and may end in
// spaces. Offsets count from the beginning of the data, which have no gaps.
//
// It is no general library of tensors. Of the types of the format it reads and writes F64,
// which keeps every bit, reads F32, and writes I64 where it is asked to. It knows nothing of
// models, and opens no file.
package safetensors

// Tensor is a named array of numbers.
type Tensor struct {
	// Name is unique in its file.
	Name string
	// Shape has the length of each dimension. A single number has no dimensions.
	Shape []int
	// Values are as many as the product of the shape, the last index fastest.
	Values []float64
}

// File is the content of a file.
type File struct {
	// Metadata are texts by name.
	Metadata map[string]string
	// Tensors are in the order of their data.
	Tensors []Tensor
	// Integers are the names of tensors of whole numbers that Write writes as I64.
	Integers []string
}

// The names in a header.
const (
	metadataName = "__metadata__"
	typeName     = "dtype"
	shapeName    = "shape"
	offsetsName  = "data_offsets"
)

// The types of elements.
const (
	float64Type = "F64"
	float32Type = "F32"
	integerType = "I64"
)

// widths are the bytes of an element by type.
var widths = map[string]int{float64Type: elementSize, float32Type: 4}

const (
	prefixSize = 8           // of the length of the header
	mostHeader = 100_000_000 // bytes, the limit of the format
	alignment  = 8           // of the first byte of the data

	elementSize = 8 // bytes of a number that is written
)
