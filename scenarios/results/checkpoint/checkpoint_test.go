package checkpoint_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"starling/scenarios/results/checkpoint"
)

var ours = checkpoint.Identity{Scenario: "a", Hash: "0123", Build: "amd64-1"}

func open(t testing.TB, dir string) *checkpoint.Store {
	t.Helper()
	s, err := checkpoint.Open(dir, ours)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// key is that of a job of tests.
func key(job int) checkpoint.Key { return checkpoint.Key{byte(job)} }

func finish(t testing.TB, s *checkpoint.Store, job int, body string) {
	t.Helper()
	if err := s.Finish(key(job), []byte(body)); err != nil {
		t.Fatal(err)
	}
}

// text is a state that is just that.
func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func TestStoreKeepsWhatItIsGiven(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "checkpoints")
	s := open(t, dir)
	if err := s.Save(key(3), text("first")); err != nil {
		t.Fatal(err)
	}
	if err := s.Save(key(3), text("second")); err != nil {
		t.Fatal(err)
	}
	if err := s.Save(key(4), text("")); err != nil {
		t.Fatal(err)
	}
	finish(t, s, 7, "seven")
	finish(t, s, 4, "")
	s.Close()

	s = open(t, dir)
	if state, ok, err := s.State(key(3)); err != nil || !ok || string(state) != "second" {
		t.Errorf("state of job 3: %q, %v, %v", state, ok, err)
	}
	if _, ok, err := s.State(key(4)); err != nil || ok {
		t.Errorf("job 4 is finished and has a state (%v)", err)
	}
	for job, want := range map[int]string{7: "seven", 4: ""} {
		if body, ok, err := s.Finished(key(job)); err != nil || !ok || string(body) != want {
			t.Errorf("job %d left %q, %v, %v; want %q", job, body, ok, err, want)
		}
	}
	if _, ok, err := s.Finished(key(3)); err != nil || ok {
		t.Errorf("job 3 is finished (%v)", err)
	}
	if s.Jobs() != 2 || s.Dropped() != 0 {
		t.Errorf("%d jobs, %d bytes dropped", s.Jobs(), s.Dropped())
	}
}

// A job that failed has a record and its state, and goes on from that.
func TestFailedJobKeepsItsState(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "checkpoints"))
	if err := s.Save(key(3), text("half")); err != nil {
		t.Fatal(err)
	}
	if err := s.Fail(key(3), []byte("why")); err != nil {
		t.Fatal(err)
	}
	body, ok, err := s.Finished(key(3))
	state, saved, stateErr := s.State(key(3))
	if err != nil || !ok || string(body) != "why" || stateErr != nil || !saved || string(state) != "half" {
		t.Errorf("%q, %v, %v; state %q, %v, %v", body, ok, err, state, saved, stateErr)
	}
	finish(t, s, 3, "done")
	if _, saved, err := s.State(key(3)); err != nil || saved {
		t.Errorf("the state of a finished job is there (%v)", err)
	}
}

// Killed at any byte of its writing, a journal keeps every record before, and
// goes on.
func TestJournalCutShort(t *testing.T) {
	bodies := []string{"one", "", "three three three"}
	last := 0 // the size of the last record
	for cut := 1; cut == 1 || cut < last; cut++ {
		dir := t.TempDir()
		s := open(t, dir)
		path := filepath.Join(dir, "finished.journal")
		size := func() int {
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			return int(info.Size())
		}
		before := 0
		for job, body := range bodies {
			before = size()
			finish(t, s, job, body)
		}
		last = size() - before
		s.Close()
		if err := os.Truncate(path, int64(before+last-cut)); err != nil {
			t.Fatal(err)
		}
		s = open(t, dir)
		if _, ok, _ := s.Finished(key(2)); ok || s.Jobs() != 2 || s.Dropped() == 0 {
			t.Fatalf("cut by %d bytes: %d jobs, %d bytes dropped", cut, s.Jobs(), s.Dropped())
		}
		finish(t, s, 2, "again")
		s.Close()
		s = open(t, dir)
		if body, ok, err := s.Finished(key(2)); string(body) != "again" || !ok || err != nil {
			t.Fatalf("cut by %d bytes: %q, %v, %v", cut, body, ok, err)
		}
	}
}

func TestDamageIsFound(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	finish(t, s, 0, "some body")
	finish(t, s, 1, "another")
	if err := s.Save(key(2), text("a state")); err != nil {
		t.Fatal(err)
	}
	s.Close()
	state := filepath.Join(dir, key(2).String()+".state")
	text, err := os.ReadFile(state)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		text []byte
		want string
	}{
		{text[:5], "cut short: 5 bytes"},
		{text[:len(text)-1], "is damaged"},
		{append(bytes.Clone(text[:3]), append([]byte{text[3] ^ 1}, text[4:]...)...), "is damaged"},
	} {
		if err := os.WriteFile(state, test.text, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, err := open(t, dir).State(key(2)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("a state of %d bytes: %v, want %q", len(test.text), err, test.want)
		}
	}
	journal := filepath.Join(dir, "finished.journal")
	if text, err = os.ReadFile(journal); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		at   int
		open bool // tells that the store can be opened
	}{{3, false}, {17, false}, {30, true}} { // in key, length and body of the first record
		changed := bytes.Clone(text)
		changed[test.at] ^= 1
		if err := os.WriteFile(journal, changed, 0o644); err != nil {
			t.Fatal(err)
		}
		s, err := checkpoint.Open(dir, ours)
		if (err == nil) != test.open {
			t.Fatalf("a change of byte %d: %v", test.at, err)
		}
		if err == nil {
			_, _, err = s.Finished(key(0))
			if _, ok, other := s.Finished(key(1)); !ok || other != nil {
				t.Errorf("a change of byte %d: the other record: %v", test.at, other)
			}
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "is damaged at byte 0") {
			t.Errorf("a change of byte %d: %v", test.at, err)
		}
	}
}

// What one run has of a job another takes over, byte for byte; what is damaged it does not
// take.
func TestRecordsAreTakenOver(t *testing.T) {
	theirs, dir := t.TempDir(), t.TempDir()
	finish(t, open(t, theirs), 1, "one")
	records, err := checkpoint.OpenRecords(theirs)
	if err != nil {
		t.Fatal(err)
	}
	defer records.Close()
	s := open(t, dir)
	for job, want := range map[int]bool{1: true, 2: false} {
		if ok, err := s.Adopt(key(job), records); ok != want || err != nil || records.Has(key(job)) != want {
			t.Errorf("job %d: %v, %v", job, ok, err)
		}
	}
	s.Close()
	kept := filepath.Join(t.TempDir(), "jobs")
	if err := checkpoint.Keep(dir, kept); err != nil {
		t.Fatal(err)
	}
	again, err := checkpoint.OpenRecords(kept)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if body, ok, err := again.Body(key(1)); string(body) != "one" || !ok || err != nil || again.Len() != 1 {
		t.Errorf("%q, %v, %v of %d", body, ok, err, again.Len())
	}
}

func TestAnothersStoreIsRefused(t *testing.T) {
	dir := t.TempDir()
	open(t, dir).Close()
	other := ours
	other.Build = "amd64-2"
	if _, err := checkpoint.Open(dir, other); err == nil || !strings.Contains(err.Error(), "build amd64-1; this is a, hash 0123, build amd64-2") {
		t.Error(err)
	}
}

// TestOtherArithmeticIsRefused checks that a run does not go on with other bits;
// stores of older versions do not say with which they began.
func TestOtherArithmeticIsRefused(t *testing.T) {
	named := func(arithmetic string) checkpoint.Identity {
		id := ours
		id.Arithmetic = arithmetic
		return id
	}
	for _, test := range []struct{ theirs, ours, want string }{
		{"aa", "aa", ""},
		{"", "bb", ""},
		{"aa", "bb", "begun with arithmetic aa, and this process has bb"},
	} {
		dir := t.TempDir()
		store, err := checkpoint.Open(dir, named(test.theirs))
		if err != nil {
			t.Fatal(err)
		}
		store.Close()
		store, err = checkpoint.Open(dir, named(test.ours))
		if err == nil {
			store.Close()
		}
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q, then %q: %v, want %q", test.theirs, test.ours, err, test.want)
		}
	}
}

func TestRemoveTakesStoresOnly(t *testing.T) {
	dir := t.TempDir()
	precious := filepath.Join(dir, "precious")
	if err := os.WriteFile(precious, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := checkpoint.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(precious); err != nil {
		t.Fatal(err)
	}
	store := filepath.Join(dir, "store")
	finish(t, open(t, store), 1, "x")
	if err := checkpoint.Remove(store); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(store); !os.IsNotExist(err) {
		t.Errorf("the store is left: %v", err)
	}
}

// Jobs that finish side by side leave what they would one after the other.
func TestJobsFinishSideBySide(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		bodies := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 50), 1, 20).Draw(rt, "bodies")
		s := open(t, dir)
		var group sync.WaitGroup
		for job, body := range bodies {
			group.Go(func() {
				if err := s.Finish(key(job), body); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		s.Close()
		s = open(t, dir)
		for job, want := range bodies {
			if got, ok, err := s.Finished(key(job)); err != nil || !ok || !bytes.Equal(got, want) {
				rt.Fatalf("job %d left %x, %v, %v; want %x", job, got, ok, err, want)
			}
		}
		s.Close()
	})
}
