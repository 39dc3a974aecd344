package results

import "errors"

// ErrHeld is wrapped by the error of a claim that another process holds, or another user
// of this package in this one.
var ErrHeld = errors.New("another run is writing this folder")
