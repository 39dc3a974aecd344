package scenarios

import (
	"fmt"
	"io"
	"strings"

	"starling/actors/algorithm"
	"starling/scenarios/document"
	"starling/scenarios/problem/model"
	"starling/scenarios/results"
)

// trainedModel is the model that the jobs of an arm train.
type trainedModel struct {
	model  *model.Model
	data   string // name of the data set
	digest string // of it
	// quantity is what the server, participant 0, calls its parameters.
	quantity string
}

// params are those that a job that has run ends with.
func (t *trainedModel) params(j *job) []float64 {
	for _, q := range algorithm.Quantities(j.run.Machines[0]) {
		if q.Name == t.quantity {
			return q.Values
		}
	}
	panic(fmt.Sprintf("the server has no %q", t.quantity))
}

// featuresText says what a model takes, for readers of its file in other tools.
const featuresText = "channels x rows x columns, values of pixels divided by 255"

// checkModel refuses to write models where there are none, or too many.
func (arm *Arm) checkModel() error {
	switch t := arm.algorithm.trained; {
	case !arm.file.Measure.Model:
		return nil
	case t == nil:
		return document.At("measure.model", "this arm trains no model that can be saved; dpfl, ali-dpfl, and ofl on images do")
	default:
		if bytes := 8 * product(arm.file.Seeds.Count, t.model.Dim()); bytes > mostMetricBytes {
			return document.At("measure.model", "models of %d parameters under %d seeds take %.3g GiB; want at most %d", t.model.Dim(), arm.file.Seeds.Count, bytes/(1<<30), mostMetricBytes>>30)
		}
		return nil
	}
}

// writeModel writes the model of a job into the results folder.
func (s *Scenario) writeModel(folder *results.Folder, r *jobResult) error {
	arm := s.Arms[r.arm]
	t := arm.algorithm.trained
	return folder.WriteModel(modelName(arm.Name, r.arm, r.seed), func(w io.Writer) error {
		return t.model.Write(w, r.model, map[string]string{
			"starling.scenario": s.Name, "starling.arm": arm.Name, "starling.seed": fmt.Sprint(r.seed),
			"starling.data": t.data, "starling.features": featuresText,
			model.CostsKey: r.costs,
		})
	})
}

// mostModelName is how much of an arm's name the name of a file has.
const mostModelName = 120

// modelName is the name of a model's file: no two arms of a scenario, counted from
// 0, have one. What some system cannot have in a name is %XX in it.
func modelName(arm string, index int, seed uint64) string {
	var name strings.Builder
	for _, c := range []byte(arm) {
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("._-=,+", c) >= 0 {
			name.WriteByte(c)
		} else {
			fmt.Fprintf(&name, "%%%02X", c)
		}
	}
	text := name.String()
	if len(text) > mostModelName {
		text = fmt.Sprintf("%s~%d", text[:mostModelName], index+1)
	}
	return fmt.Sprintf("%s.seed-%d%s", text, seed, model.FileExtension)
}
