// Package wire has the items that the processes of a spread run send each other, as messages
// of Protocol Buffers. It is generated from spread.proto by protoc 3.21.12 and protoc-gen-go
// 1.36.12; a test holds that it is current.
package wire

//go:generate protoc --proto_path=../../.. --go_out=../../.. --go_opt=paths=source_relative actors/spread/wire/spread.proto
