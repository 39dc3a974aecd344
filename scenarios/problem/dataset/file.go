package dataset

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// compressed ends the names of files that are compressed with gzip.
const compressed = ".gz"

// maxContent is the largest content of a file, in bytes, that is read. It also bounds the
// unpacked size of a small compressed file.
const maxContent = 1 << 30

// FormatError reports a damaged file.
type FormatError struct {
	Path string
	// Offset is the place in the plain content, in bytes from 0, of a binary
	// file; Line the line, from 1, of a text file and 0 for a binary one.
	Offset int64
	Line   int
	Err    error
}

// Error implements error.
func (e *FormatError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s: line %d: %v", e.Path, e.Line, e.Err)
	}
	return fmt.Sprintf("%s: byte %d: %v", e.Path, e.Offset, e.Err)
}

// Unwrap implements errors.Unwrap.
func (e *FormatError) Unwrap() error { return e.Err }

// MissingError reports that a set, or some files of it, are not in the folder.
type MissingError struct {
	// Set and Folder are the place where the files were looked for.
	Set    string
	Folder string
	// Files are the missing files, by name, in the set's folder.
	Files []string
}

// Error implements error.
func (e *MissingError) Error() string {
	return fmt.Sprintf("data set %s: %s (or %s) not found in %s; 'starling data get %s' downloads the set",
		e.Set, strings.Join(e.Files, ", "), compressed, filepath.Join(e.Folder, e.Set), e.Set)
}

// content is the plain content of a file that is plain or compressed. It counts the bytes that
// were read.
type content struct {
	// path is the file's, for errors.
	path   string
	file   *os.File
	reader io.Reader
	// offset is the number of bytes of plain content that have been read.
	offset int64
}

// openContent opens a file by its path, ".gz" included if it is compressed.
func openContent(path string) (*content, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	c := &content{path: path, file: file, reader: file}
	if strings.HasSuffix(path, compressed) {
		if c.reader, err = gzip.NewReader(file); err != nil {
			file.Close()
			return nil, c.damaged(fmt.Errorf("not a gzip file: %w", unexpected(err)))
		}
	}
	return c, nil
}

// Close implements io.Closer.
func (c *content) Close() error { return c.file.Close() }

// Read implements io.Reader. It fails where the content exceeds maxContent.
func (c *content) Read(p []byte) (int, error) {
	n, err := c.reader.Read(p)
	c.offset += int64(n)
	if c.offset > maxContent {
		return n, c.damaged(fmt.Errorf("more than %d bytes", maxContent))
	}
	if err != nil && err != io.EOF {
		err = c.damaged(err)
	}
	return n, err
}

// damaged returns an error at the place that reading reached. An error that has a place
// already keeps it.
func (c *content) damaged(err error) error {
	var placed *FormatError
	if errors.As(err, &placed) {
		return err
	}
	return &FormatError{Path: c.path, Offset: c.offset, Err: err}
}

// unexpected turns io.EOF into io.ErrUnexpectedEOF, where more was due.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// firstChunk is the number of bytes that are allocated before any was read.
const firstChunk = 1 << 20

// readClaimed reads the n bytes that a header claims. Memory grows with the bytes that are
// really there, so that a damaged header costs nothing.
func readClaimed(r io.Reader, n int) ([]byte, error) {
	data := make([]byte, 0, min(n, firstChunk))
	for len(data) < n {
		if len(data) == cap(data) {
			data = slices.Grow(data, min(len(data), n-len(data)))
		}
		end := min(cap(data), n)
		got, err := io.ReadFull(r, data[len(data):end])
		data = data[:len(data)+got]
		if err != nil {
			return data, unexpected(err)
		}
	}
	return data, nil
}

// atEnd demands that nothing follows. It also makes gzip check its checksum.
func (c *content) atEnd() error {
	at := c.offset
	var one [1]byte
	switch n, err := io.ReadFull(c, one[:]); {
	case n > 0:
		return &FormatError{Path: c.path, Offset: at, Err: errors.New("content goes on after the last record")}
	case err != io.EOF:
		return c.damaged(err)
	}
	return nil
}

// found is a file of a form in a folder.
type found struct {
	File
	path string // "" if it is missing
}

// locate finds which form of a set a folder has: the first that is complete,
// otherwise the one with most files, otherwise the canonical one. The list has
// every file of that form.
func locate(folder string, set *Set) (*Form, []found, error) {
	var best *Form
	var files []found
	most := -1
	for i := range set.Forms {
		form := &set.Forms[i]
		list, present, err := locateForm(folder, set, form)
		if err != nil {
			return nil, nil, err
		}
		if present == len(list) {
			return form, list, nil
		}
		if present > most {
			best, files, most = form, list, present
		}
	}
	return best, files, nil
}

// locateForm looks for the files of one form, and counts the files that are there.
func locateForm(folder string, set *Set, form *Form) (list []found, present int, err error) {
	for _, file := range form.Files {
		path, err := findFile(filepath.Join(folder, set.Name, file.Name))
		if err != nil {
			return nil, 0, err
		}
		if path != "" {
			present++
		}
		list = append(list, found{File: file, path: path})
	}
	return list, present, nil
}

// findFile returns the path or the path with .gz, whichever is there, or "".
func findFile(path string) (string, error) {
	for _, candidate := range []string{path, path + compressed} {
		_, err := os.Stat(candidate)
		if err == nil {
			return candidate, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return "", nil
}

// require is locate for callers that need every file.
func require(folder string, set *Set) (*Form, []found, error) {
	form, files, err := locate(folder, set)
	if err != nil {
		return nil, nil, err
	}
	var missing []string
	for _, file := range files {
		if file.path == "" {
			missing = append(missing, file.Name)
		}
	}
	if len(missing) > 0 {
		return nil, nil, &MissingError{Set: set.Name, Folder: folder, Files: missing}
	}
	return form, files, nil
}
