package meter

// Wanted tells which metrics are recorded; nil is all.
type Wanted func(metric string) bool

// Any tells whether one of the metrics is recorded.
func (w Wanted) Any(metrics ...string) bool {
	for _, metric := range metrics {
		if w == nil || w(metric) {
			return true
		}
	}
	return false
}
