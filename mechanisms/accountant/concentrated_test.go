package accountant_test

import (
	"encoding/json"
	"math"
	"testing"

	"starling/mechanisms/accountant"
	"starling/messages"
)

// What is zCDP, and perhaps no Gaussian noise, is converted by its divergences alone: the
// classic conversion, and that of Canonne, Kamath, Steinke 2020, whatever the method. Gaussian
// noise of the same rho costs no more by any.
func TestConcentrated(t *testing.T) {
	const rho, delta = 0.125, 1e-6
	of := map[accountant.Method]float64{}
	for _, by := range accountant.Methods() {
		epsilon, err := (accountant.Loss{Concentrated: rho}).EpsilonAt(delta, by)
		if err != nil {
			t.Fatal(err)
		}
		of[by] = epsilon
		if gaussian, err := (accountant.Loss{Rho: rho}).EpsilonAt(delta, by); err != nil || gaussian > epsilon {
			t.Errorf("%s: %v, and of Gaussian noise %v, %v", by, epsilon, gaussian, err)
		}
	}
	if classic := rho + 2*math.Sqrt(rho*math.Log(1/delta)); math.Abs(of[accountant.RDP]-classic) > 1e-12 {
		t.Errorf("rdp: %v, want %v", of[accountant.RDP], classic)
	}
	// The least over orders of a rho + ln(1 - 1/a) - (ln delta + ln a)/(a - 1).
	least := math.Inf(1)
	for a := 1.001; a < 1000; a *= 1.001 {
		least = min(least, a*rho+math.Log1p(-1/a)-(math.Log(delta)+math.Log(a))/(a-1))
	}
	if of[accountant.PLD] != of[accountant.RDPCKS] || math.Abs(of[accountant.PLD]/least-1) > 1e-3 {
		t.Errorf("pld: %v, rdp-cks: %v, want %v", of[accountant.PLD], of[accountant.RDPCKS], least)
	}
}

// It adds up, beside Gaussian noise and by itself, is four times as much for a replaced
// record, and is kept in files and checkpoints.
func TestConcentratedAddsUp(t *testing.T) {
	l := accountant.Loss{Concentrated: 0.25}
	var total accountant.Total
	total.Add(l)
	total.AddTimes(l, 3)
	total.Add(accountant.Loss{Rho: 1})
	if got := total.Loss(); got != (accountant.Loss{Concentrated: 1, Rho: 1}) || total.Rho() != 2 || got.Compose(l).Concentrated != 1.25 {
		t.Errorf("total %+v", got)
	}
	if total.Definition(accountant.PLD) != accountant.ZCDP || !total.Private() {
		t.Errorf("definition %s", total.Definition(accountant.PLD))
	}
	one := l.Total()
	if !total.Covers(&one) || one.Covers(&total) {
		t.Error("the sum does not cover a part")
	}
	four := accountant.Loss{Concentrated: 1}.Total()
	replaced, err := one.ReplaceEpsilon(1e-5, accountant.PLD)
	want, _ := four.Epsilon(1e-5, accountant.PLD)
	if err != nil || replaced != want {
		t.Errorf("replaced %v, want %v, %v", replaced, want, err)
	}
	if group, err := l.Group(2); err != nil || group.Concentrated != 1 {
		t.Errorf("a group of two: %+v, %v", group, err)
	}
	text, err := json.Marshal(&total)
	var read, restored accountant.Total
	if err != nil || json.Unmarshal(text, &read) != nil || !read.Equal(&total) {
		t.Errorf("read %+v from %s, %v", read.Loss(), text, err)
	}
	if err := messages.Read(messages.Write(nil, &total), &restored); err != nil || !restored.Equal(&total) {
		t.Errorf("restored %+v, %v", restored.Loss(), err)
	}
	if l.String() != "zCDP 0.25" || (accountant.Loss{Concentrated: -1}).Validate() == nil || (accountant.Loss{Concentrated: math.Inf(1)}).Private() {
		t.Errorf("%s", l)
	}
	if l.Within(accountant.Loss{Epsilon: 1}) || !l.Within(accountant.Loss{Concentrated: 0.25}) {
		t.Error("a budget without a delta pays for what needs one")
	}
}
