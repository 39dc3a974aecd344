package ledger

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"starling/mechanisms/accountant"
	"starling/scenarios/problem/model/safetensors"
)

// someCosts are of every kind: of losses of all kinds, without privacy, unknown.
func someCosts(t testing.TB) []Cost {
	t.Helper()
	var total accountant.Total
	total.Add(accountant.Loss{Rho: 0.1})
	total.Add(accountant.Loss{Epsilon: 0.5, Laplace: 0.5})
	total.Add(accountant.Loss{Epsilon: 0.25, Delta: 1e-9})
	total.Add(accountant.Loss{Sampled: accountant.SampledGaussian{Rate: 0.25, Noise: 2, Steps: 3}})
	epsilon, err := total.Epsilon(1e-5, accountant.RDP)
	if err != nil {
		t.Fatal(err)
	}
	digest := strings.Repeat("0f", 32)
	return []Cost{
		{Data: "mnist", Digest: digest, Unit: "a datum", Neighbours: "one replaced", Relation: "replace", Observer: "public", Definition: "(eps, delta)", Epsilon: epsilon, Delta: 1e-5, Accountant: accountant.RDP, Total: &total},
		{Data: "mnist", Digest: digest, Observer: "public", Definition: "not private"},
		{Data: UnknownCost, Observer: "public", Definition: UnknownCost},
	}
}

// fileOf is a file of one parameter with the metadata.
func fileOf(t testing.TB, metadata map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	file := &safetensors.File{Metadata: metadata, Tensors: []safetensors.Tensor{{Name: "weights", Shape: []int{1}, Values: []float64{1}}}}
	if err := safetensors.Write(&b, file); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func costsText(t testing.TB) string {
	t.Helper()
	text, err := EncodeCosts(someCosts(t))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Costs come back from a file as they were; a file without any says so.
func TestCostsAreRead(t *testing.T) {
	want := someCosts(t)
	got, known, err := ReadCosts("x", fileOf(t, map[string]string{CostKey: costsText(t)}))
	if err != nil || !known || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, %v; want %+v", got, known, err, want)
	}
	if _, known, err := ReadCosts("x", fileOf(t, nil)); known || err != nil {
		t.Errorf("a file without costs: %v, %v", known, err)
	}
}

// What contradicts itself is refused where it is.
func TestCostsAreRefused(t *testing.T) {
	text := costsText(t)
	for _, change := range [][2]string{
		{`"rho":0.1`, `"rho":0.2`}, {`"rho":0.1`, `"rho":-0.1`}, {`"steps":3`, `"steps":-3`}, {`"version":1`, `"version":2`}, {`"rdp"`, `"moments"`},
		{`"relation":"replace",`, ``}, {`"definition":"unknown"`, `"definition":"GDP"`}, {`"count":1`, `"count":0`}, {`"epsilon":0.5,"count"`, `"epsilon":0.1,"count"`}, {`{"version"`, `{"x":1,"version"`},
	} {
		changed := strings.Replace(text, change[0], change[1], 1)
		if changed == text {
			t.Fatalf("%q is not in %s", change[0], text)
		}
		data := fileOf(t, map[string]string{CostKey: changed})
		_, known, err := ReadCosts("x", data)
		var at *safetensors.FormatError
		if !known || !errors.As(err, &at) || !strings.HasPrefix(string(data[at.Offset:]), `"`+CostKey+`"`) {
			t.Errorf("%s for %s: %v", change[1], change[0], err)
		}
	}
	for n := range text {
		if _, err := decodeCosts(text[:n]); err == nil {
			t.Errorf("%d of %d characters are taken", n, len(text))
		}
	}
}

// FuzzReadCosts checks that what is read of any file is written and read to as many costs.
func FuzzReadCosts(f *testing.F) {
	f.Add(fileOf(f, map[string]string{CostKey: costsText(f)}))
	f.Add(fileOf(f, map[string]string{"a": "b"}))
	f.Fuzz(func(t *testing.T, data []byte) {
		costs, known, err := ReadCosts("x", data)
		if !known || err != nil {
			return
		}
		text, err := EncodeCosts(costs)
		if again, failed := decodeCosts(text); err != nil || failed != nil || len(again) != len(costs) {
			t.Fatalf("costs %+v are %s once written: %v, %v", costs, text, err, failed)
		}
	})
}
