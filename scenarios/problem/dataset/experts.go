package dataset

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"starling/mechanisms/rng"
)

// purposeUsers is the purpose of the key of NewGenreLosses.
var purposeUsers = rng.PurposeOf("data.users")

// How a genre that a user never rated is filled.
const (
	FillGenreMean = "genre-mean" // the mean of the genre over all users with a rating of it
	FillUserMean  = "user-mean"  // the mean of all ratings of the user
	FillZero      = "zero"       // 0, as in a matrix that begins as zeros
)

// The orders in which clients meet users.
const (
	OrderShuffled = "shuffled" // the users in an order drawn from the key
	OrderByID     = "by-id"    // the users by ascending id
)

var (
	fills  = []string{FillGenreMean, FillUserMean, FillZero}
	orders = []string{OrderShuffled, OrderByID}
)

// GenreLossOptions describe losses of genres. Start from
// DefaultGenreLossOptions.
type GenreLossOptions struct {
	// Fill is the value of a user's mean for a genre never rated.
	Fill string `yaml:"fill" oneof:"genre-mean user-mean zero" doc:"the mean of a user for a genre never rated: genre-mean, user-mean or zero"`
	// Order assigns users to clients and steps: of the users in this order,
	// client i from 0 gets those at i T .. (i+1) T - 1, one a step.
	Order string `yaml:"order" oneof:"shuffled by-id" doc:"order of the users, whom clients meet one a step: shuffled for each seed, or by-id"`
}

// DefaultGenreLossOptions fill with the genre's mean and shuffle the users.
func DefaultGenreLossOptions() GenreLossOptions {
	return GenreLossOptions{Fill: FillGenreMean, Order: OrderShuffled}
}

// Validate reports every option that is wrong, each as an [option.Error].
func (o GenreLossOptions) Validate() error {
	return errors.Join(requireOneOf("fill", o.Fill, fills), requireOneOf("order", o.Order, orders))
}

// GenreLosses are the losses of Appendix G of Gao, Huang, Yang, Federated
// Online Prediction from Experts with Differential Privacy: the experts are
// the 18 genres, and a client meets one user a step, each user once. With
// r[u,g] the mean rating of user u for the movies of genre g, where a movie
// counts for each of its genres, and g* = argmax_g of the mean of r[u,g] over
// all users, ties to the lowest index, the loss of genre g is
//
//	l[u,g] = max(0, r[u,g*] - r[u,g]) / max_{u,g} (r[u,g*] - r[u,g]),
//
// so that losses lie in [0,1] and the losses of g* are 0. The paper does not scale, and says
// neither how it fills the matrix nor which client meets which user.
type GenreLosses struct {
	// clients and horizon are the arguments of NewGenreLosses; clients * horizon users are
	// met.
	clients int
	horizon int
	// losses is the users x 18 matrix of l[u,g], row by row.
	losses []float64
	// order has the users, by index, of (client 0, step 1), (client 0, step 2), and so
	// on.
	order []int32
	// users has ids by index, ascending.
	users []int32
	// means has len 18: the means over all users of the filled matrix, in stars.
	means []float64
	// best is g*, and scale the largest difference, by which losses were divided.
	best  int
	scale float64
	// filled is the number of entries of the matrix without a rating.
	filled int
}

// NewGenreLosses builds the losses of a number of clients and steps; their
// product must not exceed the number of users. The key decides the order of
// users alone.
func NewGenreLosses(r *Ratings, o GenreLossOptions, clients, horizon int, key rng.Key) (*GenreLosses, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	t := newTotals(r)
	if clients < 1 || horizon < 1 || clients > len(t.users)/horizon {
		return nil, fmt.Errorf("genre losses: %d clients and %d steps, want at least 1 of each and at most %d users in all", clients, horizon, len(t.users))
	}
	matrix, filled, err := t.matrix(o.Fill)
	if err != nil {
		return nil, err
	}
	l := &GenreLosses{clients: clients, horizon: horizon, users: t.users, filled: filled, losses: matrix}
	l.means = columnMeans(matrix)
	// Index finds the lowest among ties.
	l.best = slices.Index(l.means, slices.Max(l.means))
	if err := l.lose(); err != nil {
		return nil, err
	}
	l.order = make([]int32, len(t.users))
	for i := range l.order {
		l.order[i] = int32(i)
	}
	if o.Order == OrderShuffled {
		shuffle(l.order, key, 0)
	}
	return l, nil
}

// Experts returns the number of genres.
func (l *GenreLosses) Experts() int { return len(Genres) }

// Clients returns the number of clients.
func (l *GenreLosses) Clients() int { return l.clients }

// Horizon returns the number of steps, T.
func (l *GenreLosses) Horizon() int { return l.horizon }

// Losses returns the loss of every expert, len Experts, each in [0,1], for a
// client from 0 at a step from 1. The slice must not be changed.
func (l *GenreLosses) Losses(client, step int) []float64 {
	begin := l.index(client, step) * len(Genres)
	return l.losses[begin : begin+len(Genres) : begin+len(Genres)]
}

// User returns the id of the user that a client meets at a step.
func (l *GenreLosses) User(client, step int) int { return int(l.users[l.index(client, step)]) }

func (l *GenreLosses) index(client, step int) int {
	return int(l.order[client*l.horizon+step-1])
}

// Best returns the expert g*. All its losses are 0.
func (l *GenreLosses) Best() int { return l.best }

// Scale returns the largest difference of stars, by which losses were divided.
func (l *GenreLosses) Scale() float64 { return l.scale }

// Means returns the mean of each genre over all users, in stars, after
// filling. The slice must not be changed.
func (l *GenreLosses) Means() []float64 { return l.means }

// Filled returns the number of entries of the users x 18 matrix without a rating.
func (l *GenreLosses) Filled() int { return l.filled }

// lose turns the matrix of means into losses, in place.
func (l *GenreLosses) lose() error {
	d := len(Genres)
	for u := range len(l.users) {
		row := l.losses[u*d : (u+1)*d]
		top := row[l.best]
		for g := range row {
			row[g] = max(0, top-row[g])
			l.scale = max(l.scale, row[g])
		}
	}
	if l.scale == 0 {
		return errors.New("genre losses: all losses are 0: no user prefers the best genre to another")
	}
	for i := range l.losses {
		l.losses[i] /= l.scale
	}
	return nil
}

// totals are sums of stars. They are whole numbers, so their order is of no
// matter.
type totals struct {
	// users has the ids of users with a rating, ascending.
	users []int32
	// stars has the sum of stars of each user and genre, users x 18.
	stars []int
	// count has the number of ratings in each of these sums.
	count []int
	// all has for each user the sum and the number of all ratings, for FillUserMean.
	all [][2]int
}

// newTotals adds up all ratings. A movie counts for each of its genres.
func newTotals(r *Ratings) *totals {
	t := &totals{}
	for _, rating := range r.Ratings {
		t.users = append(t.users, rating.User)
	}
	slices.Sort(t.users)
	t.users = slices.Compact(t.users)
	d := len(Genres)
	t.stars, t.count = make([]int, len(t.users)*d), make([]int, len(t.users)*d)
	t.all = make([][2]int, len(t.users))
	for _, rating := range r.Ratings {
		u, _ := slices.BinarySearch(t.users, rating.User)
		m, listed := movieIndex(r.Movies, int(rating.Movie))
		if !listed {
			panic(fmt.Sprintf("dataset: movie %d of a rating is not listed", rating.Movie))
		}
		t.all[u][0] += int(rating.Stars)
		t.all[u][1]++
		for set := r.Movies[m].Genres; set != 0; set &= set - 1 {
			g := bits.TrailingZeros32(set)
			t.stars[u*d+g] += int(rating.Stars)
			t.count[u*d+g]++
		}
	}
	return t
}

// matrix returns the users x 18 means, filled, and the number of entries that were filled.
func (t *totals) matrix(fill string) (matrix []float64, filled int, err error) {
	d := len(Genres)
	matrix = make([]float64, len(t.stars))
	sum, raters := make([]float64, d), make([]int, d)
	// The means of the genres have to be whole before the first of them can fill.
	for i, n := range t.count {
		if n == 0 {
			continue
		}
		matrix[i] = float64(t.stars[i]) / float64(n)
		sum[i%d] += matrix[i]
		raters[i%d]++
	}
	for i, n := range t.count {
		if n > 0 {
			continue
		}
		filled++
		switch g := i % d; fill {
		case FillUserMean:
			matrix[i] = float64(t.all[i/d][0]) / float64(t.all[i/d][1])
		case FillGenreMean:
			if raters[g] == 0 {
				return nil, 0, fmt.Errorf("genre losses: nobody rated a movie of genre %s, so it has no mean to fill with", Genres[g])
			}
			matrix[i] = sum[g] / float64(raters[g])
		}
	}
	return matrix, filled, nil
}

// columnMeans returns the mean of each of the 18 columns.
func columnMeans(matrix []float64) []float64 {
	d := len(Genres)
	means := make([]float64, d)
	for i, v := range matrix {
		means[i%d] += v
	}
	for g := range means {
		means[g] /= float64(len(matrix) / d)
	}
	return means
}
