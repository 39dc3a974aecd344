package external

import (
	"os"

	"golang.org/x/sys/unix"
)

// openMemory is a file that is in memory alone and has no name. It cannot become shorter, so
// that what is mapped of it is there whatever a child does.
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

// unmapMemory ends the use of what mapMemory has returned, or of nothing.
func unmapMemory(mapped []byte) {
	if mapped != nil {
		_ = unix.Munmap(mapped) // of what is mapped it does not fail
	}
}
