package dataset

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
)

// Programs leave the schema of Arrow in the metadata of a Parquet file. Parquet has no
// durations and no types of extensions: pyarrow, pandas and polars store these as plain
// numbers, and give their types in this schema alone.

// arrowKey is the key of the schema in the metadata of a file.
const arrowKey = "ARROW:schema"

// arrowField holds the facts about the type of a column that Parquet does not have.
type arrowField struct {
	Name string
	// Ticks is the number of units of a duration in a second: 1, 1e3, 1e6 or 1e9; 0 for
	// columns that are no durations.
	Ticks int64
	// Extension is the name of a type that is stored as another, such as pandas.period; empty
	// for others.
	Extension string
}

// The numbers of the format (Schema.fbs and Message.fbs of Apache Arrow): the slots of tables,
// the schema among the messages, and the duration among the types.
const (
	messageKind, messageHeader = 1, 2
	schemaFields               = 1
	fieldName, fieldKind       = 0, 2
	fieldType, fieldMetadata   = 3, 6
	durationUnit               = 0
	pairKey, pairValue         = 0, 1

	kindSchema   = 1
	typeDuration = 18
)

// units are the numbers of units in a second, by the unit's number in the format.
var units = [...]int64{1, 1e3, 1e6, 1e9}

const (
	absentUnit    = 1
	extensionName = "ARROW:extension:name"
)

var errSchema = errors.New(arrowKey + " in its metadata is no schema of Arrow")

// arrowFields returns the columns of a schema, in their order, without columns inside of
// others. value is the value of arrowKey: the base64 of a message of Arrow.
func arrowFields(value string) ([]arrowField, error) {
	message, err := base64.StdEncoding.DecodeString(value)
	if err != nil {
		return nil, errSchema
	}
	// A message has its length before it, and since Arrow 0.15 a mark before that.
	const mark = 0xffffffff
	if len(message) > 8 && binary.LittleEndian.Uint32(message) == mark {
		message = message[4:]
	}
	if len(message) < 8 {
		return nil, errSchema
	}
	b := &buffer{bytes: message[4:]}
	root := b.follow(0)
	if b.number(root, messageKind, 1, 0) != kindSchema {
		return nil, errSchema
	}
	var list []arrowField
	for _, at := range b.vector(b.child(b.child(root, messageHeader), schemaFields)) {
		list = append(list, b.field(at))
	}
	if b.damaged {
		return nil, errSchema
	}
	return list, nil
}

// field returns the column that a table describes.
func (b *buffer) field(at int) arrowField {
	f := arrowField{Name: b.text(b.child(at, fieldName))}
	if b.number(at, fieldKind, 1, 0) == typeDuration {
		unit := b.number(b.child(at, fieldType), durationUnit, 2, absentUnit)
		if unit >= uint64(len(units)) {
			b.damaged = true
			return f
		}
		f.Ticks = units[unit]
	}
	for _, pair := range b.vector(b.child(at, fieldMetadata)) {
		if b.text(b.child(pair, pairKey)) == extensionName {
			f.Extension = b.text(b.child(pair, pairValue))
		}
	}
	return f
}

// buffer is a flatbuffer. Positions are in bytes from its beginning; 0 means nothing. Reading
// outside of it sets damaged and gives 0.
type buffer struct {
	bytes   []byte
	damaged bool
}

// integer returns an integer of size bytes, the lowest first.
func (b *buffer) integer(at, size int) (v uint64) {
	if at < 0 || at > len(b.bytes)-size {
		b.damaged = true
		return 0
	}
	for k := range size {
		v |= uint64(b.bytes[at+k]) << (8 * k)
	}
	return v
}

// follow returns the position to which an offset points.
func (b *buffer) follow(at int) int {
	to := at + int(b.integer(at, 4))
	if to >= len(b.bytes) {
		b.damaged = true
		return 0
	}
	return to
}

// slot returns the position of a value of a table; 0 if it is absent.
func (b *buffer) slot(table, index int) int {
	if table == 0 {
		return 0
	}
	layout := table - int(int32(b.integer(table, 4)))
	if at := 4 + 2*index; at < int(b.integer(layout, 2)) {
		if offset := int(b.integer(layout+at, 2)); offset != 0 {
			return table + offset
		}
	}
	return 0
}

// number returns an integer of a table, or absent where the table does not have it.
func (b *buffer) number(table, index, size int, absent uint64) uint64 {
	if at := b.slot(table, index); at != 0 {
		return b.integer(at, size)
	}
	return absent
}

// child returns the position of a table, a text or a vector of a table.
func (b *buffer) child(table, index int) int {
	if at := b.slot(table, index); at != 0 {
		return b.follow(at)
	}
	return 0
}

// vector returns the positions of the tables of a vector.
func (b *buffer) vector(at int) (list []int) {
	if at == 0 {
		return nil
	}
	count := int(b.integer(at, 4))
	if count > len(b.bytes)/4 {
		b.damaged = true
		return nil
	}
	for k := range count {
		list = append(list, b.follow(at+4+4*k))
	}
	return list
}

// text returns a string.
func (b *buffer) text(at int) string {
	if at == 0 {
		return ""
	}
	size := int(b.integer(at, 4))
	if size > len(b.bytes)-at-4 {
		b.damaged = true
		return ""
	}
	return string(b.bytes[at+4 : at+4+size])
}
