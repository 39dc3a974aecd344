package study

// Outside are data that are computed outside of the program.
type Outside interface {
	// Open starts the outside computation, or returns the reason why it failed. Release ends
	// it: no questions follow.
	Open() error
	Release()
}

// Attach opens a job's data if they are computed outside of the program: nodes then wait for each
// other's questions, and the job ends the computation. Other data, and nil, need nothing.
func Attach(j *Job, data any) error {
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
