package results

import "errors"

// ErrLocked is what Create returns while another process, or another Folder of
// this one, writes to the folder.
var ErrLocked = errors.New("another run is writing this folder")
