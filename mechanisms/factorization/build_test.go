package factorization

import (
	"errors"
	"strings"
	"testing"
)

// TestBuildTells builds what takes long: each is told of, in the order of its parts, leaves
// what it leaves unwatched, and ends where whoever watches has it end.
func TestBuildTells(t *testing.T) {
	for _, c := range []struct {
		o     Options
		doing string // in order
	}{
		{Options{Kind: Independent, N: 200_000}, "errors of prefix sums"},
		{Options{Kind: BandedToeplitz, N: 100_000, Bands: 4, Fit: Participation{Times: 3, Apart: 50}}, "fit of coefficients, errors of prefix sums"},
		{Options{Kind: BLT, N: 70_000, Buffers: 1}, "choice of an interval, errors of prefix sums"},
		{Options{Kind: BLT, N: 500, Buffers: 2, Fit: Participation{Times: 3, Apart: 50}}, "choice of an interval, fit of coefficients"},
		{Options{Kind: ARSum, N: 500, Chains: 2}, "search of the optimum, choice of chains"},
		{Options{Kind: Optimal, N: 80_000, Gap: 1e-6}, "search of the optimum, gains of chains, errors of prefix sums"},
	} {
		var doing []string
		least := map[string]float64{}
		f, err := Build(c.o, func(p Progress) error {
			if len(doing) == 0 || doing[len(doing)-1] != p.Doing {
				doing = append(doing, p.Doing)
			}
			if least[p.Doing] == 0 || p.MSE < least[p.Doing] {
				least[p.Doing] = p.MSE
			}
			if s := p.String(); !strings.HasPrefix(s, p.Doing+", ") || p.Times == 0 && (p.Step <= 0 || p.Step > p.Steps) {
				t.Errorf("%+v: %+v is %q", c.o, p, s)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(doing, ", "); got != c.doing {
			t.Errorf("%+v: told of %s; want %s", c.o, got, c.doing)
		}
		unwatched, err := New(c.o)
		if err != nil {
			t.Fatal(err)
		}
		if f.MSE() != unwatched.MSE() || f.Sensitivity() != unwatched.Sensitivity() {
			t.Errorf("%+v: mse %v, unwatched %v", c.o, f.MSE(), unwatched.MSE())
		}
		// The mse that a search has come to is that of what it finds.
		if mse := least["choice of chains"]; mse > 0 && !(mse/f.MSE() > 1-1e-9 && mse/f.MSE() < 1+1e-9) {
			t.Errorf("%+v: the least mse told of is %v; want %v", c.o, mse, f.MSE())
		}
		end, calls := errors.New("enough"), 0
		if _, err := Build(c.o, func(Progress) error { calls++; return end }); !errors.Is(err, end) || calls != 1 {
			t.Errorf("%+v: %v after %d calls; want the error of the first", c.o, err, calls)
		}
	}
}
