// Package forecast estimates the cost of a run of a study before it is made: its time, its
// memory, and the number of jobs that run at a time.
//
//	Of         measures jobs of fewer steps, and estimates the cost of the whole
//	Workers    the number of jobs that run at a time within a limit of memory
//
// The cost of a job is measured over fewer steps and to its end, at its real size or, where
// that is large, with fewer participants, and scaled up. So a forecast takes little memory,
// however much the run takes. No forecast changes a result.
package forecast
