// Package external calls Python: objects of classes in a file of the user, whose methods
// take and return named arrays, in child processes. It knows nothing of problems, machines
// or scenarios.
//
//	program := external.New(external.Options{Path: "ridge.py", Source: text, Timeout: time.Minute})
//	defer program.Close()
//	object := program.Object("Ridge", map[string]any{"seed": 1})
//	defer object.Release()
//	arrays, err := object.Call(&external.Call{Method: "loss", What: "loss at step 3", Arrays: ..})
//
// # Processes
//
// An [Object] has a child process for itself from its first call to its release, and its
// calls come one after the other. A released process serves the next object, and ends when
// it has been idle for a while. So as many run as there are objects in use: of a scenario,
// one for each worker of jobs.
//
// A child ends with its standard input. Once the program that started it has ended, however that
// ends, a guard kills it with all that it has forked: a second process in its group, since a
// child may be inside of a call or have left a thread. A call that takes too long, breaks the protocol or loses its process kills the
// process with all that it has forked, and the object with it: every later call returns the
// same error. Where Options.Context is done, a call in progress has Grace to come to its end. An exception in the user's code leaves the process as it is.
//
// LimitMemory bounds what all children take together with this process.
//
// # Frames
//
// A frame is a length, 8 bytes, little-endian, and that many bytes in the format of package
// safetensors: named arrays, and texts. The format is documented and kept elsewhere, keeps
// every bit of a float64, has room for several arrays and for texts beside them, and
// numpy reads and writes it without a copy. The first frame of a child is its greeting,
// with the version of the protocol and those of Python and numpy. After that every request
// has one reply. host.py is the other side.
//
// On Linux a child has memory with this process, where the numbers of a frame are put from some
// size on: what goes through the pipe then says what they are. Both sides copy them out, so
// that nothing which is kept can change. The memory cannot become shorter, whatever a child
// does, and ends with it.
//
// # What is equal
//
// The child runs with PYTHONHASHSEED=0 and one thread of linear algebra (OpenBLAS, MKL,
// OpenMP, NumExpr, Accelerate) unless Options.Threads says more, so that equal calls have
// equal bits as far as the user's code has. Options.Twice makes every call twice and
// compares the bits. A library may give other bits for a row of an array where the number
// of rows is another; code that works row by row does not.
package external
