package dataset

import (
	"encoding/binary"
	"fmt"
	"io"
)

// The idx format of MNIST: big-endian 32-bit words, then unsigned bytes. The
// third byte of the magic number is the type (8, unsigned bytes) and the
// fourth the number of dimensions.
const (
	idxLabelMagic = 0x00000801
	idxImageMagic = 0x00000803
)

// maxSide is the largest number of rows or columns of an image.
const maxSide = 4096

// readIDXImages reads an idx3 file: pixels, n x rows x columns, row by row.
func readIDXImages(c *content) (pixels []uint8, shape Shape, err error) {
	header, err := idxHeader(c, idxImageMagic, 4)
	if err != nil {
		return nil, Shape{}, err
	}
	n, rows, columns := int64(header[1]), int64(header[2]), int64(header[3])
	if rows < 1 || rows > maxSide || columns < 1 || columns > maxSide {
		return nil, Shape{}, &FormatError{Path: c.path, Offset: 8, Err: fmt.Errorf("images of %d x %d, want 1 x 1 to %d x %d", rows, columns, maxSide, maxSide)}
	}
	// The product is below 2^32 * 2^24 and does not overflow.
	if n*rows*columns > maxContent {
		return nil, Shape{}, &FormatError{Path: c.path, Offset: 4, Err: fmt.Errorf("claims %d images of %d x %d, more than %d bytes", n, rows, columns, maxContent)}
	}
	pixels, err = readClaimed(c, int(n*rows*columns))
	if err != nil {
		return nil, Shape{}, c.damaged(fmt.Errorf("ends inside image %d of %d: %w", int64(len(pixels))/(rows*columns)+1, n, err))
	}
	return pixels, Shape{Channels: 1, Rows: int(rows), Columns: int(columns)}, c.atEnd()
}

// readIDXLabels reads an idx1 file of labels below a number of classes.
func readIDXLabels(c *content, classes int) ([]uint8, error) {
	header, err := idxHeader(c, idxLabelMagic, 2)
	if err != nil {
		return nil, err
	}
	if header[1] > maxContent {
		return nil, &FormatError{Path: c.path, Offset: 4, Err: fmt.Errorf("claims %d labels, more than %d bytes", header[1], maxContent)}
	}
	begin := c.offset
	labels, err := readClaimed(c, int(header[1]))
	if err != nil {
		return nil, c.damaged(fmt.Errorf("ends inside label %d of %d: %w", len(labels)+1, header[1], err))
	}
	// A label of a class that does not exist would be an index out of range much later.
	for i, label := range labels {
		if int(label) >= classes {
			return nil, &FormatError{Path: c.path, Offset: begin + int64(i), Err: fmt.Errorf("label %d, want 0 to %d", label, classes-1)}
		}
	}
	return labels, c.atEnd()
}

// idxHeader reads the words of a header and checks the first of them.
func idxHeader(c *content, magic uint32, words int) ([]uint32, error) {
	var raw [16]byte
	if _, err := io.ReadFull(c, raw[:4*words]); err != nil {
		return nil, c.damaged(fmt.Errorf("ends inside the header: %w", unexpected(err)))
	}
	header := make([]uint32, words)
	for i := range header {
		header[i] = binary.BigEndian.Uint32(raw[4*i:])
	}
	if header[0] != magic {
		return nil, &FormatError{Path: c.path, Offset: 0, Err: fmt.Errorf("magic number %d, want %d", header[0], magic)}
	}
	return header, nil
}
