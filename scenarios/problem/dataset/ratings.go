package dataset

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"starling/actors/atomicfile"
	"starling/mechanisms/rng"
)

// NewSyntheticRatings generates ratings of one movie of each genre by a number of users,
// for tests and demonstrations. User u gives the movie of genre g, of G = 18 genres, 4.5
// - 3 g / G + U stars, rounded to 1 .. 5, with U uniform on [-1, 1): the first genres are
// liked better by all. Each user rates the first movie and leaves out about one in six of
// the others. The same key gives the same ratings.
func NewSyntheticRatings(users int, key rng.Key) *Ratings {
	r := &Ratings{Notice: "generated ratings", Subset: true}
	for g, genre := range Genres {
		r.Movies = append(r.Movies, Movie{ID: g + 1, Title: genre + " (2000)", Genres: 1 << g})
	}
	for user := 1; user <= users; user++ {
		for g := range Genres {
			if g > 0 && key.Uniform(user, g, 0) < 1.0/6 {
				continue
			}
			stars := 4.5 - float64(float64(3*g)/float64(len(Genres))) + float64(2*float64(key.Uniform(user, g, 1))) - 1
			r.Ratings = append(r.Ratings, Rating{User: int32(user), Movie: int32(g + 1), Stars: uint8(min(max(stars+0.5, 1), maxStar))})
		}
	}
	return r
}

// WriteRatings writes ratings in the format of MovieLens 1M, without their times, into
// the set's subfolder of a folder, which it makes: files that LoadRatings reads. Titles
// must be of Latin-1 characters. Files that are there are replaced.
func WriteRatings(folder string, r *Ratings) error {
	folder = filepath.Join(folder, MovieLens1M)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	err := writeLines(filepath.Join(folder, "movies.dat"), len(r.Movies), func(i int) string {
		m := &r.Movies[i]
		var genres []string
		for g, genre := range Genres {
			if m.Genres>>g&1 == 1 {
				genres = append(genres, genre)
			}
		}
		return fmt.Sprintf("%d::%s::%s", m.ID, toLatin1(m.Title), strings.Join(genres, "|"))
	})
	if err != nil {
		return err
	}
	return writeLines(filepath.Join(folder, "ratings.dat"), len(r.Ratings), func(i int) string {
		return fmt.Sprintf("%d::%d::%d", r.Ratings[i].User, r.Ratings[i].Movie, r.Ratings[i].Stars)
	})
}

func writeLines(path string, n int, line func(i int) string) error {
	_, _, err := atomicfile.Write(path, func(w io.Writer) error {
		for i := range n {
			if _, err := fmt.Fprintln(w, line(i)); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

// toLatin1 encodes text with runes among the first 256 code points.
func toLatin1(text string) string {
	var out []byte
	for _, r := range text {
		out = append(out, byte(r))
	}
	return string(out)
}
