package problem

import (
	"cmp"
	"math"
	"slices"

	"starling/mechanisms/portable"
)

// Accuracy returns the share of the data that are predicted right.
func Accuracy(s *Predictions) float64 {
	right := 0.0
	for k, label := range s.Labels {
		if s.Predicted[k] == label {
			right++
		}
	}
	return right / float64(s.Len())
}

// BalancedAccuracy returns the balanced accuracy: the mean over the classes of the labels of the share
// of their data that are predicted right (recall). A class without data counts nowhere.
func BalancedAccuracy(s *Predictions) float64 {
	var recalls []float64
	for _, c := range s.classes() {
		if c.labelled > 0 {
			recalls = append(recalls, c.both/c.labelled)
		}
	}
	return mean(recalls)
}

// F1 returns the mean over classes of the harmonic mean of precision and recall,
//
//	2 both / (labelled + predicted),
//
// over the classes that are a label or a prediction of some datum.
func F1(s *Predictions) float64 {
	var list []float64
	for _, c := range s.classes() {
		if all := c.labelled + c.predicted; all > 0 {
			list = append(list, 2*c.both/all)
		}
	}
	return mean(list)
}

// AreaUnderROC returns the area under the curve of the true positives against the false ones: the chance
// that a datum of a class has a higher score of that class than a datum of another, where equal
// scores count half. Of two classes it is the area of class 1, and of more the mean over classes,
// each against the rest. It is NaN where a class has no datum.
func AreaUnderROC(s *Predictions) float64 {
	return s.perClass(func(of []ranked) float64 {
		var above, wins, positives float64 // above: of this class, with higher scores
		each(of, func(tied []ranked) {
			right := hits(tied)
			wrong := float64(len(tied)) - right
			wins += float64(wrong * (above + right/2))
			above += right
			positives += right
		})
		return wins / (positives * (float64(len(of)) - positives))
	})
}

// AveragePrecision returns the average precision, the area under the curve of precision against recall
// by steps: the sum over thresholds, at each of the scores from the highest down, of the gain in
// recall times the precision. Of two classes it is the area of class 1, and of more the mean over
// classes, each against the rest. It is NaN where a class of which it is taken has no datum.
func AveragePrecision(s *Predictions) float64 {
	return s.perClass(func(of []ranked) float64 {
		var taken, right, sum float64
		each(of, func(tied []ranked) {
			gain := hits(tied)
			taken, right = taken+float64(len(tied)), right+gain
			sum += float64(gain * (right / taken))
		})
		return sum / right
	})
}

// ranked is the score of a class for a datum, and true for a datum of that class.
type ranked struct {
	score float64
	is    bool
}

// perClass returns an area of class 1 of two, or the mean of the areas of all classes. It hands
// over the data with the highest scores first.
func (s *Predictions) perClass(area func([]ranked) float64) float64 {
	if !s.ranked() {
		return math.NaN()
	}
	var areas []float64
	of := make([]ranked, s.Len())
	for class := range s.Classes {
		if s.Classes == 2 && class == 0 {
			continue
		}
		for k := range of {
			of[k] = ranked{s.row(k)[class], int(s.Labels[k]) == class}
		}
		slices.SortFunc(of, func(a, b ranked) int { return cmp.Compare(b.score, a.score) })
		areas = append(areas, area(of))
	}
	return mean(areas)
}

// each calls use with all data of one score, in turn.
func each(of []ranked, use func(tied []ranked)) {
	for len(of) > 0 {
		n := 1
		for n < len(of) && of[n].score == of[0].score {
			n++
		}
		use(of[:n])
		of = of[n:]
	}
}

// hits returns the number of data of the class.
func hits(of []ranked) (n float64) {
	for _, r := range of {
		if r.is {
			n++
		}
	}
	return n
}

// leastProbability is the least probability of which LogLoss takes the logarithm, and 1 less the
// largest: the distance from 1 to the next number, as in scikit-learn.
const leastProbability = 0x1p-52

// LogLoss returns the mean of -log p, where p is the probability of the label, held to
// [2^-52, 1 - 2^-52].
func LogLoss(s *Predictions) float64 {
	if !s.Probable {
		return math.NaN()
	}
	var sum float64
	for k, label := range s.Labels {
		sum -= portable.Log(max(leastProbability, min(1-leastProbability, s.row(k)[int(label)])))
	}
	return sum / float64(s.Len())
}

// BrierScore returns the mean of the squared distance of the probabilities from the label: of class 1
// alone where there are two, from 0 to 1, and the sum over classes where there are more, from 0
// to 2.
func BrierScore(s *Predictions) float64 {
	if !s.Probable {
		return math.NaN()
	}
	var sum float64
	for k, label := range s.Labels {
		for class, p := range s.row(k) {
			if s.Classes == 2 && class == 0 {
				continue
			}
			if class == int(label) {
				p--
			}
			sum += float64(p * p)
		}
	}
	return sum / float64(s.Len())
}

// CalibrationBins is the number of bins of Calibration.
const CalibrationBins = 15

// CalibrationError returns the expected calibration error (Naeini, Cooper, Hauskrecht 2015; Guo et al.
// 2017). Data are binned by the probability of their likeliest class, in 15 bins (k/15, (k+1)/15]
// of equal width. It is the sum over bins of the share of the data times the absolute difference
// between the mean of these probabilities and the share that is predicted right.
func CalibrationError(s *Predictions) float64 {
	if !s.Probable || !s.ranked() {
		return math.NaN()
	}
	var gaps [CalibrationBins]float64 // sums of probability less hits
	for k, label := range s.Labels {
		top := slices.Max(s.row(k))
		bin := 0
		for bin < CalibrationBins-1 && top > float64(bin+1)/CalibrationBins {
			bin++
		}
		if gaps[bin] += top; s.Predicted[k] == label {
			gaps[bin]--
		}
	}
	var sum float64
	for _, gap := range gaps {
		sum += math.Abs(gap)
	}
	return sum / float64(s.Len())
}
