package problem_test

import (
	_ "embed"
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"starling/mechanisms/portable"
	"starling/scenarios/problem"
)

// scores are the functions under test, by the name of their metric.
var scores = map[string]func(*problem.Predictions) float64{
	"accuracy.balanced": problem.BalancedAccuracy, "f1.macro": problem.F1, "auc.roc": problem.AreaUnderROC, "auc.pr": problem.AveragePrecision,
	"loss.log": problem.LogLoss, "loss.brier": problem.BrierScore, "error.calibration": problem.CalibrationError,
	"error.rmse": problem.RMSE, "error.mae": problem.MAE, "r2": problem.R2, "d2": problem.D2,
}

//go:embed testdata/reference.json
var reference []byte

// poisson is the unit deviance of a count.
func poisson(label, mean float64) float64 {
	if label == 0 {
		return 2 * mean
	}
	return 2 * (float64(label*portable.Log(label/mean)) - label + mean)
}

// Scores are as in scikit-learn, and NaN where there are none.
func TestReference(t *testing.T) {
	var cases []struct {
		Name              string
		Classes           int
		Power             int
		Labels, Predicted []float64
		Scores            [][]float64
		Want              map[string]*float64
	}
	if err := json.Unmarshal(reference, &cases); err != nil || len(cases) < 20 {
		t.Fatalf("%d cases: %v", len(cases), err)
	}
	for _, c := range cases {
		s := &problem.Predictions{}
		s.Reset(problem.ScoreForm{Classes: c.Classes, Scored: c.Classes > 0, Probable: c.Classes > 0, Mean: c.Classes == 0})
		if c.Power == 1 {
			s.Deviance = poisson
		}
		for k, label := range c.Labels {
			var row []float64
			if c.Classes > 0 {
				row = c.Scores[k]
			}
			s.Add(row, c.Predicted[k], label)
		}
		for name, want := range c.Want {
			got := scores[name](s)
			if want == nil && !math.IsNaN(got) || want != nil && !(math.Abs(got-*want) <= 1e-12*max(1, math.Abs(*want))) {
				text := "NaN"
				if want != nil {
					text = string(must(json.Marshal(*want)))
				}
				t.Errorf("%s: %s is %v, want %s", c.Name, name, got, text)
			}
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// drawn is a sample of n data and a few classes, whose scores have ties.
func drawn(r *rand.Rand, n, classes int) *problem.Predictions {
	s := &problem.Predictions{}
	s.Reset(problem.ScoreForm{Classes: classes, Scored: true})
	for k := range n {
		row := make([]float64, classes)
		for class := range row {
			row[class] = float64(r.IntN(6))
		}
		if classes == 2 {
			row[0] = -row[1]
		}
		s.Add(row, float64(r.IntN(classes)), float64((k+r.IntN(2))%classes))
	}
	return s
}

// Areas are what all pairs, and all thresholds, say one by one.
func TestAreasByBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for range 200 {
		classes := 2 + r.IntN(3)
		s := drawn(r, 12+r.IntN(30), classes)
		var roc, precision float64
		taken := 0.0
		for class := range classes {
			if classes == 2 && class == 0 {
				continue
			}
			taken++
			roc += pairs(s, class)
			precision += thresholds(s, class)
		}
		for name, want := range map[string]float64{"auc.roc": roc / taken, "auc.pr": precision / taken} {
			if got := scores[name](s); !(math.Abs(got-want) <= 1e-12) && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Fatalf("%d data of %d classes: %s is %v, by brute force %v", s.Len(), classes, name, got, want)
			}
		}
	}
}

// pairs is the share of the pairs of a datum of a class and another that are in order.
func pairs(s *problem.Predictions, class int) float64 {
	var won, all float64
	for i := range s.Labels {
		for j := range s.Labels {
			if int(s.Labels[i]) != class || int(s.Labels[j]) == class {
				continue
			}
			all++
			switch a, b := s.Scores[i*s.Classes+class], s.Scores[j*s.Classes+class]; {
			case a > b:
				won++
			case a == b:
				won += 0.5
			}
		}
	}
	return won / all
}

// thresholds is the average precision: for each datum of a class, the precision of all data with
// at least its score.
func thresholds(s *problem.Predictions, class int) float64 {
	var sum, all float64
	for i, label := range s.Labels {
		if int(label) != class {
			continue
		}
		all++
		var right, taken float64
		for j, other := range s.Labels {
			if s.Scores[j*s.Classes+class] >= s.Scores[i*s.Classes+class] {
				taken++
				if int(other) == class {
					right++
				}
			}
		}
		sum += right / taken
	}
	return sum / all
}

// A score of no data, of another form or of no number is not defined.
func TestNotDefined(t *testing.T) {
	empty := &problem.Predictions{ScoreForm: problem.ScoreForm{Classes: 3, Scored: true, Probable: true}}
	other := &problem.Predictions{}
	other.Reset(problem.ScoreForm{Classes: 2})
	other.Add(nil, 1, 1)
	none := &problem.Predictions{}
	none.Reset(problem.ScoreForm{Classes: 2, Scored: true, Probable: true})
	none.Add([]float64{math.NaN(), math.NaN()}, -1, 1)
	none.Add([]float64{0.5, 0.5}, 1, 0)
	for name, of := range scores {
		if got := of(empty); !math.IsNaN(got) {
			t.Errorf("%s of no data is %v", name, got)
		}
		if got := of(other); !math.IsNaN(got) && name != "accuracy.balanced" && name != "f1.macro" {
			t.Errorf("%s of classes alone is %v", name, got)
		}
		if got := of(none); !math.IsNaN(got) && name != "accuracy.balanced" && name != "f1.macro" {
			t.Errorf("%s of scores that are no numbers is %v", name, got)
		}
	}
	if got := problem.BalancedAccuracy(none); got != 0 {
		t.Errorf("a prediction of no class counts as right: %v", got)
	}
}
