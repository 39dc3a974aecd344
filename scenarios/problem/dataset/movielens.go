package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Genres are the 18 genres of MovieLens 1M in the order of its description,
// which is alphabetical.
var Genres = []string{
	"Action", "Adventure", "Animation", "Children's", "Comedy", "Crime", "Documentary", "Drama", "Fantasy",
	"Film-Noir", "Horror", "Musical", "Mystery", "Romance", "Sci-Fi", "Thriller", "War", "Western",
}

const (
	maxLine = 4096    // bytes of a line of a text file
	maxID   = 1 << 24 // the largest id of a user or a movie
	maxStar = 5
)

// Movie is a line of movies.dat.
type Movie struct {
	// ID is from 1, with gaps: the set has 3,883 movies and ids up to 3,952.
	ID int
	// Title is in UTF-8, with the year.
	Title string
	// Genres is a set: bit g stands for Genres[g]. A movie may have several.
	Genres uint32
}

// Rating is a line of ratings.dat.
type Rating struct {
	// User and Movie are ids as in the file, from 1.
	User, Movie int32
	// Stars is 1 to 5.
	Stars uint8
}

// Ratings is a data set of ratings, in stars, of movies by users. It is shared between runs
// and must not be changed.
type Ratings struct {
	// Movies are by ascending id.
	Movies []Movie
	// Ratings are in the order of the file.
	Ratings []Rating
	// Times has Unix seconds, one for each rating, or is nil if the file has none.
	Times []int64
	// Notice says how the files differ from the canonical ones, if they do.
	Notice string
	// Subset is true if ratings of the canonical set are missing: figures found with it must
	// not be compared with published ones.
	Subset bool
}

// LoadRatings reads MovieLens 1M from a folder. Errors are a *MissingError, a
// *FormatError, or one of the file system. No movie may be listed twice, and
// no user may rate a movie twice or one that is not listed.
func LoadRatings(folder string) (*Ratings, error) {
	set, err := Find(MovieLens1M)
	if err != nil {
		return nil, err
	}
	form, files, err := require(folder, set)
	if err != nil {
		return nil, err
	}
	result := &Ratings{Notice: form.Notice}
	// Movies come first, for ratings refer to them.
	for _, role := range []role{movieLines, ratingLines} {
		for _, file := range files {
			if file.role != role {
				continue
			}
			if err := result.read(file); err != nil {
				return nil, err
			}
		}
	}
	if all := set.Forms[0].records(ratingLines); len(result.Ratings) < all {
		result.Subset = true
		result.Notice = fmt.Sprintf("a subset of %s: %s of %s ratings", set.Title, grouped(len(result.Ratings)), grouped(all))
	}
	return result, nil
}

// read adds the contents of a file: movies or ratings, by its role.
func (r *Ratings) read(file found) error {
	c, err := openContent(file.path)
	if err != nil {
		return err
	}
	defer c.Close()
	if file.role == movieLines {
		r.Movies, err = readMovies(c)
		return err
	}
	r.Ratings, r.Times, err = readRatings(c, r.Movies)
	return err
}

// readMovies reads lines MovieID::Title::Genres in Latin-1, and returns the movies sorted
// by id. A title may have "::" in it, and so the genres stand after the last.
func readMovies(c *content) ([]Movie, error) {
	var movies []Movie
	lines := map[int]int{} // line by id
	err := eachLine(c, func(number int, line []byte) error {
		id, rest, ok := bytes.Cut(line, separator)
		// A title may have "::" in it; the genres are after the last.
		end := bytes.LastIndex(rest, separator)
		if !ok || end < 0 {
			return fmt.Errorf("got %q, want MovieID::Title::Genres", line)
		}
		movie := Movie{Title: latin1(rest[:end])}
		var err error
		if movie.ID, err = parseInt("movie id", id, 1, maxID); err != nil {
			return err
		}
		if movie.Genres, err = parseGenres(string(rest[end+len(separator):])); err != nil {
			return err
		}
		if first, listed := lines[movie.ID]; listed {
			return fmt.Errorf("movie %d is on line %d already", movie.ID, first)
		}
		lines[movie.ID] = number
		movies = append(movies, movie)
		return nil
	})
	slices.SortFunc(movies, func(a, b Movie) int { return a.ID - b.ID })
	return movies, err
}

// parseGenres reads genres with "|" between them and returns them as a set of bits, bit g
// for Genres[g].
func parseGenres(text string) (uint32, error) {
	var set uint32
	for name := range strings.SplitSeq(text, "|") {
		g := slices.Index(Genres, name)
		if g < 0 {
			return 0, fmt.Errorf("unknown genre %q", name)
		}
		set |= 1 << g
	}
	return set, nil
}

// readRatings reads lines UserID::MovieID::Rating, or with ::Timestamp on every line, and
// keeps their order. movies must be sorted by id.
func readRatings(c *content, movies []Movie) (ratings []Rating, times []int64, err error) {
	fields := 0 // of the first line
	err = eachLine(c, func(number int, line []byte) error {
		parts := bytes.Split(line, separator)
		if number == 1 {
			fields = len(parts)
		}
		if len(parts) != fields || fields < 3 || fields > 4 {
			return fmt.Errorf("got %q, want UserID::MovieID::Rating, or with ::Timestamp on every line", line)
		}
		rating, err := parseRating(parts, movies)
		if err != nil {
			return err
		}
		ratings = append(ratings, rating)
		if fields == 4 {
			time, err := strconv.ParseInt(string(parts[3]), 10, 64)
			if err != nil || time < 0 {
				return fmt.Errorf("time %q, want Unix seconds", parts[3])
			}
			times = append(times, time)
		}
		return nil
	})
	if err == nil {
		err = refuseTwice(c.path, ratings)
	}
	return ratings, times, err
}

// parseRating reads user, movie and stars. A movie that is not listed has no genres, and
// so its rating would count nowhere: it is an error.
func parseRating(parts [][]byte, movies []Movie) (Rating, error) {
	user, err := parseInt("user id", parts[0], 1, maxID)
	if err != nil {
		return Rating{}, err
	}
	movie, err := parseInt("movie id", parts[1], 1, maxID)
	if err != nil {
		return Rating{}, err
	}
	stars, err := parseInt("rating", parts[2], 1, maxStar)
	if err != nil {
		return Rating{}, err
	}
	if _, listed := movieIndex(movies, movie); !listed {
		return Rating{}, fmt.Errorf("movie %d is not listed in movies.dat", movie)
	}
	return Rating{User: int32(user), Movie: int32(movie), Stars: uint8(stars)}, nil
}

// movieIndex finds a movie by its id.
func movieIndex(movies []Movie, id int) (int, bool) {
	return slices.BinarySearchFunc(movies, id, func(m Movie, id int) int { return m.ID - id })
}

// refuseTwice refuses ratings in which a user rates a movie twice; the error is at the
// line of the second time. It sorts places by user and movie, in time O(n log n), instead
// of keeping a map of a million pairs.
func refuseTwice(path string, ratings []Rating) error {
	order := make([]int32, len(ratings)) // lines from 0, by user and movie
	for i := range order {
		order[i] = int32(i)
	}
	compare := func(a, b int32) int {
		if d := ratings[a].User - ratings[b].User; d != 0 {
			return int(d)
		}
		return int(ratings[a].Movie - ratings[b].Movie)
	}
	slices.SortFunc(order, func(a, b int32) int {
		if d := compare(a, b); d != 0 {
			return d
		}
		return int(a - b)
	})
	for i := 1; i < len(order); i++ {
		if a, b := order[i-1], order[i]; compare(a, b) == 0 {
			return &FormatError{Path: path, Line: int(b) + 1, Err: fmt.Errorf("user %d rated movie %d on line %d already", ratings[b].User, ratings[b].Movie, a+1)}
		}
	}
	return nil
}

var separator = []byte("::")

// eachLine calls f with each line, without its end, and its number from 1. Errors of f
// get the line's place. The line is valid during the call only: the next line is read
// into the same memory. Lines may end as on Unix or as on Windows.
func eachLine(c *content, f func(number int, line []byte) error) error {
	reader := bufio.NewReaderSize(c, maxLine)
	for number := 1; ; number++ {
		line, err := reader.ReadSlice('\n')
		switch {
		case err == io.EOF && len(line) == 0:
			return nil
		case errors.Is(err, bufio.ErrBufferFull):
			return &FormatError{Path: c.path, Line: number, Err: fmt.Errorf("longer than %d bytes", maxLine)}
		case err != nil && err != io.EOF:
			return c.damaged(err)
		}
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if err := f(number, line); err != nil {
			return &FormatError{Path: c.path, Line: number, Err: err}
		}
	}
}

// parseInt reads a whole number of a range; the argument what names the number in errors.
func parseInt(what string, text []byte, least, most int) (int, error) {
	n, err := strconv.Atoi(string(text))
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%s %q, want %d to %d", what, text, least, most)
	}
	return n, nil
}

// latin1 decodes ISO 8859-1. Its bytes are the first 256 code points.
func latin1(text []byte) string {
	runes := make([]rune, len(text))
	for i, b := range text {
		runes[i] = rune(b)
	}
	return string(runes)
}
