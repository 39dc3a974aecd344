// Package lock has the exclusive claim of a process on a folder: a file in it. Where the
// system has locks of files, it drops the claim of a process that ends; elsewhere the
// existence of the file is the claim, and a person removes one that is left behind.
//
// The package keeps processes out of each other's way, and nothing else: it neither makes the
// folder nor knows its content.
package lock

import "errors"

// ErrHeld is wrapped by the error of a claim that another process holds, or another user
// of this package in this one.
var ErrHeld = errors.New("another run is writing this folder")
