package atomicfile

import (
	"errors"
	"os"
	"sync"
)

// atWork has the files of the process that are neither committed nor aborted.
var atWork struct {
	sync.Mutex
	files map[*File]bool
	// over means that the process ends, and starts no file.
	over bool
}

// errOver is the error of a file that is started while the process ends.
var errOver = errors.New("the program ends")

// started is newFile for a temporary file.
func started(path string, file *os.File) (*File, error) {
	atWork.Lock()
	defer atWork.Unlock()
	if atWork.over {
		file.Close()
		os.Remove(file.Name())
		return nil, writeError(path, errOver)
	}
	f := newFile(path, file)
	if atWork.files == nil {
		atWork.files = map[*File]bool{}
	}
	atWork.files[f] = true
	return f, nil
}

// end marks a file as committed or aborted.
func (f *File) end() {
	f.ended = true
	atWork.Lock()
	defer atWork.Unlock()
	delete(atWork.files, f)
}

// Leave removes the temporary files of the process, for one that ends while work goes on: nobody else
// would. No file is started or committed after it.
func Leave() {
	atWork.Lock()
	defer atWork.Unlock()
	atWork.over = true
	for f := range atWork.files {
		os.Remove(f.file.Name()) // of which Commit finds that it is gone
	}
}
