package pyproblem

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
)

// Variable names the interpreter where it is not python3 on PATH.
const Variable = "STARLING_PYTHON"

// whatToDo ends errors of an interpreter that cannot be used.
const whatToDo = "install Python 3.9 or later with numpy, or name an interpreter that has it by " + Variable

// Interpreter finds the interpreter that children run: the one that STARLING_PYTHON names,
// else python3 on PATH. The error names the remedy.
func Interpreter() (path string, err error) {
	name := os.Getenv(Variable)
	if name == "" {
		name = "python3"
	}
	if path, err = exec.LookPath(name); err != nil {
		return "", fmt.Errorf("there is no Python: %w; %s", err, whatToDo)
	}
	return path, nil
}

// Versions are the versions of Python and numpy in a child.
type Versions struct{ Python, Numpy string }

// String returns the versions in words.
func (v Versions) String() string { return "Python " + v.Python + ", numpy " + v.Numpy }

// found are the versions of interpreters that were started, by path: the start of an
// interpreter takes longer than all the rest of reading a scenario.
var found sync.Map

// Installed starts the interpreter for a moment, if it was not started before, without any
// code of a user, and returns the versions. The error names the remedy.
func Installed() (Versions, error) {
	path, err := Interpreter()
	if err != nil {
		return Versions{}, err
	}
	if versions, ok := found.Load(path); ok {
		return versions.(Versions), nil
	}
	p := New(Options{Path: "nothing.py"})
	defer p.Close()
	child, err := p.start()
	if err != nil {
		return Versions{}, err
	}
	child.end()
	found.Store(path, child.versions)
	return child.versions, nil
}

// memoryVariable gives a child its largest number of bytes; 0 means no limit.
const memoryVariable = "STARLING_PYTHON_MEMORY"

// environment returns the environment of a child: the parent's, with all variables set that
// may change bits. Two variables make glibc keep freed memory of arrays. By default glibc
// returns it to the system, and every array gets new pages, which takes longer than most code
// computes with them. Other systems ignore these variables.
func environment(threads int, memory int64) []string {
	list := []string{"MALLOC_MMAP_THRESHOLD_=33554432", "MALLOC_TRIM_THRESHOLD_=134217728"}
	list = append(append(list, os.Environ()...), "PYTHONHASHSEED=0", "PYTHONDONTWRITEBYTECODE=1", "PYTHONIOENCODING=utf-8")
	list = append(list, memoryVariable+"="+strconv.FormatInt(memory, 10))
	count := strconv.Itoa(max(1, threads))
	for _, name := range []string{"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"} {
		list = append(list, name+"="+count)
	}
	return list
}
