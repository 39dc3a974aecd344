// Package cost reads and writes the privacy costs of a saved model. For each data set that the
// model learned from they name the protected unit, the observer and the loss. The costs stand
// in the metadata of the model's file, so that a run that continues from the file continues
// from its losses. The package accounts for nothing and knows no network; package accounts
// computes the cost of a run.
package cost

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"starling/mechanisms/accountant"
	"starling/scenarios/problem/model/safetensors"
)

// Key names the costs, in JSON, among the metadata of a model's file.
const Key = "starling.privacy"

// Unknown is the definition of an unknown cost.
const Unknown = "unknown"

// Cost is the privacy loss of one data set to an observer that sees the model.
type Cost struct {
	Data   string `json:"data"`             // name of the data set
	Digest string `json:"digest,omitempty"` // SHA-256 of the data, in hex; empty where Definition is Unknown
	// Unit is the protected unit, Neighbours the relation of data that are indistinguishable,
	// in words, and Relation the same as the ledger spells it.
	Unit       string `json:"unit,omitempty"`
	Neighbours string `json:"neighbours,omitempty"`
	Relation   string `json:"relation,omitempty"`
	Observer   string `json:"observer"`   // the observer of the loss: public
	Definition string `json:"definition"` // as in the ledger; "not private", or Unknown
	// Epsilon and Delta are the value of Total by Accountant; absent where Total is.
	Epsilon    float64           `json:"epsilon,omitempty"`
	Delta      float64           `json:"delta,omitempty"`
	Accountant accountant.Method `json:"accountant,omitempty"`
	// Total is the loss of the unit that loses the most; nil where it has no bound.
	Total *accountant.Total `json:"total,omitempty"`
}

// content is the content of the metadata.
type content struct {
	Version int    `json:"version"`
	Costs   []Cost `json:"costs"`
}

const version = 1

// Encode returns the text, for Key, that Read reads from a file's metadata.
func Encode(costs []Cost) (string, error) {
	text, err := json.Marshal(content{version, costs})
	return string(text), err
}

// Read reads the costs that a file states for its model; known is false where it states none.
// Costs that are damaged or contradict themselves are an error, with the file and the place in
// it where the costs begin. name stands for the file in errors.
func Read(name string, data []byte) (costs []Cost, known bool, err error) {
	file, err := safetensors.Read(name, data)
	if err != nil {
		return nil, false, err
	}
	text, known := file.Metadata[Key]
	if !known {
		return nil, false, nil
	}
	if costs, err = decode(text); err != nil {
		at := max(0, bytes.Index(data, []byte(`"`+Key+`"`)))
		return nil, true, &safetensors.FormatError{File: name, Offset: int64(at), Err: fmt.Errorf("metadata %q: %w", Key, err)}
	}
	return costs, true, nil
}

func decode(text string) ([]Cost, error) {
	var c content
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&c); err != nil {
		return nil, fmt.Errorf("character %d: %w", decoder.InputOffset(), err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("character %d: text follows the costs", decoder.InputOffset())
	}
	if c.Version != version {
		return nil, fmt.Errorf("version %d; this build reads version %d", c.Version, version)
	}
	if len(c.Costs) == 0 {
		return nil, errors.New("no cost is there")
	}
	for i := range c.Costs {
		if err := c.Costs[i].check(); err != nil {
			return nil, fmt.Errorf("cost %d: %w", i+1, err)
		}
	}
	return c.Costs, nil
}

// check refuses a cost that contradicts itself.
func (c *Cost) check() error {
	if c.Observer != string(accountant.Public) {
		return fmt.Errorf("observer %q; want %s", c.Observer, accountant.Public)
	}
	if c.Definition == Unknown {
		if c.Digest != "" || c.Total != nil {
			return errors.New("a data set or a loss of what is unknown")
		}
		return nil
	}
	if digest, err := hex.DecodeString(c.Digest); err != nil || len(digest) != 32 {
		return fmt.Errorf("digest %q is no SHA-256 in hex", c.Digest)
	}
	if c.Total == nil {
		if c.Definition != string(accountant.NoPrivacy) {
			return fmt.Errorf("definition %q without a loss", c.Definition)
		}
		return nil
	}
	if c.Definition == string(accountant.NoPrivacy) || c.Relation == "" || c.Unit == "" {
		return fmt.Errorf("a loss of definition %q, unit %q and relation %q", c.Definition, c.Unit, c.Relation)
	}
	if !slices.Contains(accountant.Methods(), c.Accountant) {
		return fmt.Errorf("unknown accountant %q; known: %v", c.Accountant, accountant.Methods())
	}
	epsilon, err := c.Total.Epsilon(c.Delta, c.Accountant)
	if err != nil {
		return err
	}
	if !(math.Abs(epsilon-c.Epsilon) <= 1e-6*(1+epsilon)) {
		return fmt.Errorf("it says epsilon %v at delta %v; its losses come to %v", c.Epsilon, c.Delta, epsilon)
	}
	return nil
}
