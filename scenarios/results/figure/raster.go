package figure

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"io"
	"math"
)

// EncodePNG writes an opaque image as PNG (W3C Recommendation, second edition). Of each
// byte it keeps the difference from the byte above (filter 2): most rows of a chart are
// those above them, and become zeros. The encoder of the standard library tries five
// filters for every row, which took four fifths of the time of a figure. The file states the
// pixels of an inch, so that programs place it in its size in print.
func EncodePNG(w io.Writer, picture *image.RGBA, inch float64) error {
	width, height := picture.Rect.Dx(), picture.Rect.Dy()
	var data bytes.Buffer
	compressed, err := zlib.NewWriterLevel(&data, zlib.BestSpeed)
	if err != nil {
		return err
	}
	line := make([]byte, 1+3*width)
	line[0] = 2
	above := make([]byte, 4*width)
	for y := range height {
		row := picture.Pix[y*picture.Stride:][:4*width]
		subtract(line[1:], row, above)
		if _, err := compressed.Write(line); err != nil {
			return err
		}
		above = row
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
	// Pixels a metre, across and down; the unit is 1, a metre.
	metre := uint32(math.Round(inch / metresOfInch))
	physical := append(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, metre), metre), 1)
	file = appendChunk(file, "pHYs", physical)
	file = appendChunk(file, "IDAT", data.Bytes())
	file = appendChunk(file, "IEND", nil)
	_, err = w.Write(file)
	return err
}

// metresOfInch is an inch in metres.
const metresOfInch = 0.0254

// subtract sets the differences of red, green and blue between a row of pixels and the row
// above it: 3 bytes a pixel of 4. Most pixels of a chart differ in nothing.
func subtract(differences, row, above []byte) {
	clear(differences)
	if bytes.Equal(row, above) {
		return
	}
	for x := 0; x < len(row); x += 4 {
		pixel, old := row[x:x+4:x+4], above[x:x+4:x+4]
		if binary.LittleEndian.Uint32(pixel) == binary.LittleEndian.Uint32(old) {
			continue
		}
		difference := differences[x/4*3:][:3]
		difference[0] = pixel[0] - old[0]
		difference[1] = pixel[1] - old[1]
		difference[2] = pixel[2] - old[2]
	}
}

// appendChunk appends a part of a PNG file: length, kind, data, checksum of both.
func appendChunk(file []byte, kind string, data []byte) []byte {
	file = binary.BigEndian.AppendUint32(file, uint32(len(data)))
	start := len(file)
	file = append(append(file, kind...), data...)
	return binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(file[start:]))
}
