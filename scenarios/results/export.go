package results

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"
)

// ExportRows writes the rows of a run as CSV (RFC 4180, lines ended by \n) under
// the header arm,seed,step,node,metric,value. The node of a run-level metric is
// empty. Numbers are the shortest decimals that read back to the same float64;
// infinities are inf and -inf, NaN is empty. The parquet file alone tells a NaN
// value from an absent one.
func ExportRows(w io.Writer, run *Run) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"arm", "seed", "step", "node", "metric", "value"}); err != nil {
		return err
	}
	record := make([]string, 6)
	err := run.Rows(func(row Row) error {
		node := ""
		if row.Node != nil {
			node = strconv.FormatInt(int64(*row.Node), 10)
		}
		record[0] = row.Arm
		record[1] = strconv.FormatUint(row.Seed, 10)
		record[2] = strconv.FormatInt(row.Step, 10)
		record[3] = node
		record[4] = row.Metric
		record[5] = csvFloat(row.Value)
		return out.Write(record)
	})
	if err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

// ExportSummary writes the summary of a run as CSV under the header
// arm,step,metric,mean,se,n, in the form of Rows. An undefined standard
// error is empty.
func ExportSummary(w io.Writer, run *Run) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"arm", "step", "metric", "mean", "se", "n"}); err != nil {
		return err
	}
	record := make([]string, 6)
	err := run.Summary(func(row SummaryRow) error {
		record[0] = row.Arm
		record[1] = strconv.FormatInt(row.Step, 10)
		record[2] = row.Metric
		record[3] = csvFloat(row.Mean)
		record[4] = csvFloat(row.SE)
		record[5] = strconv.FormatInt(row.N, 10)
		return out.Write(record)
	})
	if err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

// ExportPrivacy writes rows of the ledger as CSV under the header
// arm,seed,observer,unit,units,step,definition,epsilon,delta,rho,relation,odometer, in the
// form of Rows: units 1 means unit alone, and n that and the n-1 after it. The relation says
// which data are neighbours. It is the relation of the ledger's entries; a run that has not
// kept it has none.
func ExportPrivacy(w io.Writer, rows []PrivacyRow, ledger []LedgerEntry) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"arm", "seed", "observer", "unit", "units", "step", "definition", "epsilon", "delta", "rho", "relation", "odometer"}); err != nil {
		return err
	}
	for _, r := range rows {
		err := out.Write([]string{
			r.Arm, strconv.FormatUint(r.Seed, 10), r.Observer,
			strconv.FormatInt(int64(r.Unit), 10), strconv.FormatInt(int64(r.Units), 10), strconv.FormatInt(r.Step, 10),
			r.Definition, csvFloat(r.Epsilon), csvFloat(r.Delta), csvFloat(r.Rho), RelationOf(ledger, r.Arm, r.Observer), csvOptional(r.Odometer),
		})
		if err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func csvOptional(x *float64) string {
	if x == nil {
		return ""
	}
	return csvFloat(*x)
}

func csvFloat(x float64) string {
	switch {
	case math.IsNaN(x):
		return ""
	case math.IsInf(x, 1):
		return "inf"
	case math.IsInf(x, -1):
		return "-inf"
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
