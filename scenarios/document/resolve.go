package document

import (
	"errors"
	"fmt"
	"strings"
)

// FieldError is a problem with the value at a path relative to what was
// validated, such as epsilon or matrices[1][2].
type FieldError struct {
	Path    string
	Message string
}

// Error returns "path: message".
func (e FieldError) Error() string {
	if e.Path == "" {
		return e.Message
	}
	return e.Path + ": " + e.Message
}

// Field returns the path.
func (e FieldError) Field() string { return e.Path }

// At returns a FieldError with a formatted message.
func At(path, format string, arguments ...any) error {
	return FieldError{Path: path, Message: fmt.Sprintf(format, arguments...)}
}

// fielder is how errors say which value they are about, without importing this
// package: Field is the relative path of the value.
type fielder interface {
	error
	Field() string
}

// Resolve turns an error of semantic validation into Issues. It splits what
// errors.Join put together. An error with a method Field() string, itself or
// within what it wraps, goes to the value at that path below prefix, any other
// to the value at prefix. If there is no value at the path, the issue stands
// at the key of the nearest ancestor that exists. Issues in err stay as they
// are; nil gives none.
func (d *Document) Resolve(prefix string, err error) Issues {
	located, _ := d.resolve(prefix, err)
	return located
}

// Resolve is [Document.Resolve] below the node, as an error: Issues, or nil.
func (n *Node) Resolve(err error) error {
	return n.document.Resolve(n.path, err).Err()
}

// resolve also reports whether err is more specific than a plain message.
func (d *Document) resolve(prefix string, err error) (issues Issues, specific bool) {
	switch e := err.(type) {
	case nil:
		return nil, false
	case Issues:
		return e, true
	case Issue:
		return Issues{e}, true
	case fielder:
		path := joinPath(prefix, e.Field())
		message := strings.TrimPrefix(e.Error(), e.Field()+": ")
		return Issues{{d.Position(path), path, message}}, true
	case interface{ Unwrap() []error }:
		if children := e.Unwrap(); isJoin(err, children) {
			for _, child := range children {
				some, _ := d.resolve(prefix, child)
				issues = append(issues, some...)
			}
			return issues, true
		}
		var inner fielder
		if errors.As(err, &inner) {
			path := joinPath(prefix, inner.Field())
			return Issues{{d.Position(path), path, err.Error()}}, true
		}
	case interface{ Unwrap() error }:
		inner := e.Unwrap()
		if issues, specific = d.resolve(prefix, inner); specific {
			return withContext(issues, err, inner), true
		}
	}
	return Issues{{d.Position(prefix), prefix, err.Error()}}, false
}

// isJoin reports whether err says no more than its children do, one per line,
// as the errors of errors.Join.
func isJoin(err error, children []error) bool {
	joined := errors.Join(children...)
	return joined != nil && err.Error() == joined.Error()
}

// withContext puts what err says before the text of the error it wraps in
// front of each message.
func withContext(issues Issues, err, inner error) Issues {
	context, ok := strings.CutSuffix(err.Error(), inner.Error())
	if !ok || context == "" {
		return issues
	}
	with := make(Issues, len(issues))
	for i, issue := range issues {
		issue.Message = context + issue.Message
		with[i] = issue
	}
	return with
}
