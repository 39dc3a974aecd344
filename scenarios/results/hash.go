package results

import (
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"math"

	"starling/messages"
)

// Proof is the digest of a job, with the data from which it can be computed again from the
// rows.
type Proof struct {
	// Digest covers the final state of every machine, in the order of the nodes, then all rows.
	Digest [sha256.Size]byte
	// Machines is the state of the hash between the two, as crypto/sha256 writes it; empty
	// where it is unknown.
	Machines []byte
}

// State goes through the proof.
func (p *Proof) State(c *messages.Codec) {
	machines := string(p.Machines)
	c.Bytes("digest", p.Digest[:])
	c.Text("machines", &machines)
	p.Machines = []byte(machines)
}

// Hash is the digest of a job while it comes in: machines first, then rows.
type Hash struct {
	hash hash.Hash
	// frames are the bytes that have not gone into the hash yet: hashing many frames at once
	// is faster than one by one.
	frames []byte
}

// mostFrames is the number of bytes from which on frames go into the hash.
const mostFrames = 1 << 14

// NewHash is the digest of nothing.
func NewHash() *Hash { return &Hash{hash: sha256.New()} }

// resume goes on after the machines of a proof.
func (p *Proof) resume() (*Hash, error) {
	h := NewHash()
	if err := h.hash.(encoding.BinaryUnmarshaler).UnmarshalBinary(p.Machines); err != nil {
		return nil, fmt.Errorf("the state of a digest after the machines: %w", err)
	}
	return h, nil
}

// Machine adds the state of the next machine.
func (h *Hash) Machine(state []byte) { h.frame(func(b []byte) []byte { return append(b, state...) }) }

// row adds a row. The node is in the paper's numbering, or noNode.
func (h *Hash) row(step int64, node int32, metric string, value float64) {
	h.frames = binary.LittleEndian.AppendUint64(h.frames, uint64(3*8+len(metric)))
	h.frames = binary.LittleEndian.AppendUint64(h.frames, uint64(step))
	h.frames = binary.LittleEndian.AppendUint64(h.frames, uint64(int64(node)))
	h.frames = binary.LittleEndian.AppendUint64(h.frames, math.Float64bits(value))
	h.frames = append(h.frames, metric...)
	h.flush(mostFrames)
}

// frame adds bytes with their number before them, so that no two sequences of frames look
// alike.
func (h *Hash) frame(add func([]byte) []byte) {
	at := len(h.frames)
	h.frames = add(append(h.frames, make([]byte, 8)...))
	binary.LittleEndian.PutUint64(h.frames[at:], uint64(len(h.frames)-at-8))
	h.flush(mostFrames)
}

// flush puts the frames into the hash if they have least bytes or more.
func (h *Hash) flush(least int) {
	if len(h.frames) >= least {
		h.hash.Write(h.frames)
		h.frames = h.frames[:0]
	}
}

// State returns the state of the hash, for a Proof.
func (h *Hash) State() []byte {
	h.flush(0)
	state, err := h.hash.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		panic(err) // SHA-256 has a state
	}
	return state
}

// Sum returns the digest of all frames that have come in.
func (h *Hash) Sum() (sum [sha256.Size]byte) {
	h.flush(0)
	h.hash.Sum(sum[:0])
	return sum
}

// errOther is the error of rows that do not give the digest of their job.
var errOther = errors.New("the metrics do not match the digest: they were changed after the job had ended")

// verify adds rows to the state of the hash after the machines, and compares the digest.
func (p *Proof) verify(add func(*Hash)) error {
	h, err := p.resume()
	if err != nil {
		return err
	}
	if add(h); h.Sum() != p.Digest {
		return errOther
	}
	return nil
}

// runDigest is the digest of a run in hex: of its jobs in the canonical order, and of the arms that
// have failed.
func runDigest(lines []digestLine, failures []Failure) string {
	h := NewHash()
	text := func(s string) { h.Machine([]byte(s)) }
	for i := range lines {
		text(fmt.Sprintf("%s\n%d", lines[i].Arm, lines[i].Seed))
		h.Machine(lines[i].Digest)
	}
	for i := range failures {
		text("failed " + failures[i].String())
	}
	sum := h.Sum()
	return hex.EncodeToString(sum[:])
}
