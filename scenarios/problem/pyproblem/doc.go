// Package pyproblem has problems with costs that a class in a file of the user computes, in
// Python and in child processes: for nodes without a server (Problem), for learners of a server
// that meet a datum a step (Data), and for clients with data that stay (Corpus). A class has
//
//	def __init__(self, seed, nodes, horizon, dimension, **options)
//	def loss(self, x, nodes, step)      # k losses
//	def gradient(self, x, nodes, step)  # an array of shape (k, d)
//
// and the other methods that Offers names. x has shape (k, d): a decision of each of k nodes.
// nodes has the numbers of these nodes, from 0, as int64; step is the paper's, from 1. The
// results of methods must depend only on their arguments and on the arguments of __init__.
//
// The package checks that answers have the right shape and finite numbers. It does not clip
// gradients to their bound: algorithms do, wherever gradients come from. For sums over
// samples, however, each gradient is scaled down here, in Go, before it is added.
//
// # Calls
//
// Below the problems are calls of objects of any class. Methods take and return named arrays.
//
//	program := pyproblem.New(pyproblem.Options{Path: "ridge.py", Source: text, Timeout: time.Minute})
//	defer program.Close()
//	object := program.Object("Ridge", map[string]any{"seed": 1})
//	defer object.Release()
//	arrays, err := object.Call(&pyproblem.Call{Method: "loss", What: "loss at step 3", Arrays: ..})
//
// # Processes
//
// An [Object] has a child process for itself from its first call to its release, and its
// calls come one after the other. A released process serves the next object, and ends when
// it has been idle for a while. So there are as many processes as objects in use: for a
// scenario, one for each worker of jobs.
//
// A child ends with its standard input. Once the program that started it has ended, in
// whatever way, a guard kills the child with all processes that it has forked. The guard is a
// second process in the child's group, since a child may be inside of a call or have left a
// thread. A call that takes too long, breaks the protocol or loses its process kills the
// process with all that it has forked, and the object with it: every later call returns the
// same error. Once Options.Context is done, a call in progress has the time Grace to end. An
// exception in the user's code leaves the process as it is.
//
// LimitMemory bounds the memory of all children together with this process.
//
// # Frames
//
// A frame is a length, 8 bytes, little-endian, and that many bytes in the format of package
// safetensors: named arrays, and texts. The format is documented and kept elsewhere, keeps
// every bit of a float64, has room for several arrays and for texts beside them, and
// numpy reads and writes it without a copy. The first frame of a child is its greeting,
// with the versions of the protocol, of Python and of numpy. After that every request has one
// reply. host.py is the other side.
//
// On Linux a child shares memory with this process. From some size on, the numbers of a frame
// are put there, and only the header of the frame goes through the pipe. Both sides copy the
// numbers out, so that no kept number can change. The memory cannot become shorter, whatever a
// child does, and ends with the child.
//
// # Equal results
//
// The child runs with PYTHONHASHSEED=0 and one thread of linear algebra (OpenBLAS, MKL,
// OpenMP, NumExpr, Accelerate) unless Options.Threads says more, so that equal calls have
// equal bits as far as the user's code does. Options.Twice makes every call twice and compares
// the bits. A library may give other bits for a row of an array where the number of rows is
// another; code that works row by row does not.
package pyproblem
