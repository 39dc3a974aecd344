// Package table holds rows of features and a label, read from a CSV or Parquet file of the
// user's, and divides them among learners. It knows no model, no algorithm and no noise.
//
//	dataset.ReadRows     a row at a time, whatever the size of the file
//	      v
//	Table                numbers and codes of levels, 8 bytes a cell; parties; test rows
//	      v
//	Data                 a datum: numbers standardised, levels as one-hot, clipped to a bound
//	      v
//	Problem              the rows of each learner in their order, and its test rows
//
// All rows decide whether a column is of numbers or of words. A column with both is an error
// at the cell that differs, in whatever row. Memory is 8 bytes for each feature and label that
// is kept, and up to 48 for each row while it is read. A table with more than 2^28 numbers is
// refused. BenchmarkReading in bench measures both: 10^7 rows of 20 mixed columns, 1.4 GB of CSV,
// take 2 GiB, and about the time of polars (bench/peers/reading.py).
//
// The names of levels, classes and parties are read from the data, and are public afterwards.
// So is a mean or a scale that is computed from rows; Data says which are.
//
//	columns.go    the uses of columns, and the features among them
//	sight.go      the looks of the cells of a column, and the column's sort
//	feature.go    a column of numbers or of words, or a number that is made of its cells
//	times.go      parts of dates and times
//	missing.go    cells without a value
//	levels.go     levels of words that are merged
//	parties.go    the owners of rows
//	read.go       rows of a file to a Table, or an error with line and column
//	cells.go      columns of training rows, for all that is fitted
//	table.go      cells in blocks, codes of words, rows of parties in order
//	split.go      rows that are held out for tests and for validation
//	seeds.go      a table under the splits of several seeds
//	data.go       a row as a datum: standardised, one-hot, clipped
//	passing.go    rows of clients that are read when a client takes part
//	problem.go    division of rows among learners, and test rows
//	drawn.go      clients of a population that draw their rows
//	clients.go    clients of a population that are the parties
//	example.go    a table that is drawn, for trials
package table
