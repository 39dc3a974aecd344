package runner

import (
	"fmt"
	"io"
	"strings"

	"starling/scenarios/ledger"
	"starling/scenarios/problem/model"
	"starling/scenarios/results"
	"starling/scenarios/study"
)

// featuresText describes the input of a model, for readers of its file in other tools.
const featuresText = "channels x rows x columns, values of pixels divided by 255"

// writeModel writes the parameters of a job's model and the model's costs into the results
// folder.
func writeModel(s *study.Scenario, folder *results.Folder, index int, seed uint64, params []float64, costs string) error {
	arm := s.Arms[index]
	t := study.TrainedModelOf(arm)
	return folder.WriteModel(modelName(arm.Name, index, seed), func(w io.Writer) error {
		return t.Model.Write(w, params, map[string]string{
			"starling.scenario": s.Name, "starling.arm": arm.Name, "starling.seed": fmt.Sprint(seed),
			"starling.data": t.Data, "starling.features": featuresText, ledger.CostKey: costs,
		})
	})
}

// mostModelName is the number of bytes of an arm's name that the name of a file has at most.
const mostModelName = 120

// modelName returns the name of a model's file. No two arms of a scenario, counted from 0,
// share one. Bytes that some system forbids in a name are written as %XX.
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
