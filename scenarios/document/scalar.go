package document

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// The forms of the YAML 1.2.2 core schema, section 10.3.2.
var (
	integerForm = regexp.MustCompile(`^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$`)
	floatForm   = regexp.MustCompile(`^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$`)
)

// classify returns the kind of a plain scalar by the core schema of YAML 1.2.2: yes, no,
// on and off are strings there, and 010 is ten. text is as it stands in the file.
func classify(text string) Kind {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return Null
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return Bool
	case ".nan", ".NaN", ".NAN":
		return Float
	}
	// One sign may stand before an infinity, and none before NaN.
	switch strings.TrimLeft(text[:1], "+-") + text[1:] {
	case ".inf", ".Inf", ".INF":
		return Float
	}
	switch {
	case integerForm.MatchString(text):
		return Integer
	case floatForm.MatchString(text):
		return Float
	}
	return String
}

// plainForm matches the strings that are written without quotes. It is narrower than YAML
// allows, and so holds in flow and in block context alike.
var plainForm = regexp.MustCompile(`^[\p{L}\p{N}_/][\p{L}\p{N}_./+-]*(?: [\p{L}\p{N}_./+()-]+)*$`)

// canonical returns the canonical form of a string: plain where that is read back as the same
// string, otherwise in double quotes.
func canonical(value string) string {
	if plainForm.MatchString(value) && classify(value) == String {
		return value
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range value {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == ' ' || unicode.IsGraphic(r) && !unicode.IsSpace(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// parseFloat returns the value of a number's text. It refuses NaN, and a number that
// float64 can hold only as infinity or as zero: 1e-400 is no 0, and its scenario would run
// with a value that was not written.
func parseFloat(kind Kind, text string) (float64, error) {
	if kind == Integer && len(text) > 2 && (text[1] == 'o' || text[1] == 'x') {
		u, err := strconv.ParseUint(text, 0, 64)
		if err != nil {
			return 0, fmt.Errorf("expected a number, but %s is out of range", shorten(text))
		}
		return float64(u), nil
	}
	switch trimmed := strings.TrimLeft(strings.ToLower(text), "+-"); trimmed {
	case ".nan":
		return 0, fmt.Errorf("expected a number, got %s", text)
	case ".inf":
		text = strings.Replace(text, ".", "", 1)
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f == 0 && strings.ContainsAny(mantissa(text), "123456789") {
		return 0, fmt.Errorf("expected a number, but %s is out of range", shorten(text))
	}
	return f, nil
}

// mantissa returns a number's text without its exponent.
func mantissa(text string) string {
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		return text[:i]
	}
	return text
}

// integerText returns an integer in the form that strconv reads with base 0 or 10, given the
// text of a number with an integral value: 1e3 becomes 1000. It works on the decimal digits,
// so it is exact where a float64 would round. It returns false where the number is not
// integral or has more than 20 digits.
//
// With the digits D without leading zeros, S the same without trailing zeros, f digits
// after the point and the exponent e, the value is S times ten to the power len(D) -
// len(S) + e - f.
func integerText(kind Kind, text string) (string, bool) {
	if kind == Integer {
		if strings.Trim(text, "-0") == "" {
			return "0", true // ParseUint takes no -0
		}
		return strings.TrimPrefix(text, "+"), true
	}
	digits, exponentText := mantissa(text), ""
	if len(digits) < len(text) {
		exponentText = text[len(digits)+1:]
	}
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign = "-"
	}
	whole, fraction, _ := strings.Cut(strings.TrimLeft(digits, "+-"), ".")
	digits = strings.TrimLeft(whole+fraction, "0")
	significant := strings.TrimRight(digits, "0")
	if strings.Trim(digits, "0123456789") != "" {
		return "", false // .inf and .nan
	}
	if significant == "" {
		return "0", true
	}
	exponent := 0
	if exponentText != "" {
		var err error
		if exponent, err = strconv.Atoi(exponentText); err != nil {
			return "", false
		}
	}
	const limit = 1 << 30 // keeps the sum below from overflowing
	if exponent > limit || exponent < -limit {
		return "", false
	}
	zeros := len(digits) - len(significant) + exponent - len(fraction)
	if zeros < 0 || len(significant)+zeros > 20 {
		return "", false
	}
	return sign + significant + strings.Repeat("0", zeros), true
}

// shorten cuts a text for use in a message.
func shorten(text string) string {
	const limit = 40
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	return string(runes[:limit]) + "..."
}
