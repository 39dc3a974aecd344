package dataset

import (
	"errors"
	"fmt"
	"io"
)

// A record of the binary version of CIFAR-10 is a label byte and three planes,
// red, green and blue, each row by row.
var cifarShape = Shape{Channels: 3, Rows: 32, Columns: 32}

// readCIFAR appends the records of a file to pixels and labels, and returns both. A file
// has no header and no count: it ends where a record would begin.
//
//	byte 0             label, 0 .. 9
//	bytes 1 .. 1024    red, 32 rows of 32
//	bytes 1025 .. 2048 green
//	bytes 2049 .. 3072 blue
func readCIFAR(c *content, classes int, pixels, labels []uint8) ([]uint8, []uint8, error) {
	record := make([]uint8, 1+cifarShape.Dim())
	for n := 1; ; n++ {
		// An error names the offset of the record, or the number of bytes of it that are
		// there.
		begin := c.offset
		switch got, err := io.ReadFull(c, record); {
		case err == io.EOF:
			return pixels, labels, nil
		case errors.Is(err, io.ErrUnexpectedEOF) && c.offset > begin:
			return nil, nil, c.damaged(fmt.Errorf("ends inside record %d, after %d of %d bytes: %w", n, got, len(record), err))
		case err != nil:
			return nil, nil, c.damaged(err)
		}
		if int(record[0]) >= classes {
			return nil, nil, &FormatError{Path: c.path, Offset: begin, Err: fmt.Errorf("label %d of record %d, want 0 to %d", record[0], n, classes-1)}
		}
		labels = append(labels, record[0])
		pixels = append(pixels, record[1:]...)
	}
}
