package cache_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"starling/scenarios/cache"
)

type key int

func need(k, bytes int) cache.Need { return cache.Need{Key: key(k), Bytes: int64(bytes)} }

// get asks for a key whose value is its square.
func get(c *cache.Cache, k int, made *int) (value int, kept bool) {
	value, kept, _ = cache.Get(c, key(k), func() (int, error) {
		*made++
		return k * k, nil
	})
	return value, kept
}

func TestValuesAreMadeOnceAndForgotten(t *testing.T) {
	c, made := cache.New(100), 0
	c.Hold(need(3, 60))
	c.Hold(need(3, 60))
	for range 3 {
		if v, kept := get(c, 3, &made); v != 9 || !kept || made != 1 || c.Used() != 60 {
			t.Fatalf("value %d, kept %v, made %d times, %d bytes", v, kept, made, c.Used())
		}
	}
	c.Release(need(3, 60))
	if v, kept := get(c, 3, &made); v != 9 || !kept || made != 1 {
		t.Errorf("after the first job: value %d, kept %v, made %d times", v, kept, made)
	}
	c.Release(need(3, 60))
	if _, kept := get(c, 3, &made); kept || made != 1 || c.Used() != 0 {
		t.Errorf("after the last job: kept %v, made %d times, %d bytes", kept, made, c.Used())
	}
}

func TestWhatIsNotKept(t *testing.T) {
	for name, test := range map[string]struct {
		holds [][]cache.Need
		kept  bool
	}{
		"unknown":           {nil, false},
		"of one job":        {[][]cache.Need{{need(1, 5)}}, false},
		"of one job alone":  {[][]cache.Need{{{Key: key(1), Bytes: 5, Alone: true}}}, true},
		"of two jobs":       {[][]cache.Need{{need(1, 5)}, {need(1, 5)}}, true},
		"too large":         {[][]cache.Need{{need(1, 11)}, {need(1, 11)}}, false},
		"too large for one": {[][]cache.Need{{need(1, 5)}, {need(1, 11)}}, false},
	} {
		c, made := cache.New(10), 0
		for _, needs := range test.holds {
			c.Hold(needs...)
		}
		if _, kept := get(c, 1, &made); kept != test.kept || (made == 1) != test.kept {
			t.Errorf("%s: kept %v, made %d times, want %v", name, kept, made, test.kept)
		}
	}
	made := 0
	if _, kept := get(nil, 1, &made); kept || made != 0 {
		t.Error("no cache keeps a value")
	}
}

// What does not fit while another is kept fits when that is forgotten.
func TestRoomIsUsedAgain(t *testing.T) {
	c, made := cache.New(10), 0
	for range 2 {
		c.Hold(need(1, 8), need(2, 8))
	}
	get(c, 1, &made)
	if _, kept := get(c, 2, &made); kept {
		t.Error("16 bytes are kept of 10")
	}
	c.Release(need(1, 8))
	c.Release(need(1, 8))
	if v, kept := get(c, 2, &made); !kept || v != 4 {
		t.Errorf("value %d, kept %v in a cache that is empty", v, kept)
	}
}

func TestErrorsAreKept(t *testing.T) {
	c, made, failed := cache.New(1), 0, errors.New("failed")
	c.Hold(need(1, 1))
	c.Hold(need(1, 1))
	for range 2 {
		_, kept, err := cache.Get(c, key(1), func() (int, error) {
			made++
			return 0, failed
		})
		if !kept || err != failed || made != 1 {
			t.Errorf("kept %v, error %v, made %d times", kept, err, made)
		}
	}
}

func TestWhoAsksAtOnceWaits(t *testing.T) {
	const jobs = 20
	c := cache.New(1)
	for range jobs {
		c.Hold(need(1, 1))
	}
	var made atomic.Int64
	var group sync.WaitGroup
	for range jobs {
		group.Go(func() {
			defer c.Release(need(1, 1))
			v, kept, _ := cache.Get(c, key(1), func() (int64, error) { return made.Add(1), nil })
			if v != 1 || !kept {
				t.Errorf("value %d, kept %v", v, kept)
			}
		})
	}
	group.Wait()
	if made.Load() != 1 || c.Used() != 0 {
		t.Errorf("made %d times, %d bytes are left", made.Load(), c.Used())
	}
}

// Two arms under three seeds, whose jobs need a value for each seed and one for each arm.
func TestPeak(t *testing.T) {
	bySeed := [][]cache.Need{}
	for seed := range 3 {
		for arm := range 2 {
			bySeed = append(bySeed, []cache.Need{need(10+seed, 5), need(20+arm, 1)})
		}
	}
	ownBySeed := [][]cache.Need{}
	for seed := range 3 { // a value of a job alone, and one of all seeds that jobs do without
		own := need(30+seed, 5)
		own.Own = 4
		ownBySeed = append(ownBySeed, []cache.Need{own, need(20, 1)})
	}
	byArm := [][]cache.Need{bySeed[0], bySeed[2], bySeed[4], bySeed[1], bySeed[3], bySeed[5]}
	for _, test := range []struct {
		name    string
		needs   [][]cache.Need
		workers int
		budget  int64
		want    int64
	}{
		{"by seed", bySeed, 1, 1000, 7},
		{"by seed, two at a time", bySeed, 2, 1000, 12},
		{"by arm", byArm, 1, 1000, 16}, // all seeds, and an arm at a time
		{"all at once", bySeed, 9, 1000, 17},
		{"within a budget", bySeed, 9, 12, 12},
		{"nothing fits", bySeed, 9, 0, 0},
		{"of their own", ownBySeed, 1, 1000, 4 + 1},
		{"of their own, two at a time", ownBySeed, 2, 1000, 2*4 + 1},
		{"of their own, and nothing fits", ownBySeed, 2, 0, 2 * 4},
		{"no jobs", nil, 1, 1000, 0},
	} {
		if got := cache.Peak(test.needs, test.workers, test.budget); got != test.want {
			t.Errorf("%s: %d bytes, want %d", test.name, got, test.want)
		}
	}
}

func TestReleaseOfWhatIsNotHeld(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("nobody minds")
		}
	}()
	cache.New(1).Release(need(1, 1))
}
