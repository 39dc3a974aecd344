package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"starling/scenarios/problem/model/safetensors"
)

// FileExtension ends the names of files of models.
const FileExtension = ".safetensors"

// The names in the metadata of a file for the description of the model.
const (
	// versionKey is the version of the files of this package.
	versionKey = "starling.version"
	// networkKey is Options as JSON.
	networkKey  = "starling.network"
	fileVersion = "1"
)

// Write writes the model at params, len Dim, as a safetensors file: each weight and
// the biases of each layer as a tensor, see Tensors, in F64, so that the file keeps
// every bit. Its metadata are the version, the Options of the model, and notes. Names of notes
// do not begin with "starling.version" or "starling.network".
func (m *Model) Write(w io.Writer, params []float64, notes map[string]string) error {
	requireLength("parameters", len(params), m.dim)
	network, err := json.Marshal(m.options)
	if err != nil {
		return err
	}
	file := &safetensors.File{Metadata: maps.Clone(notes)}
	if file.Metadata == nil {
		file.Metadata = map[string]string{}
	}
	for key, value := range map[string]string{versionKey: fileVersion, networkKey: string(network)} {
		if _, ok := notes[key]; ok {
			return fmt.Errorf("the note %q is this package's", key)
		}
		file.Metadata[key] = value
	}
	for _, t := range m.Tensors() {
		file.Tensors = append(file.Tensors, safetensors.Tensor{Name: t.Name, Shape: t.Shape, Values: params[t.First : t.First+t.Length]})
	}
	return safetensors.Write(w, file)
}

// Saved is a model that was read from a file.
type Saved struct {
	Model  *Model
	Params []float64         // len Dim
	Notes  map[string]string // the notes given to Write
}

// ReadFile reads a file of Write, to the same bits; name stands for the file in errors.
func ReadFile(name string, data []byte) (*Saved, error) {
	file, err := safetensors.Read(name, data)
	if err != nil {
		return nil, err
	}
	options, err := optionsOf(file)
	if err == nil && options == nil {
		err = fmt.Errorf("no metadata %q describe the network", networkKey)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	m, err := New(*options)
	if err != nil {
		return nil, fmt.Errorf("%s: metadata %q: %w", name, networkKey, err)
	}
	params, err := m.params(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	notes := file.Metadata
	delete(notes, versionKey)
	delete(notes, networkKey)
	return &Saved{Model: m, Params: params, Notes: notes}, nil
}

// ReadParams reads the parameters, len Dim, from a file by Write, or by another tool with the
// same names and shapes: F64 or F32, all finite. It is an error if a tensor is missing, is
// none of the model's or has another shape, and if the metadata name another network.
func (m *Model) ReadParams(name string, data []byte) ([]float64, error) {
	file, err := safetensors.Read(name, data)
	if err != nil {
		return nil, err
	}
	params, err := m.params(file)
	if err == nil {
		err = m.requireSame(file)
	}
	if err == nil {
		err = m.requireFinite(params)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return params, nil
}

// optionsOf returns the network that the metadata of a file name, nil where they name none.
func optionsOf(file *safetensors.File) (*Options, error) {
	if version, ok := file.Metadata[versionKey]; ok && version != fileVersion {
		return nil, fmt.Errorf("metadata %q: version %q; this build reads version %s", versionKey, version, fileVersion)
	}
	text, ok := file.Metadata[networkKey]
	if !ok {
		return nil, nil
	}
	options := &Options{}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(options); err != nil {
		return nil, fmt.Errorf("metadata %q: %w", networkKey, err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("metadata %q: text follows the network", networkKey)
	}
	return options, nil
}

// params puts the tensors of a file together. It allocates nothing for tensors that the file
// does not have.
func (m *Model) params(file *safetensors.File) ([]float64, error) {
	want := m.Tensors()
	var values [][]float64
	for _, t := range want {
		i := slices.IndexFunc(file.Tensors, func(have safetensors.Tensor) bool { return have.Name == t.Name })
		if i < 0 {
			return nil, fmt.Errorf("there is no tensor %q; the model has %s", t.Name, namesOf(want))
		}
		if have := file.Tensors[i]; !slices.Equal(have.Shape, t.Shape) {
			return nil, fmt.Errorf("tensor %q has the shape %v; the model's is %v", t.Name, have.Shape, t.Shape)
		}
		values = append(values, file.Tensors[i].Values)
	}
	for _, have := range file.Tensors {
		if !slices.ContainsFunc(want, func(t Tensor) bool { return t.Name == have.Name }) {
			return nil, fmt.Errorf("tensor %q is not one of the model's, %s", have.Name, namesOf(want))
		}
	}
	return slices.Concat(values...), nil
}

func namesOf(tensors []Tensor) string {
	names := make([]string, len(tensors))
	for i, t := range tensors {
		names[i] = t.Name
	}
	return strings.Join(names, ", ")
}

// requireSame refuses parameters of another network that happen to fit, such as one
// without ReLU.
func (m *Model) requireSame(file *safetensors.File) error {
	options, err := optionsOf(file)
	if err != nil || options == nil {
		return err
	}
	have, err := json.Marshal(options)
	if err != nil {
		return err
	}
	want, err := json.Marshal(m.options)
	if err == nil && !bytes.Equal(have, want) {
		err = fmt.Errorf("the file holds the network %s; the model is %s", have, want)
	}
	return err
}

func (m *Model) requireFinite(params []float64) error {
	for _, t := range m.Tensors() {
		for k, v := range params[t.First : t.First+t.Length] {
			if !(math.Abs(v) <= math.MaxFloat32) {
				return fmt.Errorf("value %d of tensor %q is %v; want finite numbers within the range of float32, in which models are computed", k, t.Name, v)
			}
		}
	}
	return nil
}
