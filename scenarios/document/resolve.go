package document

import (
	"errors"
	"strings"

	"starling/actors/option"
)

// At returns an [option.Error] with a formatted message.
func At(path, format string, arguments ...any) error {
	return option.Errorf(path, format, arguments...)
}

// AtEach is At with the message of an error, or of each of the errors that errors.Join has put
// together.
func AtEach(path string, err error) error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || !isJoin(err, joined.Unwrap()) {
		return At(path, "%v", err)
	}
	var list []error
	for _, e := range joined.Unwrap() {
		list = append(list, AtEach(path, e))
	}
	return errors.Join(list...)
}

// OfFlags returns an error whose places are flags in place of paths: every [option.Error] in it begins with its flag,
// which flagOf names by the path.
func OfFlags(err error, flagOf func(path string) string) error {
	switch e := err.(type) {
	case *InputError:
		return &InputError{Err: OfFlags(e.Err, flagOf)}
	case *option.Error:
		return errors.New("--" + flagOf(e.Path) + ": " + e.Message)
	case interface{ Unwrap() []error }:
		if !isJoin(err, e.Unwrap()) {
			return err
		}
		var list []error
		for _, other := range e.Unwrap() {
			list = append(list, OfFlags(other, flagOf))
		}
		return errors.Join(list...)
	}
	return err
}

// Resolve turns an error of semantic validation into Issues. It splits errors that errors.Join
// put together. An [option.Error], itself or wrapped, goes to the value at its path below
// prefix. Any other error goes to the value at prefix. If there is no value at the path, the
// issue stands at the key of the nearest ancestor that exists. Issues in err stay as they are;
// nil gives none.
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
	case *option.Error:
		path := joinPath(prefix, e.Path)
		return Issues{{d.Position(path), path, e.Message, OfValue, ""}}, true
	case interface{ Unwrap() []error }:
		if children := e.Unwrap(); isJoin(err, children) {
			for _, child := range children {
				some, _ := d.resolve(prefix, child)
				issues = append(issues, some...)
			}
			return issues, true
		}
		var inner *option.Error
		if errors.As(err, &inner) {
			path := joinPath(prefix, inner.Path)
			return Issues{{d.Position(path), path, err.Error(), OfValue, ""}}, true
		}
	case interface{ Unwrap() error }:
		inner := e.Unwrap()
		if issues, specific = d.resolve(prefix, inner); specific {
			return withContext(issues, err, inner), true
		}
	}
	return Issues{{d.Position(prefix), prefix, err.Error(), OfValue, ""}}, false
}

// isJoin reports whether err says no more than its children do, one per line, like the errors
// of errors.Join.
func isJoin(err error, children []error) bool {
	joined := errors.Join(children...)
	return joined != nil && err.Error() == joined.Error()
}

// withContext puts the text of err before the text of the error that it wraps in front of each
// message.
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
