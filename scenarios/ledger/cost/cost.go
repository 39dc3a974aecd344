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
	"starling/scenarios/ledger"
	"starling/scenarios/problem/model/safetensors"
)

// Key names the costs, in JSON, among the metadata of a model's file.
const Key = "starling.privacy"

// Unknown is the definition of an unknown cost.
const Unknown = "unknown"

// content is the content of the metadata.
type content struct {
	Version int           `json:"version"`
	Costs   []ledger.Cost `json:"costs"`
}

const version = 1

// Encode returns the text, for Key, that Read reads from a file's metadata.
func Encode(costs []ledger.Cost) (string, error) {
	text, err := json.Marshal(content{version, costs})
	return string(text), err
}

// Read reads the costs that a file states for its model; known is false where it states none.
// Costs that are damaged or contradict themselves are an error, with the file and the place in
// it where the costs begin. name stands for the file in errors.
func Read(name string, data []byte) (costs []ledger.Cost, known bool, err error) {
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

func decode(text string) ([]ledger.Cost, error) {
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
		if err := check(&c.Costs[i]); err != nil {
			return nil, fmt.Errorf("cost %d: %w", i+1, err)
		}
	}
	return c.Costs, nil
}

// check refuses a cost that contradicts itself.
func check(c *ledger.Cost) error {
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
