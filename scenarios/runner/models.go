package runner

import (
	"fmt"
	"io"
	"strings"

	"starling/scenarios/problem/model"
	"starling/scenarios/problem/model/cost"
	"starling/scenarios/results"
	"starling/scenarios/study"
)

// featuresText says what a model takes, for readers of its file in other tools.
const featuresText = "channels x rows x columns, values of pixels divided by 255"

// writeModel writes the model of a job into the results folder.
func writeModel(s *study.Scenario, folder *results.Folder, r *JobResult) error {
	arm := s.Arms[r.arm]
	t := arm.Algorithm.Trained
	return folder.WriteModel(modelName(arm.Name, r.arm, r.seed), func(w io.Writer) error {
		return t.Model.Write(w, r.model, map[string]string{
			"starling.scenario": s.Name, "starling.arm": arm.Name, "starling.seed": fmt.Sprint(r.seed),
			"starling.data": t.Data, "starling.features": featuresText,
			cost.Key: r.costs,
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
