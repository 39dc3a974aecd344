package factorization

import (
	"starling/mechanisms/numeric"
)

// lanes is the number of poles that a pass over the matrix takes together. Their recurrences
// are serial in the row and share one division (the product of their denominators is inverted
// once and multiplied out), which takes most of the time of a pass.
const lanes = 4

// halves is the number of parts into which the poles are divided. Each has its own sums, added
// in order at the end, so the result does not depend on the number of cores that work on them.
const halves = 2

// concurrentRows is the size from which the halves are worth a goroutine.
const concurrentRows = 2048

// evaluator computes diagonals of rational functions of the tridiagonal matrix
//
//	T = D^(-1/2) (A'A)^(-1) D^(-1/2), D = diag(v),
//
// of size n in O(n) for each pole and O(n) memory, which it keeps between calls.
type evaluator struct {
	sums   [halves][]float64 // n each
	tables [halves][]float64 // n*lanes each
}

// newEvaluator makes one for matrices of size n at most, for one goroutine at a time.
func newEvaluator(n int) *evaluator {
	e := &evaluator{}
	for h := range halves {
		e.sums[h] = make([]float64, n)
		e.tables[h] = make([]float64, n*lanes)
	}
	return e
}

// diagonal writes diag r(T) to dst; dst and v have len n, v > 0, and n is at most the size of
// newEvaluator.
func (e *evaluator) diagonal(dst, v []float64, r numeric.Rational) {
	n := len(v)
	passes := passesOf(r)
	// The split depends on the number of poles alone, and never on the machine: the sums
	// are then the same bits everywhere.
	split := (len(passes) + 1) / 2
	parts := [halves][]pass{passes[:split], passes[split:]}
	work := func(h int) {
		sum := e.sums[h][:n]
		clear(sum)
		for i := range parts[h] {
			parts[h][i].add(sum, v, e.tables[h][:n*lanes])
		}
	}
	if n < concurrentRows {
		work(0)
		work(1)
	} else {
		done := make(chan struct{})
		go func() {
			work(1)
			close(done)
		}()
		work(0)
		<-done
	}
	for i := range dst {
		dst[i] = e.sums[0][i] + e.sums[1][i] + r.Constant
	}
}

// pass is a group of poles; unused lanes have weight 0.
type pass struct{ poles, weights [lanes]float64 }

// passesOf groups the poles of r by lanes, in order. Unused lanes have pole 1, so that the
// product of denominators that lanes share is not 0.
func passesOf(r numeric.Rational) []pass {
	passes := make([]pass, (len(r.Poles)+lanes-1)/lanes)
	for j := range passes {
		for l := range lanes {
			passes[j].poles[l] = 1
			if i := j*lanes + l; i < len(r.Poles) {
				passes[j].poles[l], passes[j].weights[l] = r.Poles[i], r.Weights[i]
			}
		}
	}
	return passes
}

// add adds the diagonal of sum_l w_l (T + s_l)^(-1) to sum, by two recurrences
// with positive terms only: forward q_0 = s v_0, q_i = s v_i + q_{i-1}/(1 +
// q_{i-1}), backward from t = 1 entry i is v_i/(q_i + t), and then u = s v_i + t,
// t = u/(1 + u). They run towards each other at the same time, for each is a
// serial chain that leaves the processor waiting: table (len n*lanes) has q in
// its first half and t in its second when they meet.
func (p *pass) add(sum, v, table []float64) {
	s0, s1, s2, s3 := p.poles[0], p.poles[1], p.poles[2], p.poles[3]
	w0, w1, w2, w3 := p.weights[0], p.weights[1], p.weights[2], p.weights[3]
	r0, r1, r2, r3 := 0.0, 0.0, 0.0, 0.0 // q/(1+q) of the row before
	t0, t1, t2, t3 := 1.0, 1.0, 1.0, 1.0
	half := len(v) / 2
	for i := range half {
		x, at := v[i], (*[lanes]float64)(table[lanes*i:])
		q0, q1, q2, q3 := float64(s0*x)+r0, float64(s1*x)+r1, float64(s2*x)+r2, float64(s3*x)+r3
		at[0], at[1], at[2], at[3] = q0, q1, q2, q3
		r0, r1, r2, r3 = shares(q0, q1, q2, q3)

		k := len(v) - 1 - i
		x, at = v[k], (*[lanes]float64)(table[lanes*k:])
		at[0], at[1], at[2], at[3] = t0, t1, t2, t3
		t0, t1, t2, t3 = shares(float64(s0*x)+t0, float64(s1*x)+t1, float64(s2*x)+t2, float64(s3*x)+t3)
	}
	if len(v)%2 == 1 {
		x, at := v[half], (*[lanes]float64)(table[lanes*half:])
		at[0], at[1], at[2], at[3] = t0, t1, t2, t3
		t0, t1, t2, t3 = shares(float64(s0*x)+t0, float64(s1*x)+t1, float64(s2*x)+t2, float64(s3*x)+t3)
	}
	for i := half; i < len(v); i++ {
		x, at := v[i], (*[lanes]float64)(table[lanes*i:])
		q0, q1, q2, q3 := float64(s0*x)+r0, float64(s1*x)+r1, float64(s2*x)+r2, float64(s3*x)+r3
		above, below := fraction(w0, q0+at[0], w1, q1+at[1], w2, q2+at[2], w3, q3+at[3])
		sum[i] += x * above / below
		r0, r1, r2, r3 = shares(q0, q1, q2, q3)

		k := len(v) - 1 - i
		if k >= half {
			continue // the middle row of an odd number
		}
		x, at = v[k], (*[lanes]float64)(table[lanes*k:])
		above, below = fraction(w0, at[0]+t0, w1, at[1]+t1, w2, at[2]+t2, w3, at[3]+t3)
		sum[k] += x * above / below
		t0, t1, t2, t3 = shares(float64(s0*x)+t0, float64(s1*x)+t1, float64(s2*x)+t2, float64(s3*x)+t3)
	}
}

// shares returns x/(1+x) for each of four numbers >= 0 with one division.
func shares(a, b, c, d float64) (float64, float64, float64, float64) {
	ea, eb, ec, ed := 1+a, 1+b, 1+c, 1+d
	ab, cd := ea*eb, ec*ed
	inverse := 1 / (ab * cd)
	iab, icd := inverse*cd, inverse*ab
	return a * eb * iab, b * ea * iab, c * ed * icd, d * ec * icd
}

// fraction returns a/x + b/y + c/z + d/w over one denominator.
func fraction(a, x, b, y, c, z, d, w float64) (above, below float64) {
	xy, zw := x*y, z*w
	first, second := float64(a*y)+float64(b*x), float64(c*w)+float64(d*z)
	return float64(first*zw) + float64(second*xy), xy * zw
}
