package pyproblem

import (
	"os"

	"golang.org/x/sys/unix"
)

// openMemory returns a file that is in memory alone and has no name. It cannot become shorter,
// so that its mapped pages exist whatever a child does.
func openMemory() (*os.File, error) {
	descriptor, err := unix.MemfdCreate("starling", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, err
	}
	if _, err := unix.FcntlInt(uintptr(descriptor), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK); err != nil {
		unix.Close(descriptor)
		return nil, err
	}
	return os.NewFile(uintptr(descriptor), "memory"), nil
}

// mapMemory makes the file longer, and maps it.
func mapMemory(file *os.File, length int) ([]byte, error) {
	if err := file.Truncate(int64(length)); err != nil {
		return nil, err
	}
	return unix.Mmap(int(file.Fd()), 0, length, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

// unmapMemory frees a result of mapMemory. nil is allowed.
func unmapMemory(mapped []byte) {
	if mapped != nil {
		_ = unix.Munmap(mapped) // it does not fail for mapped memory
	}
}
