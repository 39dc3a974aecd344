// Package wire has the frames that cross the network between two processes, as messages of
// Protocol Buffers. It is generated from frame.proto by protoc 3.21.12 and protoc-gen-go
// 1.36.12; a test holds that it is current.
package wire

//go:generate protoc --proto_path=../../.. --go_out=../../.. --go_opt=paths=source_relative actors/remote/wire/frame.proto
