// Package dataset reads public data sets from a folder, checks and downloads them, and
// divides them among parties. It holds no data itself, learns nothing from them, and
// never reads the environment: the folder is an argument.
//
//	name            contents                                     read by
//	mnist           60,000 + 10,000 images, 1 x 28 x 28          LoadImages   idx.go
//	fashion-mnist   the same, of clothes                         LoadImages   idx.go
//	cifar-10        50,000 + 10,000 images, 3 x 32 x 32          LoadImages   cifar.go
//	movielens-1m    1,000,209 ratings of 3,883 movies            LoadRatings  movielens.go
//	synthetic       generated images, for where data are absent  NewSynthetic
//	a table         losses of experts, CSV or Parquet            LoadLosses
//
// # Tables
//
// ReadRows passes a CSV or Parquet file to a RowReader, row by row. A Cell of CSV is a text; a
// Cell of Parquet is a value of the logical type of its column, which knows its number, its
// exact text and its exact place in an order.
//
//	rows.go         ReadRows, Column, Place
//	cell.go         Cell: number, name, order
//	bound.go        a place in a column, which tells rows before it from others
//	notation.go     the class of a text, and files that are no tables
//	csv.go          rows of CSV, and its faults
//	records.go      lines and fields, as encoding/csv has them
//	ahead.go        fields in batches, ahead of the reader
//	parquet.go      rows of Parquet, column by column
//	clients.go      Parquet files of clients, and row groups of one file
//	parquettype.go  logical types
//	arrow.go        types that only the schema of Arrow has
//
// # The folder
//
// A folder has a subfolder for each set, named as the set is. Every file may be plain or
// compressed with gzip (".gz" after its name; of the two the plain one is read).
// Checksums in the registry are of the plain contents, so that both forms are recognised and
// have one Digest. The Digest is part of the hash of a run: other data, other results folder.
//
// # Damaged files
//
// Verify compares checksums and reports each fault with its place. Loading does not compare
// checksums, which would read everything twice. ImagesIn and MovieLensIn read everything for
// the Digest, compare checksums, and list the files that are not the known ones. Loading checks
// the form of the files: a damaged file is a *FormatError with the byte or the line, and a
// header that claims gigabytes allocates nothing before the bytes are there.
//
// # From a set to parties
//
//	LoadImages -> ImageSet{Train, Test}     bytes, 0 to 255
//	Split(options, labels, parties, key)    which party has which image
//	Partition.Shuffle(key)                  in which order a party meets them
//	Images.Features                         pixels / 255, as float32
package dataset
