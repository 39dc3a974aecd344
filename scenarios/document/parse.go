package document

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Document is one parsed file with the values that were set in it since. It is immutable:
// changed copies share structure with the original.
type Document struct {
	root    *value
	sources []*source
}

// Parse reads one YAML document with a mapping as its root; name is the file name for
// positions. The error is of type Issues. Time and memory are bounded for any data: see
// MaxBytes and the other limits.
func Parse(name string, data []byte) (*Document, error) {
	root, s, err := parseText(name, data, true)
	if err != nil {
		return nil, err
	}
	if root.kind != Mapping {
		message := fmt.Sprintf("the document must be a mapping, not %s", root.kind)
		if root.kind == String {
			message = cmp.Or(s.colonless(root.position.Line), message)
		}
		return nil, Issues{{root.position, "", message, OfValue, ""}}
	}
	return &Document{root: root, sources: []*source{s}}, nil
}

// Root returns the document's root, a mapping.
func (d *Document) Root() *Node {
	return &Node{document: d, value: d.root, keyPosition: d.root.position}
}

// Line returns the text of the line at a position, for [Issues.Render].
func (d *Document) Line(p Position) (string, bool) {
	for _, s := range d.sources {
		if line, ok := s.line(p); ok {
			return line, true
		}
	}
	return "", false
}

// parseText parses a file, or without markers a single value of any kind.
func parseText(name string, data []byte, markers bool) (root *value, s *source, err error) {
	text, err := checkText(name, data)
	if err != nil {
		return nil, nil, err
	}
	s = newSource(name, text)
	// The library is not ours: a panic of it is treated as bad input.
	defer func() {
		if cause := recover(); cause != nil {
			root, s, err = nil, nil, Issues{{Position{name, 1, 1}, "", fmt.Sprintf("the YAML parser failed: %v", cause), OfValue, ""}}
		}
	}()
	tokens, err := tokenize(s, text, markers)
	if err != nil {
		return nil, nil, err
	}
	if len(tokens) == 0 {
		message := "empty: there is nothing in it but comments"
		if strings.TrimSpace(text) == "" {
			message = "empty"
		}
		return nil, nil, Issues{{s.at(1, 1), "", message, NoContent, ""}}
	}
	root, err = build(s, tokens)
	return root, s, err
}

// build parses the tokens and turns the library's tree into values.
func build(s *source, tokens token.Tokens) (*value, error) {
	// Duplicate keys are left to the builder, which knows both positions.
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, Issues{syntaxIssue(s, err, tokens)}
	}
	b := builder{source: s, scalars: scalarTokens(tokens)}
	if len(file.Docs) != 1 {
		return nil, Issues{{s.at(1, 1), "", "there must be exactly one document", OfValue, ""}}
	}
	root := b.value(file.Docs[0].Body, s.at(1, 1))
	if len(b.scalars) > 0 {
		b.refuse(b.at(b.scalars[0]), notUnderstood)
	}
	if len(b.issues) > 0 {
		return nil, b.issues.Sorted()
	}
	return root, nil
}

// noMapping is the parser's message about a line without a colon among keys.
const noMapping = "non-map value is specified"

// plainer has this package's wording for the parser's messages about the most frequent slips.
var plainer = map[string]string{
	noMapping: "a key needs a colon and a value",
	"mapping value is not allowed in this context":                       "a plain value cannot contain a colon and a space; use quotes",
	"value is not allowed in this context":                               "this line begins in another column than the lines of the mapping that it belongs to",
	"value is not allowed in this context. map key-value is pre-defined": "the key above has a value already, and nothing can stand below it",
	"could not find flow mapping end token '}'":                          "this { is never closed",
	"sequence end token ']' not found":                                   "this [ is never closed",
	"block sequence entries are not allowed in this context":             "a list with dashes begins on the line after its key",
	"could not find end character of double-quoted text":                 "this quote is never closed",
	"could not find map value":                                           "a key needs a value after its colon",
	"could not find value for mapping key":                               "a key needs a value after its colon",
	"could not find flow map content":                                    "a key stands between { and }, with a colon and a value",
	"could not find multi-line content":                                  "there is no text below this | or >",
	"',' or '}' must be specified":                                       "a comma or } is missing before this",
	"',' or ']' must be specified":                                       "a comma or ] is missing before this",
	"could not find end character of single-quoted text":                 "this quote is never closed",
	"could not find '[' character corresponding to ']'":                  "this ] has no [ before it",
	"could not find '{' character corresponding to '}'":                  "this } has no { before it",
}

// syntaxIssue puts the parser's error, which comes with an excerpt of several
// lines, into the form of an Issue.
func syntaxIssue(s *source, err error, tokens token.Tokens) Issue {
	var syntax *yaml.SyntaxError
	if errors.As(err, &syntax) && syntax.Token != nil && syntax.Token.Position != nil {
		if open := stillOpen(tokens, syntax.Token); open != nil && strings.HasSuffix(syntax.Message, "must be specified") {
			return Issue{Position: s.at(open.Position.Line, open.Position.Column), Message: "this " + open.Value + " is never closed"}
		}
		at, message := s.at(syntax.Token.Position.Line, syntax.Token.Position.Column), cmp.Or(plainer[syntax.Message], syntax.Message)
		if syntax.Message == noMapping {
			message = cmp.Or(s.colonless(at.Line), message)
		}
		return Issue{Position: at, Message: message}
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return Issue{Position: s.at(1, 1), Message: first}
}

// stillOpen returns the brace or bracket that is open where the parser stopped, if the line of that
// token begins no further right than the line of the brace: it is then no line within the
// braces. Else it is nil.
func stillOpen(tokens token.Tokens, at *token.Token) *token.Token {
	var open token.Tokens
	first := map[int]int{} // the column in which a line begins
	for _, tk := range tokens {
		p := tk.Position
		if _, known := first[p.Line]; !known {
			first[p.Line] = p.Column
		}
		if p.Line > at.Position.Line || p.Line == at.Position.Line && p.Column >= at.Position.Column {
			break
		}
		switch tk.Type {
		case token.MappingStartType, token.SequenceStartType:
			open = append(open, tk)
		case token.MappingEndType, token.SequenceEndType:
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		}
	}
	if len(open) == 0 {
		return nil
	}
	last := open[len(open)-1]
	for line := last.Position.Line + 1; line <= at.Position.Line; line++ {
		if column, some := first[line]; some && column <= first[last.Position.Line] {
			return last
		}
	}
	return nil
}

// scalarTokens returns the tokens that must each become one scalar of the
// tree. A block scalar counts by its header.
func scalarTokens(tokens token.Tokens) token.Tokens {
	var scalars token.Tokens
	for i, tk := range tokens {
		switch tk.Indicator {
		case token.NotIndicator, token.QuotedScalarIndicator:
			if i > 0 && tokens[i-1].Indicator == token.BlockScalarIndicator {
				continue
			}
			scalars = append(scalars, tk)
		case token.BlockScalarIndicator:
			scalars = append(scalars, tk)
		}
	}
	return scalars
}

// builder makes values from the library's tree.
type builder struct {
	source  *source
	scalars token.Tokens // not yet in the tree
	misread bool         // the parser's tree has other scalars than the text
	issues  Issues
}

func (b *builder) at(tk *token.Token) Position {
	return b.source.at(tk.Position.Line, tk.Position.Column)
}

func (b *builder) refuse(p Position, format string, arguments ...any) {
	b.issues = append(b.issues, Issue{Position: p, Message: fmt.Sprintf(format, arguments...)})
}

// take checks that the scalar of a node is the next one of the text: the tree
// must hold all of them, in order, or the parser misread the text.
func (b *builder) take(tk *token.Token) {
	if !b.misread && len(b.scalars) > 0 && b.scalars[0] == tk {
		b.scalars = b.scalars[1:]
		return
	}
	if !b.misread {
		b.refuse(b.at(tk), notUnderstood)
	}
	b.misread, b.scalars = true, nil
}

// value converts a node. The token check has bounded its depth. absent is the position of a
// value that is not written at all.
func (b *builder) value(node ast.Node, absent Position) *value {
	switch n := node.(type) {
	case *ast.MappingNode:
		return b.mapping(n)
	case *ast.SequenceNode:
		return b.sequence(n)
	case *ast.LiteralNode:
		b.take(n.Start)
		return &value{kind: String, position: b.at(n.Start), text: canonical(n.Value.Value), str: n.Value.Value}
	case ast.ScalarNode:
		return b.scalar(n.GetToken(), absent)
	}
	b.refuse(absent, notUnderstood)
	return &value{kind: Null, position: absent}
}

func (b *builder) scalar(tk *token.Token, absent Position) *value {
	if tk.Type == token.ImplicitNullType {
		return &value{kind: Null, position: absent, text: "null"}
	}
	b.take(tk)
	if tk.Indicator == token.QuotedScalarIndicator {
		return &value{kind: String, position: b.at(tk), text: canonical(tk.Value), str: tk.Value}
	}
	kind := classify(tk.Value)
	if kind == String {
		return &value{kind: String, position: b.at(tk), text: canonical(tk.Value), str: tk.Value}
	}
	return &value{kind: kind, position: b.at(tk), text: tk.Value}
}

func (b *builder) mapping(n *ast.MappingNode) *value {
	v := &value{kind: Mapping, position: b.at(n.Start)}
	seen := make(map[string]Position, len(n.Values))
	for i, pair := range n.Values {
		key, position := b.key(pair.Key)
		if i == 0 && !n.IsFlowStyle {
			v.position = position
		}
		if first, ok := seen[key]; ok {
			b.refuse(position, "duplicate key %q; the first is at %d:%d", key, first.Line, first.Column)
		} else {
			seen[key] = position
		}
		child := b.value(pair.Value, position)
		if !n.IsFlowStyle {
			b.indented(position, child, pair.Value)
		}
		v.entries = append(v.entries, entry{key, position, child})
	}
	return v
}

// indented checks that a value on a line of its own is indented below its key;
// only a block sequence may begin at the column of the key. The parser lets
// other values through.
func (b *builder) indented(key Position, v *value, node ast.Node) {
	sequence, ok := node.(*ast.SequenceNode)
	least := key.Column + 1
	if ok && !sequence.IsFlowStyle {
		least = key.Column
	}
	if v.position.Line > key.Line && v.position.Column < least {
		message := "a value must be indented below its key"
		if v.kind == String {
			message = cmp.Or(b.source.colonless(v.position.Line), message)
		}
		b.refuse(v.position, "%s", message)
	}
}

// key returns the text of a key, which must be a string.
func (b *builder) key(node ast.MapKeyNode) (string, Position) {
	tk := node.GetToken()
	position := b.at(tk)
	b.take(tk)
	quoted := tk.Indicator == token.QuotedScalarIndicator
	if !quoted && (tk.Indicator != token.NotIndicator || classify(tk.Value) != String) {
		b.refuse(position, "a key must be a string; write %q in quotes if that is meant", tk.Value)
	}
	return tk.Value, position
}

func (b *builder) sequence(n *ast.SequenceNode) *value {
	v := &value{kind: Sequence, position: b.at(n.Start)}
	for _, item := range n.Values {
		if pair, ok := item.(*ast.MappingNode); ok && n.IsFlowStyle && !pair.IsFlowStyle {
			b.refuse(b.at(pair.Values[0].Key.GetToken()), "a mapping in brackets needs braces: [{key: value}]")
		}
		v.items = append(v.items, b.value(item, v.position))
	}
	return v
}
