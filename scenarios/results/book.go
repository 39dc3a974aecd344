package results

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"starling/messages"
)

// DigestLine is the entry of a job in digests.jsonl.
type DigestLine struct {
	Arm  string `json:"arm"`
	Seed uint64 `json:"seed"`
	// Rows is the number of the job's rows in metrics.parquet, and Digest and Machines are
	// its Proof.
	Rows     int `json:"rows"`
	Digest   Hex `json:"digest"`
	Machines Hex `json:"machines"`
	// PrivacyRows is the number of the job's rows in privacy.parquet, and Privacy their
	// SHA-256.
	PrivacyRows int `json:"privacy_rows"`
	Privacy     Hex `json:"privacy"`
}

// Hex is bytes that JSON has in hex.
type Hex []byte

// MarshalText implements encoding.TextMarshaler.
func (h Hex) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, h), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (h *Hex) UnmarshalText(text []byte) (err error) {
	*h, err = hex.AppendDecode(nil, text)
	return err
}

// DigestBook collects the lines of a run. The zero value is empty.
type DigestBook struct {
	lines []DigestLine
	// privacy is the hash of the last line.
	privacy *Hash
}

// Begun reports whether there is a line of a job.
func (b *DigestBook) Begun() bool { return len(b.lines) > 0 }

// Add begins the line of the next job, which has so many rows of metrics.
func (b *DigestBook) Add(arm string, seed uint64, rows int, p Proof) {
	b.end()
	b.lines = append(b.lines, DigestLine{Arm: arm, Seed: seed, Rows: rows, Digest: p.Digest[:], Machines: p.Machines})
	b.privacy = NewHash()
}

// Privacy adds a row of privacy.parquet to the line of the last job.
func (b *DigestBook) Privacy(row *PrivacyRow) error {
	if b.privacy == nil {
		return fmt.Errorf("a privacy row of arm %q, seed %d, before any job", row.Arm, row.Seed)
	}
	last := &b.lines[len(b.lines)-1]
	if row.Arm != last.Arm || row.Seed != last.Seed {
		return fmt.Errorf("a privacy row of arm %q, seed %d, after the job of arm %q, seed %d", row.Arm, row.Seed, last.Arm, last.Seed)
	}
	last.PrivacyRows++
	b.privacy.privacy(row)
	return nil
}

// privacy adds a row of privacy.parquet.
func (h *Hash) privacy(row *PrivacyRow) {
	h.frame(func(b []byte) []byte { return messages.Write(b, row) })
}

// end ends the last line.
func (b *DigestBook) end() {
	if b.privacy != nil {
		sum := b.privacy.Sum()
		b.lines[len(b.lines)-1].Privacy, b.privacy = sum[:], nil
	}
}

// Lines returns the lines of all jobs, in their order. No more are added after it.
func (b *DigestBook) Lines() []DigestLine {
	b.end()
	return b.lines
}

// WriteDigests writes lines as JSON, one after the other.
func WriteDigests(w io.Writer, lines []DigestLine) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	for i := range lines {
		if err := encoder.Encode(&lines[i]); err != nil {
			return err
		}
	}
	return nil
}

// ReadDigests reads the lines that Write has written. An error names the line.
func ReadDigests(text []byte) (lines []DigestLine, err error) {
	for len(text) > 0 {
		line, rest, ended := bytes.Cut(text, []byte("\n"))
		var l DigestLine
		decoder := json.NewDecoder(bytes.NewReader(line))
		if err = decoder.Decode(&l); err == nil && (!ended || decoder.More() || l.Rows < 0 || l.PrivacyRows < 0) {
			err = errors.New("it is not the line of a job")
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", len(lines)+1, err)
		}
		lines, text = append(lines, l), rest
	}
	return lines, nil
}
