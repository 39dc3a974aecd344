package report

import (
	"html/template"
	"regexp"
	"strings"
)

// yamlToken finds the coloured parts of a line of YAML: a comment, a quoted string, a key, a
// number. A comment begins the line or follows a space.
var yamlToken = regexp.MustCompile(`(^|\s)(#.*)$|("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')|([\w.\-/=]+)(:)(?:\s|$)|(^|[\s\[,{])([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?:[\s,\]}]|$)`)

// classes are the classes of the groups of yamlToken in the stylesheet; other groups are
// plain.
var classes = map[int]string{2: "comment", 3: "string", 4: "key", 7: "number"}

// highlight is a scenario's text as HTML. It colours for the eye and does not
// parse: a line inside a block of text may be coloured like any other.
func highlight(yaml string) template.HTML {
	var out strings.Builder
	for line := range strings.Lines(yaml) {
		highlightLine(&out, line)
	}
	return template.HTML(out.String())
}

// highlightLine colours one line, token by token. All text is escaped on the way.
func highlightLine(out *strings.Builder, line string) {
	rest := strings.TrimSuffix(line, "\n")
	for rest != "" {
		match := yamlToken.FindStringSubmatchIndex(rest)
		if match == nil {
			break
		}
		for _, group := range []int{2, 3, 4, 7} {
			start, end := match[2*group], match[2*group+1]
			if start < 0 {
				continue
			}
			out.WriteString(template.HTMLEscapeString(rest[:start]))
			out.WriteString(`<span class="` + classes[group] + `">` + template.HTMLEscapeString(rest[start:end]) + `</span>`)
			// The text after the token is looked at again: it may open the next.
			rest = rest[end:]
			break
		}
	}
	out.WriteString(template.HTMLEscapeString(rest))
	if strings.HasSuffix(line, "\n") {
		out.WriteString("\n")
	}
}
