// Package forecast says what a run of a study would take before it is made: time, memory,
// and how many jobs run at a time.
//
//	Of         measures jobs of fewer steps, and says what the whole would take
//	Workers    how many jobs run side by side within a limit of memory
//
// What a job takes is measured over fewer steps and to its end, at its real size or, where
// that is large, with fewer participants, and scaled up. So a forecast takes little memory,
// whatever the run takes. Nothing that is forecast changes a result.
package forecast
