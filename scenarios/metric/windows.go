package metric

// WindowNames returns the names of the mean, the least and the most of a metric over the steps of
// a record.
func WindowNames(name string) (mean, least, most string) {
	return name + ".mean", name + ".least", name + ".most"
}

// Windows returns the metrics of the mean, the least and the most of a metric over the steps of
// each record. They are of states and rates of whole runs; of others there are none.
func (m Metric) Windows() List {
	if m.Course == Cumulative || m.Level != OfRun {
		return nil
	}
	mean, least, most := WindowNames(m.Name)
	var list List
	for _, w := range []struct{ name, label, summary string }{
		{mean, "mean over steps", "mean"}, {least, "least over steps", "least value"}, {most, "most over steps", "largest value"},
	} {
		of := m
		of.Name, of.Label, of.Chart, of.Asked, of.Course = w.name, m.Label+", "+w.label, Chart{}, true, Cumulative
		of.Summary = w.summary + " of " + m.Name + " over the steps since the last record. Graphs with periods have it over whole periods. Recorded where measure.window is given"
		list = append(list, of)
	}
	return list
}

// Windows returns the windows of all metrics of the list, in its order.
func (l List) Windows() (list List) {
	for _, m := range l {
		list = append(list, m.Windows()...)
	}
	return list
}
