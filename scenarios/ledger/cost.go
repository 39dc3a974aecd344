package ledger

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

// CostKey names the costs, in JSON, among the metadata of a model's file.
const CostKey = "starling.privacy"

// UnknownCost is the definition of an unknown cost.
const UnknownCost = "unknown"

// costContent is the content of the metadata.
type costContent struct {
	Version int    `json:"version"`
	Costs   []Cost `json:"costs"`
}

const costVersion = 1

// EncodeCosts returns the text, for CostKey, that ReadCosts reads from a file's metadata.
func EncodeCosts(costs []Cost) (string, error) {
	text, err := json.Marshal(costContent{costVersion, costs})
	return string(text), err
}

// ReadCosts reads the costs that a file states for its model; known is false where it states none.
// Costs that are damaged or contradict themselves are an error, with the file and the place in
// it where the costs begin. name stands for the file in errors.
func ReadCosts(name string, data []byte) (costs []Cost, known bool, err error) {
	file, err := safetensors.Read(name, data)
	if err != nil {
		return nil, false, err
	}
	text, known := file.Metadata[CostKey]
	if !known {
		return nil, false, nil
	}
	if costs, err = decodeCosts(text); err != nil {
		at := max(0, bytes.Index(data, []byte(`"`+CostKey+`"`)))
		return nil, true, &safetensors.FormatError{File: name, Offset: int64(at), Err: fmt.Errorf("metadata %q: %w", CostKey, err)}
	}
	return costs, true, nil
}

func decodeCosts(text string) ([]Cost, error) {
	var c costContent
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&c); err != nil {
		return nil, fmt.Errorf("character %d: %w", decoder.InputOffset(), err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("character %d: text follows the costs", decoder.InputOffset())
	}
	if c.Version != costVersion {
		return nil, fmt.Errorf("version %d; this build reads version %d", c.Version, costVersion)
	}
	if len(c.Costs) == 0 {
		return nil, errors.New("there are no costs")
	}
	for i := range c.Costs {
		if err := check(&c.Costs[i]); err != nil {
			return nil, fmt.Errorf("cost %d: %w", i+1, err)
		}
	}
	return c.Costs, nil
}

// check refuses a cost that contradicts itself.
func check(c *Cost) error {
	if c.Observer != string(accountant.Public) {
		return fmt.Errorf("observer %q; want %s", c.Observer, accountant.Public)
	}
	if c.Definition == UnknownCost {
		if c.Digest != "" || c.Total != nil {
			return errors.New("the loss of an unknown data set")
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
