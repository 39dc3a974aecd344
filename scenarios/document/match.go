package document

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/token"
)

// match compares the token with the text at index and moves index past it. It returns the
// fault, or "" if there is none. The check exists because the scanner accepts more than YAML
// does, and may read it in another way: a file is refused where the two could differ.
func (c *tokenCheck) match(tk *token.Token, rest token.Tokens) string {
	switch tk.Type {
	case token.SingleQuoteType:
		return c.singleQuoted()
	case token.DoubleQuoteType:
		return c.doubleQuoted()
	case token.MappingValueType:
		return c.colon()
	}
	if tk.Indicator == token.NotIndicator && tk.Type != token.DocumentHeaderType && tk.Type != token.DocumentEndType {
		if message := c.plain(tk, rest); message != "" {
			return message
		}
	}
	value := []rune(tk.Value)
	if !c.startsWith(value) {
		return notUnderstood
	}
	c.index += len(value)
	return ""
}

// startsWith reports whether the text at index begins with a value.
func (c *tokenCheck) startsWith(value []rune) bool {
	return len(value) <= len(c.source.runes)-c.index && string(c.source.runes[c.index:c.index+len(value)]) == string(value)
}

// peek returns the character at a distance from index, and a line break at the
// end of the text.
func (c *tokenCheck) peek(distance int) rune {
	if i := c.index + distance; i < len(c.source.runes) {
		return c.source.runes[i]
	}
	return '\n'
}

// colon requires a space where YAML does: {a:1} has the key "a:1", which the
// scanner and most people read as something else.
func (c *tokenCheck) colon() string {
	if c.peek(0) != ':' {
		return notUnderstood
	}
	if c.previous.Position.Line != c.line {
		return "a colon must stand on the line of its key"
	}
	quoted := c.previous.Indicator == token.QuotedScalarIndicator
	if !quoted && !strings.ContainsRune(" \n,[]{}", c.peek(1)) {
		return "a space must follow the colon"
	}
	c.index++
	return ""
}

// plain refuses plain scalars that YAML would end earlier, and those that continue on a further
// line: where that line has a colon, the one before lacks its own. rest are the tokens after it.
func (c *tokenCheck) plain(tk *token.Token, rest token.Tokens) string {
	value := tk.Value
	switch {
	case strings.Contains(value, "\n") || !c.startsWith([]rune(value)) && strings.Contains(strings.TrimSpace(tk.Origin), "\n"):
		const over = "a plain value must end on its line; use quotes, or a block (| or >) for a text"
		if isKey(rest) && (c.beginsLine() || c.previous.Type == token.SequenceEntryType) {
			return cmp.Or(c.source.colonless(c.line), over)
		}
		if isKey(rest) && len(c.flow) == 0 {
			return fmt.Sprintf("line %d is indented more than its neighbours, and so continues this value", c.line+max(1, strings.Count(strings.TrimSpace(tk.Origin), "\n")))
		}
		return over
	case c.beginsLine() && beforeBracket.MatchString(value):
		return c.source.colonless(c.line)
	case strings.ContainsAny(value[:1], ",[]{}#&*!|>'\"%@`"),
		strings.ContainsAny(value[:1], "-?:") && (len(value) == 1 || value[1] == ' '):
		return fmt.Sprintf("a plain value cannot begin with %q; use quotes", value[:1])
	case strings.Contains(value, ": ") || strings.HasSuffix(value, ":"):
		if before, _, _ := strings.Cut(value, ":"); len(c.flow) > 0 && strings.Contains(before, " ") {
			return fmt.Sprintf("a comma is missing before %q; or use quotes for a value with a colon and a space", before[strings.LastIndex(before, " ")+1:])
		}
		return "a plain value cannot contain a colon and a space; use quotes"
	case len(c.flow) > 0 && strings.ContainsAny(value, ",[]{}"):
		return "a plain value in brackets cannot contain any of , [ ] { }; use quotes"
	}
	return ""
}

const unclosed = "a quoted string must end on its line; use \\n in double quotes, or a block (| or >) for a text"

// beginsLine reports whether the token at index is the first of its line, where a key would stand.
func (c *tokenCheck) beginsLine() bool { return len(c.flow) == 0 && c.previous.Position.Line < c.line }

// singleQuoted moves past a string in single quotes, in which two quotes are one
// character.
func (c *tokenCheck) singleQuoted() string {
	if c.peek(0) != '\'' {
		return notUnderstood
	}
	for i := 1; c.peek(i) != '\n'; i++ {
		if c.peek(i) != '\'' {
			continue
		}
		if c.peek(i+1) != '\'' {
			c.index += i + 1
			return ""
		}
		i++
	}
	return unclosed
}

// doubleQuoted also checks the escapes, since the scanner takes any characters
// for hexadecimal digits.
func (c *tokenCheck) doubleQuoted() string {
	if c.peek(0) != '"' {
		return notUnderstood
	}
	for i := 1; c.peek(i) != '\n'; i++ {
		switch c.peek(i) {
		case '"':
			c.index += i + 1
			return ""
		case '\\':
			i++
			size := map[rune]int{'x': 2, 'u': 4, 'U': 8}[c.peek(i)]
			if size == 0 {
				continue
			}
			if !c.isCharacter(i+1, size) {
				c.index += i - 1
				return fmt.Sprintf("invalid escape: \\%c needs the %d hexadecimal digits of a character", c.peek(1), size)
			}
			i += size
		}
	}
	return unclosed
}

// isCharacter reports whether size hexadecimal digits at a distance from index
// are the number of a Unicode character.
func (c *tokenCheck) isCharacter(distance, size int) bool {
	digits := make([]rune, size)
	for i := range digits {
		digits[i] = c.peek(distance + i)
	}
	code, err := strconv.ParseUint(string(digits), 16, 32)
	return err == nil && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
}
