package figure

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"io"
)

// EncodePNG writes an opaque image as PNG (W3C Recommendation, second edition). Of each
// byte it keeps the difference from the byte above (filter 2): most rows of a chart are
// those above them, and become zeros. The encoder of the standard library tries five
// filters for every row, which took four fifths of the time of a figure.
func EncodePNG(w io.Writer, picture *image.RGBA) error {
	width, height := picture.Rect.Dx(), picture.Rect.Dy()
	var data bytes.Buffer
	compressed, err := zlib.NewWriterLevel(&data, zlib.BestSpeed)
	if err != nil {
		return err
	}
	above, row := make([]byte, 3*width), make([]byte, 3*width)
	line := make([]byte, 1+3*width)
	line[0] = 2
	for y := range height {
		pixels := picture.Pix[y*picture.Stride:]
		for x := range width {
			copy(row[3*x:3*x+3], pixels[4*x:])
		}
		for i, value := range row {
			line[1+i] = value - above[i]
		}
		if _, err := compressed.Write(line); err != nil {
			return err
		}
		above, row = row, above
	}
	if err := compressed.Close(); err != nil {
		return err
	}
	// 8 bits each of red, green and blue; the only methods of compression and of
	// filtering that there are; not interlaced.
	header := binary.BigEndian.AppendUint32(nil, uint32(width))
	header = append(binary.BigEndian.AppendUint32(header, uint32(height)), 8, 2, 0, 0, 0)
	file := []byte("\x89PNG\r\n\x1a\n")
	file = appendChunk(file, "IHDR", header)
	file = appendChunk(file, "IDAT", data.Bytes())
	file = appendChunk(file, "IEND", nil)
	_, err = w.Write(file)
	return err
}

// appendChunk appends a part of a PNG file: length, kind, data, checksum of both.
func appendChunk(file []byte, kind string, data []byte) []byte {
	file = binary.BigEndian.AppendUint32(file, uint32(len(data)))
	start := len(file)
	file = append(append(file, kind...), data...)
	return binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(file[start:]))
}
