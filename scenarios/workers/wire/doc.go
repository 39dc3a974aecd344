// Package wire has the messages between a coordinator and a worker, in Protocol Buffers. It is
// generated from workers.proto by protoc 3.21.12 and protoc-gen-go 1.36.12; a test checks that
// it is current.
package wire

//go:generate protoc --proto_path=../../.. --go_out=../../.. --go_opt=paths=source_relative scenarios/workers/wire/workers.proto
