package results

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
)

// errNoDictionary is the error of a column that Encode would have given a dictionary.
var errNoDictionary = errors.New("a column has no dictionary")

// readValues decodes a column of a row group that is required and has no dictionary: one value for
// each row. of selects them from the values of a page.
func readValues[T any](group parquet.RowGroup, column int, of func(*encoding.Values) []T) ([]T, error) {
	return decode(group, column, func(list []T, page parquet.Page) ([]T, error) {
		data := page.Data()
		return append(list, of(&data)...), nil
	})
}

// readPlaces decodes an optional column of integers with a dictionary: one for each row, none
// where a row has no value.
func readPlaces(group parquet.RowGroup, column int, none int32) ([]int32, error) {
	return decode(group, column, func(list []int32, page parquet.Page) ([]int32, error) {
		dictionary := page.Dictionary()
		if dictionary == nil {
			return nil, errNoDictionary
		}
		// A page has a level for each row, and an index into the dictionary for each value.
		known, data := dictionary.Page().Data(), page.Data()
		values, indexes := known.Int32(), data.Int32()
		next := 0
		for _, level := range page.DefinitionLevels() {
			if level == 0 {
				list = append(list, none)
				continue
			}
			if next == len(indexes) || uint32(indexes[next]) >= uint32(len(values)) {
				return nil, fmt.Errorf("value %d of %d, in a dictionary of %d", next, len(indexes), len(values))
			}
			list = append(list, values[indexes[next]])
			next++
		}
		return list, nil
	})
}

// readReals decodes an optional column of floats without a dictionary: one for each row, none
// where a row has no value.
func readReals(group parquet.RowGroup, column int, none float64) ([]float64, error) {
	return decode(group, column, func(list []float64, page parquet.Page) ([]float64, error) {
		data := page.Data()
		values := data.Double()
		next := 0
		for _, level := range page.DefinitionLevels() {
			switch {
			case level == 0:
				list = append(list, none)
			case next == len(values):
				return nil, fmt.Errorf("a page has %d values, and levels for more", next)
			default:
				list = append(list, values[next])
				next++
			}
		}
		return list, nil
	})
}

// readCounts decodes a required column of unsigned integers with a dictionary.
func readCounts(group parquet.RowGroup, column int) ([]uint64, error) {
	return decode(group, column, func(list []uint64, page parquet.Page) ([]uint64, error) {
		dictionary := page.Dictionary()
		if dictionary == nil {
			return nil, errNoDictionary
		}
		known, data := dictionary.Page().Data(), page.Data()
		values := known.Uint64()
		for _, index := range data.Int32() {
			if uint32(index) >= uint32(len(values)) {
				return nil, fmt.Errorf("number %d in a dictionary of %d", index, len(values))
			}
			list = append(list, values[index])
		}
		return list, nil
	})
}

// readNames decodes a required column of texts with a dictionary: for each row the number of its
// text. It calls number once for each text of a page.
func readNames(group parquet.RowGroup, column int, number func(string) int32) ([]int32, error) {
	return decode(group, column, func(list []int32, page parquet.Page) ([]int32, error) {
		dictionary := page.Dictionary()
		if dictionary == nil {
			return nil, errNoDictionary
		}
		numbers := make([]int32, dictionary.Len())
		for i := range numbers {
			numbers[i] = number(string(dictionary.Index(int32(i)).ByteArray()))
		}
		data := page.Data()
		for _, index := range data.Int32() {
			if uint32(index) >= uint32(len(numbers)) {
				return nil, fmt.Errorf("text %d in a dictionary of %d", index, len(numbers))
			}
			list = append(list, numbers[index])
		}
		return list, nil
	})
}

// decode has add append the values of each page of a column, and demands one for each row.
// Pages are valid during the call.
func decode[T any](group parquet.RowGroup, column int, add func([]T, parquet.Page) ([]T, error)) ([]T, error) {
	list := make([]T, 0, group.NumRows())
	pages := group.ColumnChunks()[column].Pages()
	defer pages.Close()
	for {
		page, err := pages.ReadPage()
		switch {
		case errors.Is(err, io.EOF) && int64(len(list)) == group.NumRows():
			return list, nil
		case errors.Is(err, io.EOF):
			return nil, fmt.Errorf("column %d has %d rows, want %d", column, len(list), group.NumRows())
		case err != nil:
			return nil, err
		}
		list, err = add(list, page)
		parquet.Release(page)
		if err != nil {
			return nil, err
		}
	}
}

// numbering numbers the texts of columns in the order in which they come.
type numbering struct {
	// Texts are by number.
	Texts   []string
	numbers map[string]int32
}

// Number returns the number of a text, a new one if the text has none.
func (n *numbering) Number(text string) int32 {
	number, ok := n.numbers[text]
	if !ok {
		if n.numbers == nil {
			n.numbers = map[string]int32{}
		}
		number = int32(len(n.Texts))
		n.numbers[text], n.Texts = number, append(n.Texts, text)
	}
	return number
}

// interner shares one string per distinct value of a column.
type interner map[string]string

// Get is the text of a value.
func (in interner) Get(value parquet.Value) string {
	raw := value.ByteArray()
	if s, ok := in[string(raw)]; ok {
		return s
	}
	s := string(raw)
	in[s] = s
	return s
}
