package meter

import (
	"sync/atomic"

	"starling/messages"
	"starling/scenarios/gauge"
	"starling/scenarios/problem"
)

// tests counts the fresh data of the nodes that decided in a step, and those of them
// that the node's own decision classifies right. No order changes a count.
type tests struct{ samples, correct atomic.Int64 }

// takesTests tells whether accuracy is taken: the problem classifies, and it is wanted.
func (o *Options) takesTests() bool {
	_, classifies := o.Instance.(problem.Classifier)
	return classifies && o.Wanted.Any(gauge.AccuracyTest)
}

// test tries a decision at a point on the fresh data of its node.
func (m *Meter) test(node messages.NodeID, point int, x []float64) {
	if m.tests == nil {
		return
	}
	fresh := m.Instance.(problem.Classifier)
	correct := int64(0)
	samples := fresh.TestSamples()
	for index := range samples {
		if fresh.Correct(node, index, x) {
			correct++
		}
	}
	m.tests[point].samples.Add(int64(samples))
	m.tests[point].correct.Add(correct)
}

// finishTests hands the accuracy of a point to r; NaN where nobody decided.
func (m *Meter) finishTests(point int, r gauge.Recorder) {
	if m.tests == nil {
		return
	}
	t := &m.tests[point]
	r.Add(m.Points[point], gauge.AccuracyTest, float64(t.correct.Load())/float64(t.samples.Load()))
}
