package dataset

import (
	"bytes"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/mechanisms/rng"
)

func TestLoadRatings(t *testing.T) {
	ratings := "5::3::4\n1::1::5\n5::9::1\n"
	timed := "5::3::4::978300760\n1::1::5::0\n5::9::1::12\n"
	want := []Rating{{5, 3, 4}, {1, 1, 5}, {5, 9, 1}}
	for _, test := range []struct {
		file, text string
		times      []int64
	}{
		{"ratings.dat", timed, []int64{978300760, 0, 12}},
		{"ratings.dat", strings.ReplaceAll(timed, "\n", "\r\n"), []int64{978300760, 0, 12}},
		{"ratings.dat.gz", ratings, nil},
		{"ratings-3col.dat.gz", ratings, nil},
		{"ratings-3col.dat", strings.TrimSuffix(ratings, "\n"), nil},
	} {
		folder := t.TempDir()
		writeFile(t, folder, MovieLens1M, "movies.dat", []byte(smallMovies))
		writeFile(t, folder, MovieLens1M, test.file, []byte(test.text))
		got, err := LoadRatings(folder)
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff(want, got.Ratings); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.file, diff)
		}
		if !slices.Equal(got.Times, test.times) {
			t.Errorf("%s: times %v, want %v", test.file, got.Times, test.times)
		}
		if !got.Subset || got.Notice != "a subset of MovieLens 1M: 3 of 1,000,209 ratings" {
			t.Errorf("subset %v, %q", got.Subset, got.Notice)
		}
	}
}

func TestReadMovies(t *testing.T) {
	movies, err := readMovies(contentOf("m", []byte(smallMovies)))
	if err != nil {
		t.Fatal(err)
	}
	want := []Movie{
		{1, "Toy Story (1995)", 1<<2 | 1<<3 | 1<<4},
		{2, "Les Misérables (1995)", 1<<7 | 1<<11},
		{3, "Noir (1950)", 1<<5 | 1<<9 | 1<<15},
		{4, "Mission: Impossible :: Again (1996)", 1<<0 | 1<<1 | 1<<12},
		{7, "Stars (1977)", 1<<8 | 1<<10 | 1<<13 | 1<<14},
		{9, "Facts (1990)", 1<<6 | 1<<16 | 1<<17},
	}
	if diff := cmp.Diff(want, movies); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestDamagedText(t *testing.T) {
	movies, err := readMovies(contentOf("m", []byte(smallMovies)))
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", maxLine+1)
	for text, want := range map[string]string{
		"1::A::War\n2::B\n":               `f: line 2: got "2::B", want MovieID::Title::Genres`,
		"1::A::War\n\n":                   `f: line 2: got "", want MovieID::Title::Genres`,
		"0::A::War\n":                     `f: line 1: movie id "0", want 1 to 16777216`,
		"one::A::War\n":                   `f: line 1: movie id "one", want 1 to 16777216`,
		"1::A::War|Opera\n":               `f: line 1: unknown genre "Opera"`,
		"1::A::War\n2::B::\n":             `f: line 2: unknown genre ""`,
		"1::A::War\n2::B::War\n1::C::War": "f: line 3: movie 1 is on line 1 already",
		"1::A::War\n" + long:              "f: line 2: longer than 4096 bytes",
	} {
		if _, err := readMovies(contentOf("f", []byte(text))); err == nil || err.Error() != want {
			t.Errorf("movies %.40q: got %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"1::1\n":                    `f: line 1: got "1::1", want UserID::MovieID::Rating, or with ::Timestamp on every line`,
		"1::1::5\n1::2::5::9\n":     `f: line 2: got "1::2::5::9", want UserID::MovieID::Rating, or with ::Timestamp on every line`,
		"1::1::5\n1::2::6\n":        `f: line 2: rating "6", want 1 to 5`,
		"1::1::4.5\n":               `f: line 1: rating "4.5", want 1 to 5`,
		"-1::1::4\n":                `f: line 1: user id "-1", want 1 to 16777216`,
		"1::5::4\n":                 "f: line 1: movie 5 is not listed in movies.dat",
		"1::1::4::-3\n":             `f: line 1: time "-3", want Unix seconds`,
		"1::1::4\n2::1::4\n1::1::3": "f: line 3: user 1 rated movie 1 on line 1 already",
	} {
		if _, _, err := readRatings(contentOf("f", []byte(text)), movies); err == nil || err.Error() != want {
			t.Errorf("ratings %q: got %v, want %s", text, err, want)
		}
	}
}

func FuzzMovies(f *testing.F) {
	f.Add([]byte(smallMovies))
	f.Fuzz(func(t *testing.T, text []byte) {
		movies, err := readMovies(contentOf("f", text))
		if err != nil {
			var format *FormatError
			if !errors.As(err, &format) || format.Line < 1 || format.Line > bytes.Count(text, []byte("\n"))+1 {
				t.Fatalf("%v has no line", err)
			}
			return
		}
		for i, m := range movies {
			if m.Genres == 0 || m.Genres>>len(Genres) != 0 || i > 0 && movies[i-1].ID >= m.ID {
				t.Fatalf("movie %+v after %d others", m, i)
			}
		}
	})
}

func FuzzRatings(f *testing.F) {
	movies, err := readMovies(contentOf("m", []byte(smallMovies)))
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte("5::3::4::978300760\n1::1::5::0"))
	f.Add([]byte(allRatings(3)))
	f.Fuzz(func(t *testing.T, text []byte) {
		ratings, times, err := readRatings(contentOf("f", text), movies)
		if err != nil {
			var format *FormatError
			if !errors.As(err, &format) || format.Line < 1 || format.Line > bytes.Count(text, []byte("\n"))+1 {
				t.Fatalf("%v has no line", err)
			}
			return
		}
		if times != nil && len(times) != len(ratings) {
			t.Fatalf("%d times, %d ratings", len(times), len(ratings))
		}
		for _, r := range ratings {
			if r.User < 1 || r.Stars < 1 || r.Stars > 5 {
				t.Fatalf("rating %+v", r)
			}
		}
	})
}

// handMade has three users. Movies 1 and 2 are in genres Action and Drama, 3
// in Drama alone, 4 in War.
func handMade() *Ratings {
	action, drama, war := uint32(1<<0), uint32(1<<7), uint32(1<<16)
	rest := uint32(1<<len(Genres)-1) &^ (action | drama | war)
	return &Ratings{
		Movies: []Movie{{ID: 1, Genres: action}, {ID: 2, Genres: action | drama}, {ID: 3, Genres: drama}, {ID: 4, Genres: war}, {ID: 5, Genres: rest}},
		Ratings: []Rating{
			{20, 1, 5}, {20, 2, 2}, {20, 3, 1}, {20, 5, 1},
			{10, 3, 5}, {10, 4, 2}, {10, 5, 1},
			{30, 1, 3}, {30, 4, 4}, {30, 5, 1},
		},
	}
}

// The matrix by hand, in the order of users 10, 20, 30, genres Action, Drama,
// War: means [-, 5, 2], [3.5, 1.5, -], [3, -, 4], each genre's mean 3.25, 3.25
// and 3. With genre means filled, Action and Drama have the mean 3.25, and the
// tie goes to Action; losses are max(0, Action - g), the largest 3.25 - 1 of
// user 10 and 2.5 of user 20, and so divided by 2.5.
func TestGenreLossesByHand(t *testing.T) {
	const action, drama, war, other = 0, 7, 16, 3
	o := GenreLossOptions{Fill: FillGenreMean, Order: OrderByID}
	l, err := NewGenreLosses(handMade(), o, 1, 3, testKey)
	if err != nil {
		t.Fatal(err)
	}
	if l.Best() != action || l.Scale() != 2.5 || l.Filled() != 3 || l.Means()[drama] != 3.25 || l.Means()[war] != 3 {
		t.Errorf("best %d, scale %v, filled %d, means %v", l.Best(), l.Scale(), l.Filled(), l.Means())
	}
	for step, want := range [][4]float64{{0, 0, 1.25, 2.25}, {0, 2, 0.5, 2.5}, {0, 0, 0, 2}} {
		row := l.Losses(0, step+1)
		if got := [4]float64{row[action] * 2.5, row[drama] * 2.5, row[war] * 2.5, row[other] * 2.5}; got != want {
			t.Errorf("user %d: %v, want %v", l.User(0, step+1), got, want)
		}
		if l.User(0, step+1) != 10*(step+1) {
			t.Errorf("step %d meets user %d", step+1, l.User(0, step+1))
		}
	}
	for fill, want := range map[string]struct {
		best  int
		mean  float64 // of War
		scale float64
	}{
		FillUserMean: {action, (2 + 2.25 + 4) / 3, 2.5}, // 8/3, 5, 2; 3.5, 1.5, 9/4; 3, 8/3, 4: a tie again
		FillZero:     {action, 2, 3.5},                  // 0, 5, 2; 3.5, 1.5, 0; 3, 0, 4: a tie again
	} {
		o.Fill = fill
		l, err := NewGenreLosses(handMade(), o, 1, 3, testKey)
		if err != nil {
			t.Fatal(err)
		}
		if l.Best() != want.best || math.Abs(l.Means()[war]-want.mean) > 1e-15 || l.Scale() != want.scale {
			t.Errorf("%s: best %d, mean %v, scale %v, want %+v", fill, l.Best(), l.Means()[war], l.Scale(), want)
		}
	}
}

// Each user is met once, and shuffling changes who meets whom, not the losses.
func TestGenreLossesOrder(t *testing.T) {
	movies, err := readMovies(contentOf("m", []byte(smallMovies)))
	if err != nil {
		t.Fatal(err)
	}
	list, _, err := readRatings(contentOf("r", []byte(allRatings(60))), movies)
	if err != nil {
		t.Fatal(err)
	}
	r := &Ratings{Movies: movies, Ratings: list}
	byID, err := NewGenreLosses(r, GenreLossOptions{FillGenreMean, OrderByID}, 1, 60, testKey)
	if err != nil {
		t.Fatal(err)
	}
	l, err := NewGenreLosses(r, DefaultGenreLossOptions(), 4, 15, testKey)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	inOrder := true
	for client := range l.Clients() {
		for step := 1; step <= l.Horizon(); step++ {
			user := l.User(client, step)
			inOrder = inOrder && user == client*15+step
			seen[user] = true
			if diff := cmp.Diff(byID.Losses(0, user), l.Losses(client, step)); diff != "" {
				t.Errorf("user %d (-by id +shuffled)\n%s", user, diff)
			}
			if l.Losses(client, step)[l.Best()] != 0 {
				t.Errorf("user %d: the best genre has a loss", user)
			}
		}
	}
	if len(seen) != 60 || inOrder {
		t.Errorf("%d users, in order %v", len(seen), inOrder)
	}
	other, err := NewGenreLosses(r, DefaultGenreLossOptions(), 4, 15, rng.NewKey(8, purposeUsers))
	if err != nil {
		t.Fatal(err)
	}
	if slices.Equal(l.order, other.order) {
		t.Error("another key gives the same order")
	}
}

func TestGenreLossesRefuse(t *testing.T) {
	if _, err := NewGenreLosses(handMade(), GenreLossOptions{Fill: "mean", Order: "random"}, 1, 3, testKey); err == nil ||
		err.Error() != "fill: is \"mean\", want one of genre-mean, user-mean, zero\norder: is \"random\", want one of shuffled, by-id" {
		t.Errorf("got %v", err)
	}
	for _, n := range [][2]int{{0, 1}, {1, 0}, {2, 2}, {math.MaxInt, 1}, {1, math.MaxInt}} {
		if _, err := NewGenreLosses(handMade(), DefaultGenreLossOptions(), n[0], n[1], testKey); err == nil {
			t.Errorf("%v: no error", n)
		}
	}
	unrated := handMade()
	unrated.Ratings = unrated.Ratings[1:2]
	if _, err := NewGenreLosses(unrated, DefaultGenreLossOptions(), 1, 1, testKey); err == nil || !strings.Contains(err.Error(), "nobody rated a movie of genre Adventure") {
		t.Errorf("got %v", err)
	}
}

// MovieLens 1M as the paper uses it. The expected numbers come from a separate
// program in another language over the same files.
func TestRealMovieLens(t *testing.T) {
	r, err := LoadRatings(realData(t))
	if err != nil {
		t.Fatal(err)
	}
	stars := make([]int, 6)
	for _, rating := range r.Ratings {
		stars[rating.Stars]++
	}
	if want := []int{0, 56174, 107557, 261197, 348971, 226310}; !slices.Equal(stars, want) || len(r.Movies) != 3883 || r.Subset {
		t.Errorf("stars %v, %d movies, subset %v", stars, len(r.Movies), r.Subset)
	}
	for _, want := range []struct {
		fill               string
		best               string
		scale, mean, total float64 // total: of the losses of Horror, over all users
	}{
		{FillGenreMean, "Film-Noir", 4, 4.012229269950071, 1195.028593050781},
		{FillUserMean, "War", 4, 3.939326566767603, 988.9993228877755},
		{FillZero, "Drama", 5, 3.8416389313985433, 1213.1596674312768},
	} {
		l, err := NewGenreLosses(r, GenreLossOptions{Fill: want.fill, Order: OrderShuffled}, 10, 604, testKey)
		if err != nil {
			t.Fatal(err)
		}
		total := 0.0
		for client := range 10 {
			for step := 1; step <= 604; step++ {
				total += l.Losses(client, step)[10]
			}
		}
		if Genres[l.Best()] != want.best || l.Scale() != want.scale || l.Filled() != 14833 ||
			math.Abs(l.Means()[l.Best()]-want.mean) > 1e-12 || math.Abs(total-want.total) > 1e-8 {
			t.Errorf("%s: best %s, scale %v, %d filled, mean %v, total %v; want %+v", want.fill, Genres[l.Best()], l.Scale(), l.Filled(), l.Means()[l.Best()], total, want)
		}
	}
}

func BenchmarkLoadRatings(b *testing.B) {
	folder := os.Getenv("STARLING_DATA")
	if folder == "" {
		b.Skip("needs real data: set STARLING_DATA to the folder of data sets")
	}
	for b.Loop() {
		if _, err := LoadRatings(folder); err != nil {
			b.Fatal(err)
		}
	}
}
