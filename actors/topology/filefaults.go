package topology

import (
	"errors"
	"fmt"
)

// MostFileFaults is the number of faults of a file that are reported one by one.
const MostFileFaults = 50

// FileFaults collects the faults of a file that a user has written, so that all are reported
// at once.
type FileFaults struct {
	// Name is the file's, for the line on further faults.
	Name string
	list []error
	more int
}

// Add notes a fault. nil is none.
func (f *FileFaults) Add(err error) {
	switch {
	case err == nil:
	case len(f.list) == MostFileFaults:
		f.more++
	default:
		f.list = append(f.list, err)
	}
}

// Err returns the faults joined, in their order, and nil if there are none. Beyond
// MostFileFaults it has their number.
func (f *FileFaults) Err() error {
	switch f.more {
	case 0:
		return errors.Join(f.list...)
	case 1:
		return errors.Join(append(f.list, fmt.Errorf("%s: 1 fault more", f.Name))...)
	}
	return errors.Join(append(f.list, fmt.Errorf("%s: %d faults more", f.Name, f.more))...)
}
