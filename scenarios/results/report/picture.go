package report

import (
	"bytes"
	"fmt"
	"html"
	"html/template"
	"regexp"
	"strconv"
	"strings"

	"starling/scenarios/results/figure"
)

// Pieces of the SVG of a figure.
var (
	svgBox   = regexp.MustCompile(`viewBox="([^"]*)"`)
	svgStyle = regexp.MustCompile(`\sstyle="([^"]*)"`)
	svgPlace = regexp.MustCompile(`<text x="[^"]*" y="-([0-9.]+)" transform="scale\(1, -1\)"`)
	svgText  = regexp.MustCompile(`(<text [^>]*font-weight:(\w+);[^>]*font-size:([0-9.]+)px[^>]*)>([^<]*)<`)
)

// usual are the properties of texts that the page's stylesheet has, or that are the initial ones.
var usual = map[string]bool{"font-family": true, "font-variant": true, "font-style": true}

// captionOf is the title of a figure for the page; empty for a map of cells, whose heading on the page
// states the metric.
func captionOf(f figure.Figure) string {
	if f.Cells != nil {
		return ""
	}
	return figure.Plain(f.Title)
}

// picture is a figure as SVG: the drawing of the file of the figure, on white, without the title, which
// the page has. The page's policy forbids attributes of style, in whose place it has attributes of
// presentation. Texts keep their widths where the reader has other fonts.
func picture(f figure.Figure) (template.HTML, error) {
	label := strings.TrimSpace(figure.Plain(f.Title) + ". " + figure.Plain(f.Note))
	f.Title = ""
	if f.Cells != nil && !f.Cells.Dots {
		f.YLabel = ""
	}
	var file bytes.Buffer
	if err := figure.WriteSVG(f, &file); err != nil {
		return "", fmt.Errorf("report: %w", err)
	}
	text := file.String()
	box := svgBox.FindStringSubmatch(text)
	begin, end := strings.Index(text, "<g "), strings.LastIndex(text, "</svg>")
	if box == nil || begin < 0 || end < begin {
		return "", fmt.Errorf("report: the picture of figure %q is no SVG", f.Title)
	}
	shown := box[1]
	if f.Cells != nil {
		shown = cropped(text[begin:end], box[1])
	}
	drawing := svgText.ReplaceAllStringFunc(text[begin:end], func(text string) string {
		part := svgText.FindStringSubmatch(text)
		size, _ := strconv.ParseFloat(part[3], 64) // matched as a number
		width := figure.TextWidth(html.UnescapeString(part[4]), size, part[2] == "bold")
		if width == 0 {
			return text
		}
		return fmt.Sprintf(`%s textLength="%.4g" lengthAdjust="spacingAndGlyphs">%s<`, part[1], width, part[4])
	})
	drawing = svgStyle.ReplaceAllStringFunc(drawing, func(style string) string {
		return presentation(svgStyle.FindStringSubmatch(style)[1])
	})
	return template.HTML(fmt.Sprintf(`<svg class="picture" viewBox="%s" role="img" aria-label="%s">%s</svg>`, shown, html.EscapeString(label), drawing)), nil
}

// headRoom is the room above the base line of the highest text of a map of cells.
const headRoom = 18

// cropped is a viewBox without the blank above the highest text, where the title would stand.
func cropped(drawing, box string) string {
	var left, top, width, height float64
	if n, err := fmt.Sscanf(box, "%g %g %g %g", &left, &top, &width, &height); n < 4 || err != nil {
		return box
	}
	highest := 0.0
	for _, place := range svgPlace.FindAllStringSubmatch(drawing, -1) {
		y, _ := strconv.ParseFloat(place[1], 64) // matched as a number
		highest = max(highest, y)
	}
	if blank := height - highest - headRoom; highest > 0 && blank > 0 {
		return fmt.Sprintf("%g %.4g %g %.4g", left, top+blank, width, height-blank)
	}
	return box
}

// presentation returns the attributes of presentation with the properties of a style.
func presentation(style string) string {
	var out strings.Builder
	for property := range strings.SplitSeq(style, ";") {
		name, value, ok := strings.Cut(strings.TrimSpace(property), ":")
		if ok && !usual[name] && !(name == "font-weight" && value == "normal") {
			fmt.Fprintf(&out, ` %s="%s"`, name, value)
		}
	}
	return out.String()
}
