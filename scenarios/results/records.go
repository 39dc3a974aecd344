package results

// summaryRecord is the layout of summary.parquet.
type summaryRecord struct {
	Arm    string   `parquet:"arm,dict"`
	Step   int64    `parquet:"step,delta"`
	Metric string   `parquet:"metric,dict"`
	Mean   float64  `parquet:"mean"`
	SE     *float64 `parquet:"se,optional"` // null where it is undefined
	N      int64    `parquet:"n,delta"`
}
