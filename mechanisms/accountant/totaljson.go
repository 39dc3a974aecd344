package accountant

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// totalJSON is a total as files keep it. JSON has no infinity, so that a total that is
// not private has no such form.
type totalJSON struct {
	Epsilon float64    `json:"epsilon"`
	Pure    []pureJSON `json:"pure,omitempty"` // the releases with epsilons that add up to epsilon, each at least as large
	Delta   float64    `json:"delta,omitempty"`
	Rho     float64    `json:"rho,omitempty"`
	// Concentrated is the rho of mechanisms that are zCDP, and perhaps no Gaussian noise.
	Concentrated float64       `json:"concentrated,omitempty"`
	Sampled      []sampledJSON `json:"sampled,omitempty"`
}

type pureJSON struct {
	Epsilon float64 `json:"epsilon"`
	Count   int     `json:"count"`
	Laplace bool    `json:"laplace,omitempty"`
}

type sampledJSON struct {
	Rate  float64 `json:"q"`
	Noise float64 `json:"sigma"`
	Steps int     `json:"steps"`
}

// MarshalJSON implements json.Marshaler. It returns an error for a total that is not private.
func (t *Total) MarshalJSON() ([]byte, error) {
	if !t.Private() {
		return nil, errors.New("a total that is not private is no number")
	}
	j := totalJSON{Epsilon: t.epsilon, Delta: t.delta, Rho: t.rho, Concentrated: t.concentrated}
	for _, p := range t.pure {
		j.Pure = append(j.Pure, pureJSON{p.epsilon, p.count, p.laplace})
	}
	for _, s := range t.sampled {
		j.Sampled = append(j.Sampled, sampledJSON(s))
	}
	return json.Marshal(j)
}

// UnmarshalJSON implements json.Unmarshaler. It refuses unknown fields, and totals that
// no releases have.
func (t *Total) UnmarshalJSON(text []byte) error {
	var j totalJSON
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&j); err != nil {
		return err
	}
	read := Total{epsilon: j.Epsilon, delta: j.Delta, rho: j.Rho, concentrated: j.Concentrated}
	if err := read.Loss().Validate(); err != nil {
		return err
	}
	var sum float64
	for i, p := range j.Pure {
		if !(p.Epsilon > 0) || p.Count < 1 || i >= mostCells {
			return fmt.Errorf("release %d of the pure ones: %d of epsilon %v; want at least 1 of more than 0, and %d kinds at most", i+1, p.Count, p.Epsilon, mostCells)
		}
		sum += float64(float64(p.Count) * p.Epsilon)
		read.addPure(pureReleases{p.Epsilon, p.Count, p.Laplace})
	}
	// A hand-written file could list fewer releases than its epsilon needs, and so get a
	// smaller epsilon at a delta. Classes count each release as their largest, so the sum
	// may well exceed epsilon.
	if len(j.Pure) > 0 && !(sum >= j.Epsilon*(1-1e-9)) {
		return fmt.Errorf("pure releases of %v in all cannot have the epsilon %v", sum, j.Epsilon)
	}
	for _, s := range j.Sampled {
		if err := SampledGaussian(s).Validate(); err != nil {
			return err
		}
		read.addSampled(SampledGaussian(s))
	}
	if !read.Private() || math.IsNaN(sum) {
		return errors.New("a total that is not private")
	}
	*t = read
	return nil
}
