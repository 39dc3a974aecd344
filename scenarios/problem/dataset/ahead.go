package dataset

// Records are cut into fields by a goroutine of their own, in batches: about batchFields fields at a
// time, and batchesAhead batches before the reader.
const (
	batchFields  = 1 << 12
	batchesAhead = 2
)

// batch has records one after the other.
type batch struct {
	fields  []string
	records []recordEnd
}

// recordEnd is a record of a batch: the end of its fields, its line, and its fault.
type recordEnd struct {
	end, line int
	err       error
}

// fill reads records until there are enough fields, or one that is none; more is false after the
// last one.
func (b *batch) fill(r *records) (more bool) {
	b.fields, b.records = b.fields[:0], b.records[:0]
	for len(b.fields) < batchFields {
		var line int
		var err error
		b.fields, line, err = r.next(b.fields)
		b.records = append(b.records, recordEnd{len(b.fields), line, err})
		if err != nil {
			return isOfRecord(err)
		}
	}
	return true
}

// each passes all records in their order, and at last the error that ends them, such as io.EOF. It
// ends with the first error of take. The text is not read any more when it returns.
func (r *records) each(take func(fields []string, line int, err error) error) error {
	full, empty := make(chan *batch), make(chan *batch, batchesAhead)
	for range batchesAhead {
		empty <- &batch{}
	}
	go func() {
		defer close(full)
		for b := range empty {
			more := b.fill(r)
			full <- b
			if !more {
				return
			}
		}
	}()
	defer func() {
		close(empty)
		for range full { // until the goroutine ends, after the batches that it has
		}
	}()
	for b := range full {
		start := 0
		for _, record := range b.records {
			if err := take(b.fields[start:record.end:record.end], record.line, record.err); err != nil {
				return err
			}
			start = record.end
		}
		empty <- b
	}
	return nil
}
