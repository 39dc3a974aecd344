package messages

import (
	"encoding/binary"
	"fmt"
)

// Decode reads one payload of any kind from the front of src and returns it
// with the rest of src. It shares nothing with src.
func Decode(src []byte) (Payload, []byte, error) {
	if len(src) == 0 {
		return nil, src, fmt.Errorf("%w: nothing left", errWire)
	}
	switch kind := Kind(src[0]); kind {
	case KindReleasedVector, KindRawVector, KindPublicVector:
		v, rest, err := DecodeVector(src)
		if err != nil {
			return nil, rest, err
		}
		return v, rest, nil
	default:
		return nil, src, fmt.Errorf("%w: unknown kind %d", errWire, kind)
	}
}

// AppendBinary appends a sealed outbox: what it broadcasts, if anything, and
// its single messages in order.
func (o *Outbox) AppendBinary(dst []byte) ([]byte, error) {
	var err error
	if o.Broadcast == nil {
		dst = append(dst, 0)
	} else if dst, err = o.Broadcast.AppendBinary(append(dst, 1)); err != nil {
		return dst, err
	}
	dst = binary.LittleEndian.AppendUint32(dst, uint32(o.BroadcastSeq()))
	if !o.HasSingles() {
		return binary.LittleEndian.AppendUint32(dst, 0), nil
	}
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(o.single.list)))
	for _, s := range o.single.list {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(s.To))
		dst = binary.LittleEndian.AppendUint32(dst, uint32(s.Seq))
		if dst, err = s.Payload.AppendBinary(dst); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// smallestSingle is the fewest bytes that a single message takes.
const smallestSingle = 4 + 4 + 1

// ReadOutbox reads an outbox that AppendBinary wrote. It is sealed.
func ReadOutbox(r *Reader) (o Outbox) {
	switch present := r.Byte(); present {
	case 0:
	case 1:
		o.Broadcast = r.payload()
	default:
		r.Fail(fmt.Errorf("%w: %d says neither broadcast nor none", errWire, present))
	}
	seq := int32(r.Uint32())
	n := r.Length(smallestSingle)
	if n == 0 {
		if seq != 0 {
			r.Fail(fmt.Errorf("%w: a broadcast after %d messages of none", errWire, seq))
		}
		return o
	}
	o.single = &singles{broadcastSeq: seq, list: make([]Single, n)}
	for i := range o.single.list {
		o.single.list[i] = Single{To: NodeID(r.Uint32()), Seq: int32(r.Uint32()), Payload: r.payload()}
	}
	return o
}

// payload reads a payload.
func (r *Reader) payload() Payload {
	if r.err != nil {
		return nil
	}
	p, rest, err := Decode(r.src)
	if err != nil {
		r.Fail(err)
		return nil
	}
	r.src = rest
	return p
}
