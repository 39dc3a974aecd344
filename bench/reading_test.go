package bench

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"starling/mechanisms/rng"
	"starling/scenarios/problem/table"
	"starling/scenarios/problem/vector"
)

// readingRows is the number of rows that BenchmarkReading reads, and readingFile a file to keep them
// in, for other programs such as peers/reading.py.
var (
	readingRows = flag.Int("reading.rows", 200_000, "rows of BenchmarkReading")
	readingFile = flag.String("reading.file", "", "the file of BenchmarkReading, which is written unless it is there, and kept")
)

// readingColumns are the columns of a mixed table: 20 of the file, 20 numbers of a row in memory.
var readingColumns = table.Columns{
	Party: table.By("client"), Label: "y", Classes: true,
	Words: []string{"city", "job", "zip", "plan"}, Booleans: []string{"married", "owner"},
	Times:   []table.TimeColumn{{Name: "since", Parts: []string{table.Days}}, {Name: "seen", Parts: []string{table.Days}}},
	Missing: table.Missing{Default: table.MissingMean},
}

// BenchmarkReading reads and encodes a CSV file of mixed columns: numbers, words, dates, and cells
// without a value. After s/read words are codes and times are days; after s/fit gaps have means, and
// the constants that standardise numbers are known; s/encode makes a datum of each row, with a
// feature for each word.
func BenchmarkReading(b *testing.B) {
	path := *readingFile
	if path == "" {
		path = filepath.Join(b.TempDir(), "mixed.csv")
	}
	if _, err := os.Stat(path); err != nil {
		file, err := os.Create(path)
		if err != nil {
			b.Fatal(err)
		}
		if err := writeMixed(file, *readingRows); err != nil {
			b.Fatal(err)
		}
		if err := file.Close(); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		file, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		began := time.Now()
		t, _, err := table.Read(readingColumns, table.File{File: file, Path: path}, nil)
		if err != nil {
			b.Fatal(err)
		}
		read := time.Since(began)
		d, err := table.NewData(t, table.DataOptions{Labels: vector.Sign, Rows: true})
		if err != nil {
			b.Fatal(err)
		}
		fit := time.Since(began) - read
		d.Longest() // makes a datum of each row
		all := time.Since(began)
		b.ReportMetric(read.Seconds(), "s/read")
		b.ReportMetric(fit.Seconds(), "s/fit")
		b.ReportMetric((all - read - fit).Seconds(), "s/encode")
		b.ReportMetric(float64(t.Len())/all.Seconds(), "rows/s")
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		b.ReportMetric(float64(memory.HeapSys)/t.Held(), "heap/table")
		file.Close()
	}
}

// writeMixed writes a table of 20 columns. One cell in 20 of five columns is empty.
func writeMixed(to io.Writer, rows int) error {
	w := bufio.NewWriterSize(to, 1<<20)
	fmt.Fprintln(w, "client,since,seen,age,income,score,height,ratio,load,change,children,visits,code,city,job,zip,plan,married,owner,y")
	var s rng.Stream
	r := s.Open(rng.NewKey(1, rng.PurposeOf("bench.reading")), 0, 0, 0)
	day := time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC)
	var line []byte
	comma := func() { line = append(line, ',') }
	gap := func() bool { return r.IntN(20) == 0 }
	float := func(v float64, decimals int) { line = strconv.AppendFloat(line, v, 'f', decimals, 64); comma() }
	whole := func(prefix string, n int) {
		line = strconv.AppendInt(append(line, prefix...), int64(r.IntN(n)), 10)
		comma()
	}
	for range rows {
		line = line[:0]
		whole("c", 1000)
		line = day.AddDate(0, 0, r.IntN(3650)).AppendFormat(line, "2006-01-02,")
		line = day.Add(time.Duration(r.IntN(300_000_000))*time.Second).AppendFormat(line, "2006-01-02T15:04:05,")
		float(20+60*r.Float64(), 0)
		if !gap() {
			line = strconv.AppendFloat(line, 1000*math.Exp(r.NormFloat64()), 'f', 2, 64)
		}
		comma()
		float(r.NormFloat64(), 6)
		if !gap() {
			line = strconv.AppendFloat(line, 150+40*r.Float64(), 'f', 1, 64)
		}
		comma()
		float(r.Float64(), 4)
		line = strconv.AppendFloat(line, r.NormFloat64(), 'g', -1, 64) // all digits
		comma()
		float(10*r.NormFloat64(), 3)
		if !gap() {
			line = strconv.AppendInt(line, int64(r.IntN(6)), 10)
		}
		comma()
		whole("", 1_000_000)
		whole("", 30)
		whole("city-", 12)
		if !gap() {
			line = strconv.AppendInt(append(line, "job "...), int64(r.IntN(8)), 10)
		}
		comma()
		whole("", 20)
		whole("plan", 3)
		line = append(strconv.AppendBool(line, r.IntN(2) == 0), ',')
		if !gap() {
			line = append(line, [2]string{"yes", "no"}[r.IntN(2)]...)
		}
		comma()
		line = append(strconv.AppendInt(line, int64(r.IntN(2)), 10), '\n')
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return w.Flush()
}
