package results

import (
	"encoding/json"
	"fmt"

	"starling/scenarios/metric"
)

// ArmRow is the value that an arm's scenario has under one key. arms.parquet holds these rows,
// with the run and the scenario besides, so that tables of several runs can be joined.
type ArmRow struct {
	Arm string
	// Key is a path in the scenario, such as mechanism.epsilon.
	Key string
	// Value is the value as text. Type is its type: integer, number, boolean, text, null, list
	// or mapping.
	Value, Type string
	// Number is the value where it is a number, and nil elsewhere.
	Number *float64
	// Swept is true if some arm of the run sets the key.
	Swept bool
}

// armRecord is the layout of arms.parquet.
type armRecord struct {
	Run      string   `parquet:"run,dict"`
	Scenario string   `parquet:"scenario,dict"`
	Arm      string   `parquet:"arm,dict"`
	Key      string   `parquet:"key,dict"`
	Value    string   `parquet:"value,dict"`
	Type     string   `parquet:"type,dict"`
	Number   *float64 `parquet:"number,optional"` // null where the value is no number
	Swept    bool     `parquet:"swept"`
}

// writeArms writes arms.parquet.
func writeArms(path string, m *Manifest, rows []ArmRow, notes []tableNote) (*tableWriter[armRecord], error) {
	records := make([]armRecord, len(rows))
	for i, r := range rows {
		records[i] = armRecord{m.Hash, m.Scenario, r.Arm, r.Key, r.Value, r.Type, r.Number, r.Swept}
	}
	file, err := createTable[armRecord](path)
	if err != nil {
		return nil, err
	}
	defer file.Abort()
	if err := file.Write(records); err != nil {
		return nil, err
	}
	file.Annotate(notes)
	return file, file.Commit()
}

// notesOf returns the metadata of the tables of a run: the identity of the run, and
// descriptions of the metrics that it has recorded.
func notesOf(m *Manifest, known metric.List, recorded map[string]bool) ([]tableNote, error) {
	said := map[string]metric.Metric{}
	for _, k := range known {
		if recorded[k.Name] {
			said[k.Name] = k
		}
	}
	metrics, err := json.Marshal(said) // by name, in its order
	if err != nil {
		return nil, fmt.Errorf("metadata of metrics: %w", err)
	}
	return []tableNote{
		{Key: "starling.run", Value: m.Hash},
		{Key: "starling.scenario", Value: m.Scenario},
		{Key: "starling.digest", Value: m.Digest},
		{Key: metricsNote, Value: string(metrics)},
	}, nil
}
