// Package checkpoint stores the progress of jobs: the states of running jobs, so that a run
// that was killed can go on, and the results of finished jobs, so that no run computes them
// again. It stores bytes and does not know their meaning.
//
//	checkpoints/
//	  identity.json      the run that the store belongs to: scenario, hash, build, arithmetic, part
//	  finished.journal   one record for each finished job
//	  KEY.state          the last state of a job, and its SHA-256 at the end
//
// A job is known by its key, which is a digest of all that its bits depend on: a record is
// of use to every run that has a job of that key. Store writes a store, and Records reads
// the journals of one, also while another process writes it.
//
// # After a kill
//
// A process that is killed at any moment leaves a store that can be opened. A state file is
// replaced whole or not at all. A record at the end of the journal that is cut short is
// dropped, and its job runs again from its last state. Any other text that does not fit its
// checksum is an error: a damaged state must not become a result.
//
// A state belongs to one build and one arithmetic. Another would go on with other bits, and
// could not repeat the earlier releases with the same noise.
package checkpoint

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"starling/actors/atomicfile"
)

// Key names a job by all that its bits depend on.
type Key [16]byte

// String is the key in hex.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// Identity identifies the run that a store belongs to.
type Identity struct {
	// Scenario is its name.
	Scenario string `json:"scenario"`
	// Hash is the hash of the scenario, its data and the build.
	Hash string `json:"hash"`
	// Build names the program by its content.
	Build string `json:"build"`
	// Arithmetic names the arithmetic of the process; stores of older versions have none.
	Arithmetic string `json:"arithmetic,omitempty"`
	// Version is the version of the program, for people.
	Version string `json:"version,omitempty"`
	// Part is the share of the jobs of a run that the store is for, such as 3/16; empty for
	// all.
	Part string `json:"part,omitempty"`
}

// The names in a store.
const (
	identityName = "identity.json"
	journalName  = "finished.journal"
	stateSuffix  = ".state"
)

// Store is an open store. Its methods are safe for concurrent use; calls for one job must come
// from one goroutine at a time.
type Store struct {
	dir string
	// mu guards the end of the journal and the records.
	mu      sync.Mutex
	journal *os.File
	// size is the journal's, in bytes: where the next record goes.
	size    int64
	records *Records
	// dropped is the number of bytes that were dropped of a record that was cut short.
	dropped int64
	closed  bool
}

// Exists reports whether a folder is a store. It returns an error where the system cannot
// answer.
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

// regular refuses a path that exists and is no regular file: opening a pipe would block.
func regular(path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no regular file", path)
	}
	return nil
}

// ReadIdentity returns the identity of the run that the store in a folder belongs to.
func ReadIdentity(dir string) (Identity, error) {
	path := filepath.Join(dir, identityName)
	if err := regular(path); err != nil {
		return Identity{}, err
	}
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
	id.Version, found.Version = "", ""
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
	s := &Store{dir: dir}
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

// openJournal finds the records, and cuts off the remains of a record that was being written.
func (s *Store) openJournal() (err error) {
	path := filepath.Join(s.dir, journalName)
	if s.journal, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644); err != nil {
		return err
	}
	if s.records, err = OpenRecords(s.dir); err != nil {
		return err
	}
	info, err := s.journal.Stat()
	if err != nil {
		return err
	}
	s.size = s.records.ends[path]
	if s.dropped = info.Size() - s.size; s.dropped > 0 {
		return s.journal.Truncate(s.size)
	}
	return nil
}

// Dropped is the number of bytes that Open has dropped of a record that was cut short.
func (s *Store) Dropped() int64 { return s.dropped }

// Cuts returns the cuts of the journal when it was opened: see Records.Cuts.
func (s *Store) Cuts() []string { return s.records.Cuts() }

// Jobs is the number of finished jobs.
func (s *Store) Jobs() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.records.Len()
}

// Finished returns the body that a finished job left. ok is false if the store has no record
// of the job.
func (s *Store) Finished(key Key) (body []byte, ok bool, err error) {
	s.mu.Lock()
	place, ok := s.records.places[key]
	s.mu.Unlock()
	if !ok {
		return nil, false, nil
	}
	body, err = place.body(new(memory))
	return body, err == nil, err
}

// Finish enters the body that a job left and drops its state. Of several records of a job the
// last counts.
func (s *Store) Finish(key Key, body []byte) error { return s.put(key, pack(key, body), false) }

// Fail enters the reason why a job has left nothing. Its state stays: tried again, it goes on
// from there.
func (s *Store) Fail(key Key, body []byte) error { return s.put(key, pack(key, body), true) }

// Adopt enters the record that others hold of a job, and reports whether they hold one.
func (s *Store) Adopt(key Key, others *Records) (ok bool, err error) {
	place, ok := others.places[key]
	if !ok {
		return false, nil
	}
	text, err := place.read(nil)
	if err == nil {
		err = s.put(key, text, false)
	}
	return err == nil, err
}

// put appends a record to the journal. The state of the job stays, or is dropped.
func (s *Store) put(key Key, text []byte, stays bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.journal.WriteAt(text, s.size); err != nil {
		return fmt.Errorf("checkpoints: %w", err)
	}
	s.records.places[key] = place{s.journal, key, s.size, len(text) - headerSize}
	s.size += int64(len(text))
	if stays {
		return nil
	}
	// The record is in the journal: the state is of no use, and after a kill here it does
	// no harm.
	if err := os.Remove(s.statePath(key)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("checkpoints: %w", err)
	}
	return nil
}

func (s *Store) statePath(key Key) string {
	return filepath.Join(s.dir, key.String()+stateSuffix)
}

// Save replaces the state of a job by the bytes that state writes.
func (s *Store) Save(key Key, state func(io.Writer) error) error {
	err := write(s.statePath(key), func(w io.Writer) error {
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
func (s *Store) State(key Key) (state []byte, ok bool, err error) {
	text, err := os.ReadFile(s.statePath(key))
	if errors.Is(err, os.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("checkpoints: %w", err)
	}
	at := len(text) - sha256.Size
	if at < 0 {
		return nil, false, fmt.Errorf("checkpoints: %s is cut short: %d bytes", s.statePath(key), len(text))
	}
	if sha256.Sum256(text[:at]) != [sha256.Size]byte(text[at:]) {
		return nil, false, fmt.Errorf("checkpoints: %s is damaged: its SHA-256 is not the one at its end", s.statePath(key))
	}
	return text[:at], true, nil
}

// Close closes the store and keeps it. A second Close does nothing.
func (s *Store) Close() error {
	if s.closed || s.journal == nil {
		return nil
	}
	s.closed = true
	err := s.journal.Close()
	if s.records != nil {
		err = errors.Join(err, s.records.Close())
	}
	return err
}

// Keep moves the records of finished jobs from the store of a complete run into a store of its
// own at kept, replaces a store that is there, and removes the rest. A file that belongs to no
// store is an error: the file stays, and so do the records that were moved.
func Keep(dir, kept string) error {
	if err := Remove(kept); err != nil {
		return err
	}
	if err := os.MkdirAll(kept, 0o755); err != nil {
		return err
	}
	// The identity goes last: it makes the moved files a store.
	for _, name := range []string{journalName, identityName} {
		if err := os.Rename(filepath.Join(dir, name), filepath.Join(kept, name)); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := os.Remove(filepath.Join(dir, entry.Name())); err != nil {
			return err
		}
	}
	return os.Remove(dir)
}

// Remove deletes the store that a folder is, and leaves other folders alone.
func Remove(dir string) error {
	exists, err := Exists(dir)
	if err != nil || !exists {
		return err
	}
	// The identity goes last: until then the remaining files are a store.
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

// Gather makes a store at a path, in the place of one that is there, of the journals of
// others: as links to them where the system can, else as copies.
func Gather(dir string, id Identity, others []string) error {
	if err := Remove(dir); err != nil {
		return err
	}
	if err := create(dir, id); err != nil {
		return err
	}
	for i, other := range others {
		journal, kept := filepath.Join(other, journalName), filepath.Join(dir, fmt.Sprintf("%05d%s", i+1, journalSuffix))
		if err := os.Link(journal, kept); err == nil {
			continue
		}
		source, err := os.Open(journal)
		if err != nil {
			return err
		}
		err = write(kept, func(w io.Writer) error {
			_, err := io.Copy(w, source)
			return err
		})
		if err = errors.Join(err, source.Close()); err != nil {
			return err
		}
	}
	return nil
}
