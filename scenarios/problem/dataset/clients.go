package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/parquet-go/parquet-go"

	"starling/scenarios/inputs"
)

// Rows of clients lie in a Parquet file for each client, or in the row groups of one file. Both are read one
// by one, so that the rows of a client need not be held while it is away.

// clientEnd ends the names of the files of clients.
const clientEnd = ".parquet"

// ClientFile returns the path of the file of a client in a folder.
func ClientFile(folder, client string) string { return filepath.Join(folder, client+clientEnd) }

// ClientsIn returns the names of the clients of a folder with a Parquet file for each, in the order of the
// names. Files that begin with a dot or an underscore are marks that other programs leave, and no clients. Any
// other file, a folder in the folder, and a folder without clients are errors.
func ClientsIn(folder string) (names []string, err error) {
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		name, ok := strings.CutSuffix(file.Name(), clientEnd)
		switch {
		case strings.HasPrefix(file.Name(), "."), strings.HasPrefix(file.Name(), "_"):
		case file.IsDir():
			return nil, fmt.Errorf("%s is a folder; want a folder of Parquet files, one for each client", filepath.Join(folder, file.Name()))
		case !ok || name == "":
			return nil, fmt.Errorf("%s is no file of a client: want names that end in %s", filepath.Join(folder, file.Name()), clientEnd)
		default:
			names = append(names, name)
		}
	}
	if names == nil {
		return nil, fmt.Errorf("%s has no file that ends in %s; want one for each client", folder, clientEnd)
	}
	slices.Sort(names)
	return names, nil
}

// Sum is the SHA-256 of a file.
type Sum [sha256.Size]byte

// errChanged is the error of a file with other contents than at first.
var errChanged = errors.New("the file has changed since the run began")

// clientBytes are the memory of files of clients that have been read.
var clientBytes = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// ReadClient reads the Parquet file of a client and returns its digest. The file is read once, whole. A file
// with another digest than want is an error before its first row. A nil want is any digest.
func (f Format) ReadClient(folder, client string, want *Sum, to RowReader) (sum Sum, err error) {
	path := ClientFile(folder, client)
	file, err := inputs.OpenRegular(path, maxContent)
	if err != nil {
		return sum, err
	}
	defer file.Close()
	text := clientBytes.Get().(*bytes.Buffer)
	defer clientBytes.Put(text)
	text.Reset()
	if _, err := text.ReadFrom(io.LimitReader(file, maxContent)); err != nil {
		return sum, err
	}
	switch sum = sha256.Sum256(text.Bytes()); {
	case text.Len() == 0:
		return sum, fmt.Errorf("%s: the file is empty", path)
	case want != nil && sum != *want:
		return sum, fmt.Errorf("%s: %w", path, errChanged)
	}
	return sum, readParquet(bytes.NewReader(text.Bytes()), path, newCellReader(f), to)
}

// RowGroups is an open Parquet file of which single row groups are read, in any order and at once. The file
// stays open.
type RowGroups struct {
	*openedParquet
	path   string
	file   fs.File
	as     *cellReader
	before []int // by group: rows of the groups before it
	info   fs.FileInfo
}

// OpenRowGroups returns the row groups of a Parquet file with its digest, for which the file is read once.
func (f Format) OpenRowGroups(file fs.File, path string) (g *RowGroups, digest string, err error) {
	g = &RowGroups{path: path, file: file, as: newCellReader(f)}
	random, ok := file.(io.ReaderAt)
	if !ok {
		return nil, "", fmt.Errorf("%s: row groups are read from a file of its own", path)
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return nil, "", err
	}
	if g.info, err = file.Stat(); err != nil {
		return nil, "", err
	}
	err = guarded(path, nil, func(RowReader) error {
		// Indices of pages and filters are of no use here, and are most of the memory of many row groups.
		g.openedParquet, err = openParquet(random, path, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
		return err
	})
	if err != nil {
		return nil, "", err
	}
	rows := 0
	for _, group := range g.groups {
		g.before = append(g.before, rows)
		rows += int(group.NumRows())
	}
	return g, hex.EncodeToString(hash.Sum(nil)), nil
}

// Len returns the number of row groups.
func (g *RowGroups) Len() int { return len(g.groups) }

// Place returns the place of the columns of the file.
func (g *RowGroups) Place() Place { return Place{Path: g.path, Parquet: true} }

// Header passes the columns to a reader.
func (g *RowGroups) Header(to RowReader) error { return headed(to, g.Place(), g.columns) }

// Read passes the rows of a group to a reader, without the columns. A file that is longer, shorter or newer than
// when it was opened is an error.
func (g *RowGroups) Read(group int, to RowReader) error {
	switch now, err := g.file.Stat(); {
	case err != nil:
		return err
	case now.Size() != g.info.Size() || !now.ModTime().Equal(g.info.ModTime()):
		return g.Place().Errorf("%w", errChanged)
	}
	return guarded(g.path, to, func(to RowReader) error {
		at := g.Place()
		at.Line = g.before[group]
		return readGroup(g.groups[group], &at, g.leaves, len(g.columns), g.as, to)
	})
}
