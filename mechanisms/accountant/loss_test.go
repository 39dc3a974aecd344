package accountant_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"starling/mechanisms/accountant"
)

func TestComposeAdds(t *testing.T) {
	tests := []struct{ a, b, want float64 }{
		{0, 0, 0},
		{0.5, 0.25, 0.75},
		{0, math.Inf(1), math.Inf(1)},
		{math.Inf(1), math.Inf(1), math.Inf(1)},
	}
	for _, test := range tests {
		got := accountant.Loss{Epsilon: test.a}.Compose(accountant.Loss{Epsilon: test.b})
		if got.Epsilon != test.want {
			t.Errorf("%v composed with %v is %v, want %v", test.a, test.b, got.Epsilon, test.want)
		}
	}
}

// Basic composition (Dwork, Roth 2014, theorem 3.16): the order does not
// matter, nothing is the neutral element, no release takes loss away, and what
// is not private stays so.
func TestComposeLaws(t *testing.T) {
	loss := rapid.Map(rapid.OneOf(rapid.Float64Range(0, 1e6), rapid.Just(math.Inf(1))), func(e float64) accountant.Loss {
		return accountant.Loss{Epsilon: e}
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := loss.Draw(t, "a"), loss.Draw(t, "b")
		both := a.Compose(b)
		if both != b.Compose(a) {
			t.Fatalf("%v and %v do not commute", a, b)
		}
		if a.Compose(accountant.Loss{}) != a {
			t.Fatalf("%v with nothing is %v", a, a.Compose(accountant.Loss{}))
		}
		if both.Epsilon < max(a.Epsilon, b.Epsilon) || both.Validate() != nil {
			t.Fatalf("%v with %v is %v", a, b, both)
		}
		if both.Private() != (a.Private() && b.Private()) {
			t.Fatalf("%v with %v is private: %v", a, b, both.Private())
		}
	})
}

func TestNotPrivate(t *testing.T) {
	l := accountant.NotPrivate()
	if l.Private() || l.Validate() != nil {
		t.Errorf("NotPrivate() = %+v: private %v, %v", l, l.Private(), l.Validate())
	}
	if l.Compose(accountant.Loss{Epsilon: 1}).Private() {
		t.Error("one unprotected release is forgotten")
	}
	if !(accountant.Loss{}).Private() || !(accountant.Loss{Epsilon: math.MaxFloat64}).Private() {
		t.Error("a finite loss is private, however large")
	}
}

func TestValidate(t *testing.T) {
	tests := []struct {
		epsilon float64
		want    string // "" accepts
	}{
		{0, ""},
		{math.Copysign(0, -1), ""},
		{1e-300, ""},
		{math.Inf(1), ""},
		{-1e-300, "privacy loss epsilon = -1e-300 is not a number >= 0"},
		{math.Inf(-1), "privacy loss epsilon = -Inf is not a number >= 0"},
		{math.NaN(), "privacy loss epsilon = NaN is not a number >= 0"},
	}
	for _, test := range tests {
		got := ""
		if err := (accountant.Loss{Epsilon: test.epsilon}).Validate(); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("epsilon %v: error %q, want %q", test.epsilon, got, test.want)
		}
	}
}

func TestString(t *testing.T) {
	tests := []struct {
		epsilon float64
		want    string
	}{
		{0, "0"},
		{0.1 + 0.2, "0.3"}, // six digits hide the rounding of a sum
		{123456.7, "123457"},
		{1e-9, "1e-09"},
		{math.Inf(1), "not private"},
	}
	for _, test := range tests {
		if got := (accountant.Loss{Epsilon: test.epsilon}).String(); got != test.want {
			t.Errorf("epsilon %v prints as %q, want %q", test.epsilon, got, test.want)
		}
	}
}
