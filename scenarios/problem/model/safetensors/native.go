package safetensors

import (
	"encoding/binary"
	"unsafe"
)

// littleEndian is true if numbers have the same bytes in memory as in files.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// bytesOf returns the memory of numbers as bytes, without copying.
func bytesOf(list []float64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), elementSize*len(list))
}
