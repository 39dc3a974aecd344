package dataset

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

const parquetMagic = "PAR1"

// readParquet reads the rows of a Parquet file, a value of each column by its logical type. Texts
// are read as texts of CSV are.
func readParquet(r io.ReaderAt, path string, as *cellReader, to RowReader) (err error) {
	return guarded(path, to, func(to RowReader) error {
		p, err := openParquet(r, path)
		if err != nil {
			return err
		}
		at := Place{Path: path, Parquet: true}
		if err := headed(to, at, p.columns); err != nil {
			return err
		}
		for _, group := range p.groups {
			if err = readGroup(group, &at, p.leaves, len(p.columns), as, to); err != nil {
				return err
			}
		}
		return nil
	})
}

// guarded reads a Parquet file for a reader. The library panics at some damaged files; a panic of the
// reader is its own.
func guarded(path string, to RowReader, read func(to RowReader) error) (err error) {
	by := &guard{RowReader: to}
	defer func() {
		if by.inside {
			return
		}
		if fault := recover(); fault != nil {
			err = fmt.Errorf("%s: damaged Parquet: %v", path, fault)
		}
	}()
	return read(by)
}

// openedParquet is the schema of a Parquet file with its groups of rows.
type openedParquet struct {
	leaves  []leaf
	columns []Column
	groups  []parquet.RowGroup
}

// openParquet reads the schema of a Parquet file.
func openParquet(r io.ReaderAt, path string, options ...parquet.FileOption) (*openedParquet, error) {
	size, err := sizeOf(r)
	if err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(r, size, options...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	said := map[string]arrowField{}
	if schema, ok := file.Lookup(arrowKey); ok {
		fields, err := arrowFields(schema)
		if err != nil {
			return nil, fmt.Errorf("%s: damaged Parquet: %w", path, err)
		}
		for _, field := range fields {
			said[field.Name] = field
		}
	}
	p := &openedParquet{leaves: leavesOf(file.Metadata().Schema, said), groups: file.RowGroups()}
	for _, leaf := range p.leaves {
		if leaf.column == len(p.columns) {
			p.columns = append(p.columns, leaf.Column)
		}
	}
	return p, nil
}

// leaf is a column of values of a Parquet file.
type leaf struct {
	// column is the column of the table that the leaf belongs to: a list or a structure has
	// several leaves.
	column int
	Column
	as *valueType
}

// leavesOf returns the columns of values of a schema. The schema is in the order of a walk
// that meets a group before its members. said has the columns of the schema of Arrow, by name.
func leavesOf(schema []format.SchemaElement, said map[string]arrowField) (leaves []leaf) {
	at := 1 // behind the root
	// part walks over an element, of the given column where that is inside a group.
	var part func(column int, of Column)
	part = func(column int, of Column) {
		element := &schema[at]
		at++
		if element.Type.Valid {
			leaves = append(leaves, leaf{column, of, &valueType{name: of.Type, look: Unread}})
		}
		for range element.NumChildren.V {
			part(column, of)
		}
	}
	for column := 0; at < len(schema); column++ {
		switch element := &schema[at]; {
		case element.Type.Valid && element.RepetitionType.V != format.Repeated:
			as := arrowTypeOf(element, said[element.Name])
			if as == nil {
				as = typeOf(element)
			}
			leaves = append(leaves, leaf{column, Column{element.Name, as.name, as.sort()}, as})
			at++
		default:
			part(column, Column{element.Name, groupName(element), Unreadable})
		}
	}
	return leaves
}

// groupName returns the name of the type of a column with several values in a row.
func groupName(element *format.SchemaElement) string {
	switch element.LogicalType.Value.(type) {
	case *format.ListType:
		return "list"
	case *format.MapType:
		return "map"
	case *format.VariantType:
		return "variant"
	}
	if element.Type.Valid {
		return "list"
	}
	return "structure"
}

// guard is a RowReader; inside is true while it is at work.
type guard struct {
	RowReader
	inside bool
}

// Header implements RowReader.
func (g *guard) Header(at Place, columns []Column) error {
	g.inside = true
	err := g.RowReader.Header(at, columns)
	g.inside = false
	return err
}

// Row implements RowReader.
func (g *guard) Row(at Place, cells []Cell) error {
	g.inside = true
	err := g.RowReader.Row(at, cells)
	g.inside = false
	return err
}

// sizeOf returns the number of bytes of a file.
func sizeOf(r io.ReaderAt) (int64, error) {
	switch r := r.(type) {
	case fs.File:
		info, err := r.Stat()
		if err != nil {
			return 0, err
		}
		return info.Size(), nil
	case *bytes.Reader:
		return r.Size(), nil
	}
	return 0, fmt.Errorf("a %T has no size", r)
}

// readGroup reads a group of rows; at is the place of the row before the group, and afterwards
// the place of its last row.
func readGroup(group parquet.RowGroup, at *Place, leaves []leaf, columns int, as *cellReader, to RowReader) error {
	rows := group.Rows()
	defer rows.Close()
	batch := make([]parquet.Row, 256)
	cells, more := make([]Cell, columns), make([]moreOfCell, columns)
	for left := group.NumRows(); ; {
		// ReadRows allocates for each column at its end and each row of the batch that is left
		// empty. One row past the end is enough to find the end.
		n, err := rows.ReadRows(batch[:min(max(1, left), int64(len(batch)))])
		left -= int64(n)
		for _, row := range batch[:n] {
			at.Line++
			if err := fill(cells, more, row, leaves); err != nil {
				return at.Errorf("%w", err)
			}
			for i := range cells {
				if c := &cells[i]; !as.usual && c.as() == nil && !c.null() {
					*c = as.cell(c.Text, &more[i])
				}
			}
			if err := to.Row(*at, cells); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", at.Path, err)
		}
	}
}

// fill overwrites cells with a row. Of a list or a structure the last value is taken; it is
// not read further. Values that are no texts are in more.
func fill(cells []Cell, more []moreOfCell, row parquet.Row, leaves []leaf) error {
	clear(cells)
	filled := 0
	for _, v := range row {
		k := v.Column()
		if k < 0 || k >= len(leaves) {
			return fmt.Errorf("a value of column %d of %d", k+1, len(leaves))
		}
		of := &leaves[k]
		if of.column == filled {
			filled++
		}
		cells[of.column] = of.as.cell(v, &more[of.column])
	}
	if filled != len(cells) {
		return fmt.Errorf("%d values, want %d", filled, len(cells))
	}
	return nil
}
