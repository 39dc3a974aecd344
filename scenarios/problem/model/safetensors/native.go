package safetensors

import (
	"encoding/binary"
	"unsafe"
)

// littleEndian tells that numbers lie in memory as they do in files.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// bytesOf are the bytes of numbers where they lie.
func bytesOf(list []float64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), elementSize*len(list))
}
