package dataset

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is written is read again, and gives losses of every genre but the best.
func TestSyntheticRatings(t *testing.T) {
	want := NewSyntheticRatings(40, testKey)
	want.Movies[0].Title = "Misérables"
	folder := t.TempDir()
	if err := WriteRatings(folder, want); err != nil {
		t.Fatal(err)
	}
	got, err := LoadRatings(folder)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Movies, got.Movies) + cmp.Diff(want.Ratings, got.Ratings); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	l, err := NewGenreLosses(got, DefaultGenreLossOptions(), 4, 10, testKey)
	if err != nil {
		t.Fatal(err)
	}
	if l.Best() != 0 || l.Filled() == 0 || l.Means()[17] > 3 {
		t.Errorf("best %d, %d filled, means %v", l.Best(), l.Filled(), l.Means())
	}
}
