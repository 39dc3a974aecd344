package document

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/goccy/go-yaml/scanner"
	"github.com/goccy/go-yaml/token"
)

// notUnderstood is the fault where the library's reading and the text disagree.
const notUnderstood = "this is not understood"

// tokenize splits the text of s into tokens and checks them; see tokenCheck.
// It returns the tokens that the parser needs: no comments, no document markers.
func tokenize(s *source, text string, markers bool) (token.Tokens, error) {
	var (
		all     token.Tokens
		scanned scanner.Scanner
	)
	if !strings.HasSuffix(text, "\n") {
		text += "\n" // the scanner folds a last line without it wrongly
	}
	scanned.Init(text)
	for {
		some, err := scanned.Scan()
		all.Add(some...)
		if errors.Is(err, io.EOF) {
			break
		}
		if invalid := all.InvalidToken(); invalid != nil {
			return nil, Issues{{s.at(invalid.Position.Line, invalid.Position.Column), "", cmp.Or(plainer[invalid.Error], invalid.Error), OfValue, ""}}
		}
		if err != nil {
			return nil, Issues{{s.at(1, 1), "", err.Error(), OfValue, ""}}
		}
	}
	none := &token.Token{Position: &token.Position{}}
	check := tokenCheck{source: s, line: 1, markers: markers, previous: none}
	for i, tk := range all {
		if message := check.next(tk, all[i+1:]); message != "" {
			if open := stillOpen(all, tk); open != nil { // the cause of whatever follows
				return nil, Issues{{s.at(open.Position.Line, open.Position.Column), "", "this " + open.Value + " is never closed", OfValue, ""}}
			}
			return nil, Issues{{check.position(), "", message, OfValue, ""}}
		}
	}
	if message := check.item(nil, nil); message != "" {
		return nil, Issues{{check.position(), "", message, OfValue, ""}}
	}
	return check.kept, nil
}

// tokenCheck follows the tokens through the source text. It refuses the parts
// of YAML that the package leaves out and everything over a limit, before the
// recursive parser sees them; and it makes sure that each token stands in the
// text just where the one before ended, so that no part of the text is
// skipped, and sets its position from that. (The scanner's columns are off
// after trailing spaces.)
type tokenCheck struct {
	source  *source
	markers bool // whether --- and ... may be around the document
	index   int  // in source.runes: the start of the token, afterwards its end
	line    int  // of index

	previous *token.Token // the last one that was no comment, of no type before the first
	kept     token.Tokens
	ended    bool // by ...
	keys     int
	flow     []token.Type // the openings of the brackets and braces that are open
	block    []level      // open block collections
}

// level is one block collection, by the column of its keys or dashes. A
// sequence may stand at the column of the mapping that it is in.
type level struct {
	column   int
	sequence bool
}

func (c *tokenCheck) position() Position {
	return c.source.at(c.line, c.column())
}

func (c *tokenCheck) column() int { return c.index - c.source.starts[c.line-1] + 1 }

// skipSpace moves to the next character that is neither space nor line break.
func (c *tokenCheck) skipSpace() {
	for c.index < len(c.source.runes) {
		switch c.source.runes[c.index] {
		case '\n':
			c.line++
		case ' ':
		default:
			return
		}
		c.index++
	}
}

// next checks one token and moves past it; rest are the ones after it. It returns the fault;
// the check's position is its place.
func (c *tokenCheck) next(tk *token.Token, rest token.Tokens) string {
	if c.isBlockText(tk) {
		if len(tk.Value) > MaxValueLength {
			return tooLong
		}
		return c.blockText(tk, rest)
	}
	c.skipSpace()
	if tk.Type == token.CommentType {
		c.skipLine()
		return ""
	}
	if len(tk.Value) > MaxValueLength {
		return tooLong
	}
	if message := c.unsupported(tk); message != "" {
		return message
	}
	tk.Position.Line, tk.Position.Column = c.line, c.column()
	for _, check := range []func(*token.Token, token.Tokens) string{c.document, c.item, c.nesting, c.key, c.match} {
		if message := check(tk, rest); message != "" {
			return message
		}
	}
	c.previous = tk
	if tk.Type != token.DocumentHeaderType && tk.Type != token.DocumentEndType {
		c.kept = append(c.kept, tk)
	}
	return ""
}

// tooLong is the fault of a value over its limit.
var tooLong = fmt.Sprintf("a value is longer than %d bytes", MaxValueLength)

// unsupported returns the fault of a token of a part of YAML that is left out, or of an empty
// flow entry, which the parser lets through.
func (c *tokenCheck) unsupported(tk *token.Token) string {
	switch tk.Type {
	case token.AnchorType:
		return "anchors (&name) are not supported; write the value out"
	case token.AliasType:
		return "aliases (*name) are not supported; write the value out"
	case token.MergeKeyType:
		return "merge keys (<<) are not supported; write the values out"
	case token.TagType:
		return "tags (!name) are not supported"
	case token.DirectiveType:
		return "directives (%NAME) are not supported"
	case token.MappingKeyType:
		return "complex keys (? key) are not supported"
	case token.CollectEntryType:
		switch c.previous.Type {
		case token.CollectEntryType, token.SequenceStartType, token.MappingStartType:
			return "there is no value before the comma"
		}
	case token.SequenceEntryType:
		if len(c.flow) > 0 {
			return "dashes are not supported within brackets"
		}
	case token.LiteralType, token.FoldedType:
		if len(c.flow) > 0 {
			return "blocks (| and >) are not supported within brackets"
		}
		if header := tk.Value[1:]; header != "" && header != "-" {
			return fmt.Sprintf("a block begins with one of | |- > >-, not %s", tk.Value)
		}
	}
	return ""
}

// document allows one --- before everything else and one ... after it.
func (c *tokenCheck) document(tk *token.Token, _ token.Tokens) string {
	const several = "a second document begins here; there must be exactly one"
	switch {
	case tk.Type == token.DocumentHeaderType || tk.Type == token.DocumentEndType:
		if !c.markers {
			return "document markers are not allowed in a value"
		}
		if c.ended || c.previous.Type != token.UnknownType && tk.Type == token.DocumentHeaderType {
			return several
		}
		c.ended = tk.Type == token.DocumentEndType
	case c.ended:
		return several
	case c.previous.Type == token.DocumentHeaderType && c.previous.Position.Line == c.line:
		return "the document must begin on the line after ---"
	}
	return ""
}

// nesting follows the depth of nesting and refuses more than MaxDepth.
func (c *tokenCheck) nesting(tk *token.Token, rest token.Tokens) string {
	switch tk.Type {
	case token.SequenceStartType, token.MappingStartType:
		c.flow = append(c.flow, tk.Type)
	case token.SequenceEndType, token.MappingEndType:
		c.flow = c.flow[:max(len(c.flow)-1, 0)]
	default:
		sequence := tk.Type == token.SequenceEntryType
		if len(c.flow) == 0 && (sequence || isKey(rest)) {
			c.openBlock(level{tk.Position.Column, sequence})
		}
	}
	if len(c.block)+len(c.flow) > MaxDepth {
		return fmt.Sprintf("nested more than %d levels deep", MaxDepth)
	}
	return ""
}

// isKey reports whether the token before rest is a key: a colon follows.
func isKey(rest token.Tokens) bool {
	return len(rest) > 0 && rest[0].Type == token.MappingValueType
}

// openBlock closes the block collections that an entry of l ends, and opens
// its own unless it is a further entry of one that is open.
func (c *tokenCheck) openBlock(l level) {
	for len(c.block) > 0 {
		top := c.block[len(c.block)-1]
		if top == l {
			return
		}
		if top.column < l.column || top.column == l.column && l.sequence {
			break
		}
		c.block = c.block[:len(c.block)-1]
	}
	c.block = append(c.block, l)
}

// key checks the number and length of keys, and refuses keys without a colon.
func (c *tokenCheck) key(tk *token.Token, rest token.Tokens) string {
	if !isKey(rest) {
		return c.bareKey(tk)
	}
	if c.keys++; c.keys > MaxKeys {
		return fmt.Sprintf("more than %d keys", MaxKeys)
	}
	if len([]rune(tk.Value)) > MaxKeyLength {
		return fmt.Sprintf("a key is longer than %d characters", MaxKeyLength)
	}
	return ""
}

// bareKey refuses a key in braces without a colon. YAML gives it the value
// null; the parser's time for many of them grows with their square.
func (c *tokenCheck) bareKey(tk *token.Token) string {
	if len(c.flow) == 0 || c.flow[len(c.flow)-1] != token.MappingStartType {
		return ""
	}
	first := c.previous.Type == token.MappingStartType || c.previous.Type == token.CollectEntryType
	if first && (tk.Indicator == token.NotIndicator || tk.Indicator == token.QuotedScalarIndicator) {
		return cmp.Or(withColon("a key has no colon", tk.Value), "a key needs a colon and a value")
	}
	return ""
}

// item refuses an empty item of a block sequence, given the token after its
// dash or nil at the end: it is mostly a slip, and the parser's time for many of
// them grows with their square.
func (c *tokenCheck) item(tk *token.Token, _ token.Tokens) string {
	if c.previous.Type != token.SequenceEntryType {
		return ""
	}
	dash := c.previous.Position
	if tk != nil && (tk.Position.Line == dash.Line || tk.Position.Column > dash.Column) {
		return ""
	}
	c.line, c.index = dash.Line, c.source.starts[dash.Line-1]+dash.Column-1
	return "an item of a sequence is empty; write null if that is meant"
}

// isBlockText reports whether the token is the text of a block scalar. The header came before
// it.
func (c *tokenCheck) isBlockText(tk *token.Token) bool {
	return tk.Type == token.StringType &&
		(c.previous.Type == token.LiteralType || c.previous.Type == token.FoldedType)
}

// blockText moves to the line of the next token, before which the text of a
// block scalar ends. The text cannot begin with a blank line, as the scanner
// folds such text wrongly.
func (c *tokenCheck) blockText(tk *token.Token, rest token.Tokens) string {
	c.skipLine()
	if first, ok := c.source.line(c.source.at(c.line+1, 1)); ok && strings.TrimSpace(first) == "" && tk.Value != "" {
		return "a block cannot begin with a blank line"
	}
	end := len(c.source.starts) + 1
	if len(rest) > 0 {
		end = rest[0].Position.Line
	}
	if end < c.line || end > len(c.source.starts)+1 {
		return notUnderstood
	}
	c.line, c.index = end, len(c.source.runes)
	if end <= len(c.source.starts) {
		c.index = c.source.starts[end-1]
	} else {
		c.line = len(c.source.starts)
	}
	c.previous = tk
	c.kept = append(c.kept, tk)
	return ""
}

// skipLine moves to the end of the line.
func (c *tokenCheck) skipLine() {
	for c.peek(0) != '\n' {
		c.index++
	}
}
