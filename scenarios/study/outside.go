package study

// Outside are data that are computed outside of the program.
type Outside interface {
	// Open starts what computes them; the error says what failed. Release ends it: there are
	// no questions after it.
	Open() error
	Release()
}

// Use opens what a job's data are computed by, where that is outside of the program: nodes
// then wait for each other's questions, and the job ends it. Other data, and nil, take
// nothing.
func Use(j *Job, data any) error {
	outside, ok := data.(Outside)
	if !ok {
		return nil
	}
	if err := outside.Open(); err != nil {
		return err
	}
	j.Run.Gathers, j.Release = true, outside.Release
	return nil
}
