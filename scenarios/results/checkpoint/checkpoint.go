// Package checkpoint keeps what an unfinished run has done, so that a run that was killed
// can go on. It stores bytes and does not know what they mean.
//
//	checkpoints/
//	  identity.json      whose store it is: scenario, hash, build, arithmetic
//	  finished.journal   one record for each finished job: job, length, CRC-32C, body
//	  7.state            the last state of job 7, and its SHA-256 at the end
//
// # What a kill leaves
//
// A process that is killed at any moment leaves a store that can be opened. A state file
// is replaced whole or not at all. A record at the end of the journal that is cut short
// is dropped, and its job runs again from its last state. Whatever else does not fit its
// checksum is an error: a damaged state must not become a result.
//
// A state belongs to one build and one arithmetic. Another would go on with other bits,
// and what was released by then could not be released again with the same noise.
package checkpoint

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"starling/scenarios/results/internal/atomicfile"
)

// Identity says which run a store belongs to.
type Identity struct {
	// Scenario is its name.
	Scenario string `json:"scenario"`
	// Hash is that of the scenario, its data and the build.
	Hash string `json:"hash"`
	// Build names the program by its content.
	Build string `json:"build"`
	// Arithmetic names that of the process; stores of older versions have none.
	Arithmetic string `json:"arithmetic,omitempty"`
}

// The names in a store.
const (
	identityName = "identity.json"
	journalName  = "finished.journal"
	stateSuffix  = ".state"
)

// Store is an open store. Its methods are safe for concurrent use, those of one
// job from one goroutine at a time.
type Store struct {
	dir string
	// mu guards the journal, its size and the places.
	mu      sync.Mutex
	journal *os.File
	// size is the journal's, in bytes: where the next record goes.
	size int64
	// places has by job where its record is; it is looked up and never iterated.
	places map[int]record
	// dropped is how many bytes of a record that was cut short were dropped.
	dropped int64
	closed  bool
}

// record is where in the journal a job is.
type record struct {
	// offset is that of the body, after the header.
	offset int64
	length int
}

// Exists tells whether a folder is a store. The error is of a system that cannot
// tell.
func Exists(dir string) (bool, error) {
	_, err := os.Stat(filepath.Join(dir, identityName))
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("cannot tell whether there are checkpoints: %w", err)
	}
	return true, nil
}

// ReadIdentity returns whose store a folder is.
func ReadIdentity(dir string) (Identity, error) {
	path := filepath.Join(dir, identityName)
	text, err := os.ReadFile(path)
	if err != nil {
		return Identity{}, err
	}
	var id Identity
	if err := json.Unmarshal(text, &id); err != nil {
		return Identity{}, fmt.Errorf("%s: %w", path, err)
	}
	return id, nil
}

// Open opens the store in a folder, an empty one if there is none. The store of
// another run is refused.
func Open(dir string, id Identity) (*Store, error) {
	exists, err := Exists(dir)
	if err != nil {
		return nil, err
	}
	if !exists {
		if err := create(dir, id); err != nil {
			return nil, fmt.Errorf("checkpoints: %w", err)
		}
	}
	found, err := ReadIdentity(dir)
	if err != nil {
		return nil, fmt.Errorf("checkpoints: %w", err)
	}
	theirs := found.Arithmetic
	found.Arithmetic = id.Arithmetic // the rest comes first
	if found != id {
		return nil, fmt.Errorf("checkpoints %s: they are of %s, hash %s, build %s; this is %s, hash %s, build %s",
			dir, found.Scenario, found.Hash, found.Build, id.Scenario, id.Hash, id.Build)
	}
	if theirs != "" && theirs != id.Arithmetic {
		return nil, fmt.Errorf("checkpoints %s: the run was begun with arithmetic %s, and this process has %s: another processor, or other GODEBUG settings, give other bits",
			dir, theirs, id.Arithmetic)
	}
	if err := atomicfile.RemoveStale(dir); err != nil {
		return nil, fmt.Errorf("checkpoints: %w", err)
	}
	s := &Store{dir: dir, places: map[int]record{}}
	if err := s.openJournal(); err != nil {
		s.Close()
		return nil, fmt.Errorf("checkpoints: %w", err)
	}
	return s, nil
}

// create makes an empty store. The identity makes a folder a store, and comes first.
func create(dir string, id Identity) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return write(filepath.Join(dir, identityName), func(w io.Writer) error { return json.NewEncoder(w).Encode(id) })
}

// write writes a file, whole or not at all.
func write(path string, fill func(io.Writer) error) error {
	_, _, err := atomicfile.Write(path, fill)
	return err
}

// recordHeader is job, length and checksum.
const recordHeader = 3 * 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// openJournal reads where the records are and cuts off what is left of one that
// was being written.
func (s *Store) openJournal() error {
	var err error
	path := filepath.Join(s.dir, journalName)
	if s.journal, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644); err != nil {
		return err
	}
	info, err := s.journal.Stat()
	if err != nil {
		return err
	}
	for s.size < info.Size() {
		job, length, err := s.readRecord(info.Size())
		if errors.Is(err, io.ErrUnexpectedEOF) {
			s.dropped = info.Size() - s.size
			return s.journal.Truncate(s.size)
		}
		if err != nil {
			return fmt.Errorf("%s is damaged at byte %d: %w", path, s.size, err)
		}
		s.places[job] = record{s.size + recordHeader, length}
		s.size += recordHeader + int64(length)
	}
	return nil
}

// readRecord reads and checks the record at the end of what is read. One that
// reaches beyond the file's end was cut short.
func (s *Store) readRecord(end int64) (job, length int, err error) {
	var header [recordHeader]byte
	if end-s.size < recordHeader {
		return 0, 0, io.ErrUnexpectedEOF
	}
	if _, err := s.journal.ReadAt(header[:], s.size); err != nil {
		return 0, 0, err
	}
	length = int(binary.LittleEndian.Uint32(header[4:]))
	if end-s.size-recordHeader < int64(length) {
		return 0, 0, io.ErrUnexpectedEOF
	}
	body := make([]byte, length)
	if _, err := s.journal.ReadAt(body, s.size+recordHeader); err != nil {
		return 0, 0, err
	}
	if checksum(header[:8], body) != binary.LittleEndian.Uint32(header[8:]) {
		return 0, 0, errors.New("its checksum is another")
	}
	return int(binary.LittleEndian.Uint32(header[:])), length, nil
}

// checksum is the CRC-32C of the parts one after the other.
func checksum(parts ...[]byte) (sum uint32) {
	for _, p := range parts {
		sum = crc32.Update(sum, castagnoli, p)
	}
	return sum
}

// Dropped is how many bytes of a record that was cut short Open has dropped.
func (s *Store) Dropped() int64 { return s.dropped }

// Jobs is the number of finished jobs.
func (s *Store) Jobs() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.places)
}

// Finished returns what a finished job left, and whether it is one.
func (s *Store) Finished(job int) (body []byte, ok bool, err error) {
	s.mu.Lock()
	place, ok := s.places[job]
	s.mu.Unlock()
	if !ok {
		return nil, false, nil
	}
	body = make([]byte, place.length)
	if _, err := s.journal.ReadAt(body, place.offset); err != nil {
		return nil, false, fmt.Errorf("checkpoints: %w", err)
	}
	return body, true, nil
}

// Finish enters what a job left and drops its state.
func (s *Store) Finish(job int, body []byte) error {
	text := make([]byte, recordHeader, recordHeader+len(body))
	binary.LittleEndian.PutUint32(text, uint32(job))
	binary.LittleEndian.PutUint32(text[4:], uint32(len(body)))
	binary.LittleEndian.PutUint32(text[8:], checksum(text[:8], body))
	text = append(text, body...)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.journal.WriteAt(text, s.size); err != nil {
		return fmt.Errorf("checkpoints: %w", err)
	}
	s.places[job] = record{s.size + recordHeader, len(body)}
	s.size += int64(len(text))
	// The record is in the journal: the state is of no use, and after a kill here it does
	// no harm.
	if err := os.Remove(s.statePath(job)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("checkpoints: %w", err)
	}
	return nil
}

func (s *Store) statePath(job int) string {
	return filepath.Join(s.dir, strconv.Itoa(job)+stateSuffix)
}

// Save replaces the state of a job by what state writes.
func (s *Store) Save(job int, state func(io.Writer) error) error {
	err := write(s.statePath(job), func(w io.Writer) error {
		sum := sha256.New()
		if err := state(io.MultiWriter(w, sum)); err != nil {
			return err
		}
		_, err := w.Write(sum.Sum(nil))
		return err
	})
	if err != nil {
		return fmt.Errorf("checkpoints: %w", err)
	}
	return nil
}

// State returns the last state of a job, and whether there is one.
func (s *Store) State(job int) (state []byte, ok bool, err error) {
	text, err := os.ReadFile(s.statePath(job))
	if errors.Is(err, os.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("checkpoints: %w", err)
	}
	at := len(text) - sha256.Size
	if at < 0 {
		return nil, false, fmt.Errorf("checkpoints: %s is cut short: %d bytes", s.statePath(job), len(text))
	}
	if sha256.Sum256(text[:at]) != [sha256.Size]byte(text[at:]) {
		return nil, false, fmt.Errorf("checkpoints: %s is damaged: its SHA-256 is not the one at its end", s.statePath(job))
	}
	return text[:at], true, nil
}

// Close closes the store and keeps it. A second Close does nothing.
func (s *Store) Close() error {
	if s.closed || s.journal == nil {
		return nil
	}
	s.closed = true
	return s.journal.Close()
}

// Remove deletes the store that a folder is, and leaves other folders alone.
func Remove(dir string) error {
	exists, err := Exists(dir)
	if err != nil || !exists {
		return err
	}
	// The identity goes last: what is left of a store until then is a store.
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.Name() == identityName {
			continue
		}
		if err := os.Remove(filepath.Join(dir, entry.Name())); err != nil {
			return err
		}
	}
	return os.RemoveAll(dir)
}
