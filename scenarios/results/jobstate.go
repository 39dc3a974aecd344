package results

import (
	"encoding/binary"
	"fmt"

	"starling/messages"
)

// sampleBytes is what a sample takes in a job's binary form.
const sampleBytes = 8 + 8 + 4 + 4

// AppendBinary appends the rows of the job, so that ReadJob can make it again.
func (j *Job) AppendBinary(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(j.metrics)))
	for _, name := range j.metrics {
		dst = messages.AppendFramed(dst, func(dst []byte) []byte { return append(dst, name...) })
	}
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(j.samples)))
	for i := range j.samples {
		s := &j.samples[i]
		dst = messages.AppendInt(dst, int(s.step))
		dst = messages.AppendFloats(dst, s.value)
		dst = binary.LittleEndian.AppendUint32(dst, uint32(s.node))
		dst = binary.LittleEndian.AppendUint32(dst, uint32(s.metric))
	}
	return dst
}

// ReadJob reads the rows of a job that AppendBinary wrote; whose they are the
// caller knows.
func ReadJob(r *messages.Reader, arm string, seed uint64) *Job {
	j := NewJob(arm, seed)
	for range r.Length(4) {
		j.intern(string(r.Framed()))
	}
	n := r.Length(sampleBytes)
	j.samples = make([]sample, n)
	for i := range j.samples {
		s := sample{step: int64(r.Int()), value: r.Float(), node: int32(r.Uint32()), metric: int32(r.Uint32())}
		if s.metric < 0 || int(s.metric) >= len(j.metrics) {
			r.Fail(fmt.Errorf("row %d: metric %d of %d", i+1, s.metric, len(j.metrics)))
			break
		}
		j.samples[i] = s
	}
	return j
}
