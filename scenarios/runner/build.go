package runner

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime"
)

// BuildID names the running program by its content, so that results of one build are never
// taken for another's.
func BuildID() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("name this build: %w", err)
	}
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("name this build: %w", err)
	}
	defer file.Close()
	id, err := buildOf(file)
	if err != nil {
		return "", fmt.Errorf("name this build: %w", err)
	}
	return runtime.GOARCH + "-" + id, nil
}

// buildOf names a program by the note that Go's linker leaves in it: a hash of all its inputs
// and of its output. A program without one is hashed as a whole, which takes as long as half
// of a small run.
func buildOf(program io.ReaderAt) (string, error) {
	h := sha256.New()
	if note := goNote(program); note != nil {
		h.Write(note)
	} else if _, err := io.Copy(h, io.NewSectionReader(program, 0, 1<<62)); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}

// goNote returns the text of the Go note of an ELF file; nil if there is no note, or an empty
// one.
func goNote(program io.ReaderAt) []byte {
	file, err := elf.NewFile(program)
	if err != nil {
		return nil
	}
	section := file.Section(".note.go.buildid")
	if section == nil {
		return nil
	}
	data, err := section.Data()
	// The lengths of name and text, a type, the name, and the text.
	const head, owner = 12, "Go\x00\x00"
	if err != nil || len(data) < head+len(owner) || !bytes.Equal(data[head:head+len(owner)], []byte(owner)) {
		return nil
	}
	text := data[head+len(owner):]
	if n := file.ByteOrder.Uint32(data[4:]); uint64(n) <= uint64(len(text)) && n > 0 {
		return text[:n]
	}
	return nil
}
