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

// digestLine is the entry of a job in digests.jsonl.
type digestLine struct {
	Arm  string `json:"arm"`
	Seed uint64 `json:"seed"`
	// Rows is the number of the job's rows in metrics.parquet, and Digest and Machines are
	// its Proof.
	Rows     int      `json:"rows"`
	Digest   hexBytes `json:"digest"`
	Machines hexBytes `json:"machines"`
	// PrivacyRows is the number of the job's rows in privacy.parquet, and Privacy their
	// SHA-256.
	PrivacyRows int      `json:"privacy_rows"`
	Privacy     hexBytes `json:"privacy"`
}

// hexBytes are bytes that JSON has in hex.
type hexBytes []byte

// MarshalText implements encoding.TextMarshaler.
func (h hexBytes) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, h), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (h *hexBytes) UnmarshalText(text []byte) (err error) {
	*h, err = hex.AppendDecode(nil, text)
	return err
}

// digestBook collects the lines of a run. The zero value is empty.
type digestBook struct {
	lines []digestLine
	// privacy is the hash of the last line.
	privacy *Hash
}

// Begun reports whether there is a line of a job.
func (b *digestBook) Begun() bool { return len(b.lines) > 0 }

// Add begins the line of the next job, which has so many rows of metrics.
func (b *digestBook) Add(arm string, seed uint64, rows int, p Proof) {
	b.end()
	b.lines = append(b.lines, digestLine{Arm: arm, Seed: seed, Rows: rows, Digest: p.Digest[:], Machines: p.Machines})
	b.privacy = NewHash()
}

// Privacy adds a row of privacy.parquet to the line of the last job.
func (b *digestBook) Privacy(row *PrivacyRow) error {
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
func (b *digestBook) end() {
	if b.privacy != nil {
		sum := b.privacy.Sum()
		b.lines[len(b.lines)-1].Privacy, b.privacy = sum[:], nil
	}
}

// Lines returns the lines of all jobs, in their order. No more are added after it.
func (b *digestBook) Lines() []digestLine {
	b.end()
	return b.lines
}

// writeDigests writes lines as JSON, one after the other.
func writeDigests(w io.Writer, lines []digestLine) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	for i := range lines {
		if err := encoder.Encode(&lines[i]); err != nil {
			return err
		}
	}
	return nil
}

// readDigests reads the lines that writeDigests has written. An error names the line.
func readDigests(text []byte) (lines []digestLine, err error) {
	for len(text) > 0 {
		line, rest, ended := bytes.Cut(text, []byte("\n"))
		var l digestLine
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
