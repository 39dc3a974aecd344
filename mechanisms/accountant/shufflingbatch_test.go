package accountant_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"starling/mechanisms/accountant"
)

// law is the law of a message, by outcome; a randomizer has one for every input.
type law []float64

// hockeyStick is the sum of what p has over e^epsilon q.
func hockeyStick(p, q law, epsilon float64) (sum float64) {
	for i := range p {
		sum += max(0, p[i]-math.Exp(epsilon)*q[i])
	}
	return sum
}

// localDelta is the least delta_0 of a randomizer at an epsilon, over all pairs of inputs.
func localDelta(randomizer []law, epsilon float64) (most float64) {
	for _, p := range randomizer {
		for _, q := range randomizer {
			most = max(most, hockeyStick(p, q, epsilon))
		}
	}
	return most
}

// batchLaws are the laws of the histogram of a batch whose first message has one of two laws, the
// others those given: of every histogram the two probabilities, in an order of their own.
func batchLaws(first, second law, others []law) (p, q law) {
	type histogram [5]uint8
	laws := map[histogram][2]float64{}
	add := func(to map[histogram][2]float64, h histogram, outcome int, mass [2]float64) {
		h[outcome]++
		at := to[h]
		to[h] = [2]float64{at[0] + mass[0], at[1] + mass[1]}
	}
	for outcome := range first {
		add(laws, histogram{}, outcome, [2]float64{first[outcome], second[outcome]})
	}
	for _, other := range others {
		longer := map[histogram][2]float64{}
		for h, mass := range laws {
			for outcome, probability := range other {
				add(longer, h, outcome, [2]float64{mass[0] * probability, mass[1] * probability})
			}
		}
		laws = longer
	}
	for _, mass := range laws {
		p, q = append(p, mass[0]), append(q, mass[1])
	}
	return p, q
}

// gaussianLaws are of numbers 0, 1/2 and 1 with Gaussian noise, rounded to one of five cells.
func gaussianLaws(deviation float64) (randomizer []law) {
	below := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	for _, input := range []float64{0, 0.5, 1} {
		of, before := law{}, 0.0
		for _, cut := range []float64{-0.5, 0.25, 0.75, 1.5} {
			to := below((cut - input) / deviation)
			of, before = append(of, to-before), to
		}
		randomizer = append(randomizer, append(of, 1-before))
	}
	return randomizer
}

// response is randomized response among k inputs that shows the input with a probability leak,
// where it has outcomes of its own for k = 2.
func response(k int, epsilon, leak float64) (randomizer []law) {
	odds := math.Exp(epsilon)
	for input := range k {
		of := make(law, 5)
		for outcome := range k {
			of[outcome] = (1 - leak) / (odds + float64(k-1))
			if outcome == input {
				of[outcome] *= odds
			}
		}
		if leak > 0 {
			of[k+input] = leak
		}
		randomizer = append(randomizer, of)
	}
	return randomizer
}

// batches are the laws of all batches of n messages of a randomizer, for every pair of inputs of
// the first party and every choice of inputs of the others.
func batches(randomizer []law, n int) (laws [][2]law) {
	var choose func(others []law, least int)
	choose = func(others []law, least int) {
		if len(others) < n-1 {
			for input := least; input < len(randomizer); input++ { // who has which does not count
				choose(append(others, randomizer[input]), input)
			}
			return
		}
		for first := range randomizer {
			for second := range first {
				p, q := batchLaws(randomizer[first], randomizer[second], others)
				laws = append(laws, [2]law{p, q}, [2]law{q, p})
			}
		}
	}
	choose(nil, 0)
	return laws
}

// shuffledHolds holds the bound of batches of a randomizer to the divergences of their laws. It
// counts the bounds that are below the local epsilon, and those of pure randomizers, which know
// no local delta, that are broken.
func shuffledHolds(t interface{ Errorf(string, ...any) }, name string, randomizer []law, locals []float64, n int) (amplified, broken int) {
	laws := batches(randomizer, n)
	most := func(epsilon float64) (delta float64) {
		for _, pair := range laws {
			delta = max(delta, hockeyStick(pair[0], pair[1], epsilon))
		}
		return delta
	}
	for _, local := range locals {
		s := accountant.ShuffledBatch{Local: local, LocalDelta: localDelta(randomizer, local), Messages: n}
		pure := accountant.ShuffledBatch{Local: local, Messages: n}
		for _, delta := range []float64{0.3, 0.1, 0.03, 0.01, 1e-3} {
			epsilon, better, err := s.Epsilon(delta)
			switch {
			case err != nil:
				t.Errorf("%s: %v", name, err)
			case better:
				amplified++
				if is := most(epsilon); is > delta*(1+1e-9) {
					t.Errorf("%s, local epsilon %v, local delta %v, n = %d: delta is %v at epsilon %v, by the bound %v", name, local, s.LocalDelta, n, is, epsilon, delta)
				}
			}
			if epsilon, better, _ = pure.Epsilon(delta); better && most(epsilon) > delta*(1+1e-9) {
				broken++
			}
		}
	}
	return amplified, broken
}

// The bound holds of small batches whose laws are enumerated, of randomizers with a local delta too,
// whatever the inputs of the others are. That of pure randomizers does not hold of those: the
// local delta has to be paid for.
func TestShuffledByEnumeration(t *testing.T) {
	var amplified, broken int
	for n := 2; n <= 8; n++ {
		randomizers := map[string][]law{}
		for _, deviation := range []float64{0.5, 1, 2} {
			randomizers[fmt.Sprintf("Gaussian %v", deviation)] = gaussianLaws(deviation)
		}
		for _, leak := range []float64{0, 1e-3, 0.03} {
			randomizers[fmt.Sprintf("response, leak %v", leak)] = response(2, 0.7, leak)
		}
		if n <= 5 {
			randomizers["response of 4"] = response(4, 1, 0)
		}
		for name, randomizer := range randomizers {
			a, b := shuffledHolds(t, name, randomizer, []float64{0.1, 0.4, 0.7, 1, 2}, n)
			amplified, broken = amplified+a, broken+b
		}
	}
	t.Logf("%d bounds are amplified; without the local delta %d would be broken", amplified, broken)
	if amplified < 100 || broken < 100 {
		t.Error("the test has no teeth")
	}
}

// The same of randomizers that are drawn, whose outcomes have one of two odds by and large, as
// those have that are extreme.
func TestShuffledByEnumerationOfDrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		local := rapid.Float64Range(0.02, 1.5).Draw(t, "local")
		randomizer := make([]law, rapid.IntRange(2, 3).Draw(t, "inputs"))
		outcomes := rapid.IntRange(2, 5).Draw(t, "outcomes")
		masses := rapid.SliceOfN(rapid.Float64Range(1e-3, 1), outcomes, outcomes).Draw(t, "masses")
		for input := range randomizer {
			sum := 0.0
			for _, mass := range masses {
				if rapid.Bool().Draw(t, "likely") {
					mass *= math.Exp(local)
				}
				mass *= 1 + rapid.Float64Range(0, 0.05).Draw(t, "error")
				randomizer[input] = append(randomizer[input], mass)
				sum += mass
			}
			for outcome := range randomizer[input] {
				randomizer[input][outcome] /= sum
			}
		}
		n := rapid.IntRange(2, 6).Draw(t, "n")
		shuffledHolds(t, "drawn", randomizer, []float64{local}, n)
	})
}
