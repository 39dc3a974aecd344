package typeset

import (
	"fmt"
	"math"
	"strings"

	"starling/scenarios/results/tabular"
)

// latex is a floating table with the rules of booktabs; without a caption it is the tabular
// alone.
func (t *Table) latex() (string, error) {
	var out strings.Builder
	out.WriteString("% \\usepackage{booktabs}\n")
	if t.Siunitx {
		// Letters in bold in columns of numbers have a key of their own in either version.
		out.WriteString("% \\usepackage{siunitx}\n% \\sisetup{separate-uncertainty = true}\n")
		out.WriteString("% \\sisetup{text-series-to-math = true} (version 3) or \\sisetup{detect-weight = true} (version 2)\n")
	}
	caption := t.sentences()
	if caption != "" {
		out.WriteString("\\begin{table}\n\\centering\n\\caption{" + latexText(caption) + "}\n")
		out.WriteString("\\label{tab:" + labelText(t.Name) + "}\n")
	}
	out.WriteString("\\begin{tabular}{l" + t.latexColumns() + "}\n\\toprule\n")
	number := t.latexNumber
	if t.Siunitx {
		number = t.siunitxNumber
	}
	lines := t.lines(number, latexCell)
	for i := range lines[0][1:] {
		if t.Siunitx { // a column of numbers takes other text in braces
			lines[0][i+1] = "{" + lines[0][i+1] + "}"
		}
	}
	for i, cells := range lines {
		out.WriteString(strings.Join(cells, " & ") + " \\\\\n")
		if i == 0 {
			out.WriteString("\\midrule\n")
		}
	}
	out.WriteString("\\bottomrule\n\\end{tabular}\n")
	if caption != "" {
		out.WriteString("\\end{table}\n")
	}
	return out.String(), nil
}

// latexCell is latexText of a heading or a p-value. Text that begins with a bracket would be
// taken for an option of the line above.
func latexCell(text string) string {
	if strings.HasPrefix(text, "[") {
		return "{}" + latexText(text)
	}
	return latexText(text)
}

// latexText writes a text so that LaTeX prints it as it is.
func latexText(text string) string {
	var out strings.Builder
	for _, r := range flat(text) {
		if written, special := latexSpecial[r]; special {
			out.WriteString(written)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// latexSpecial are the characters that LaTeX does not print as they are.
var latexSpecial = map[rune]string{
	'\\': `\textbackslash{}`, '{': `\{`, '}': `\}`, '$': `\$`, '&': `\&`, '#': `\#`, '%': `\%`, '_': `\_`,
	'^': `\textasciicircum{}`, '~': `\textasciitilde{}`, '<': `$<$`, '>': `$>$`, '|': `$|$`, '"': `\textquotedbl{}`,
	'±': `$\pm$`, '–': `--`, '∞': `$\infty$`, '×': `$\times$`, '≤': `$\le$`, '≥': `$\ge$`,
	'−': `$-$`, '…': `\ldots{}`, '·': `$\cdot$`, '→': `$\to$`, '√': `$\surd$`, '‖': `$\Vert$`, '²': `$^{2}$`, '³': `$^{3}$`,
	'α': `$\alpha$`, 'β': `$\beta$`, 'γ': `$\gamma$`, 'δ': `$\delta$`, 'ε': `$\varepsilon$`, 'ζ': `$\zeta$`, 'η': `$\eta$`, 'θ': `$\theta$`,
	'ι': `$\iota$`, 'κ': `$\kappa$`, 'λ': `$\lambda$`, 'μ': `$\mu$`, 'ν': `$\nu$`, 'ξ': `$\xi$`, 'π': `$\pi$`, 'ρ': `$\rho$`, 'σ': `$\sigma$`,
	'τ': `$\tau$`, 'υ': `$\upsilon$`, 'φ': `$\varphi$`, 'χ': `$\chi$`, 'ψ': `$\psi$`, 'ω': `$\omega$`, 'Γ': `$\Gamma$`, 'Δ': `$\Delta$`,
	'Θ': `$\Theta$`, 'Λ': `$\Lambda$`, 'Ξ': `$\Xi$`, 'Π': `$\Pi$`, 'Σ': `$\Sigma$`, 'Φ': `$\Phi$`, 'Ψ': `$\Psi$`, 'Ω': `$\Omega$`,
}

// labelText keeps the letters, digits and hyphens of a name: the characters that labels take.
func labelText(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, name)
}

// latexNumber is a cell in mathematics.
func (t *Table) latexNumber(c *Cell) string {
	if text, ok := notFinite(c.Mean); ok {
		return text
	}
	r := t.rounded(c)
	text := r.Value
	if r.Error != "" {
		text += ` \pm ` + powerText(r.Error)
	}
	if r.Exponent != 0 {
		if r.Error != "" {
			text = "(" + text + ")"
		}
		text += fmt.Sprintf(` \times 10^{%d}`, r.Exponent)
	}
	return "$" + marked(c.Mark, text, `\mathbf{`, "}", `\underline{`, "}") + "$"
}

// notFinite is the text of a value that is no finite number; false for other values.
func notFinite(x float64) (text string, ok bool) {
	switch {
	case math.IsInf(x, 1):
		return `$\infty$`, true
	case math.IsInf(x, -1):
		return `$-\infty$`, true
	case math.IsNaN(x):
		return "NaN", true
	}
	return "", false
}

// powerText writes a number such as 1.2e-12 with a power of ten.
func powerText(text string) string {
	digits, power, exponential := strings.Cut(text, "e")
	if !exponential {
		return text
	}
	sign := ""
	if strings.HasPrefix(power, "-") {
		sign = "-"
	}
	return digits + ` \times 10^{` + sign + strings.TrimLeft(power, "+-0") + "}"
}

// siunitxNumber is a cell in a column of numbers. Underlined numbers stand in braces, as
// text: siunitx underlines none.
func (t *Table) siunitxNumber(c *Cell) string {
	if text, ok := notFinite(c.Mean); ok {
		return "{" + text + "}"
	}
	r := t.rounded(c)
	if strings.Contains(r.Error, "e") { // no uncertainty of siunitx has an exponent of its own
		return "{" + t.latexNumber(c) + "}"
	}
	text := siunitxText(r)
	return marked(c.Mark, text, `\bfseries `, "", `{\underline{\num{`, "}}}")
}

// siunitxText is a number in the input of siunitx.
func siunitxText(r tabular.Rounded) string {
	text := r.Value
	if r.Error != "" {
		text += " +- " + r.Error
	}
	if r.Exponent != 0 {
		text += fmt.Sprintf(" e%d", r.Exponent)
	}
	return text
}

// latexColumns are the types of the columns of values.
func (t *Table) latexColumns() string {
	var out strings.Builder
	for j := range t.Columns {
		if t.Siunitx {
			out.WriteString(t.siunitxColumn(j))
		} else {
			out.WriteString("r")
		}
		if t.Tests {
			out.WriteString("r")
		}
	}
	return out.String()
}

// siunitxColumn is a column of numbers with room for the widest of each part: whole digits,
// decimals, digits of the error, and exponent.
func (t *Table) siunitxColumn(j int) string {
	whole, decimals, errors, power, sign, powerSign := 1, 0, 0, 0, "", ""
	for i := range t.Rows {
		c := &t.Cells[i][j]
		if c.Key == nil {
			continue
		}
		r := t.rounded(c)
		if _, ok := notFinite(c.Mean); ok || strings.Contains(r.Error, "e") {
			continue
		}
		value, negative := strings.CutPrefix(r.Value, "-")
		if negative {
			sign = "-"
		}
		before, after, _ := strings.Cut(value, ".")
		whole, decimals = max(whole, len(before)), max(decimals, len(after))
		errors = max(errors, len(strings.TrimLeft(strings.ReplaceAll(r.Error, ".", ""), "0")))
		if r.Exponent != 0 {
			power = max(power, len(strings.TrimPrefix(fmt.Sprint(r.Exponent), "-")))
		}
		if r.Exponent < 0 {
			powerSign = "-"
		}
	}
	format := fmt.Sprintf("%s%d", sign, whole)
	if decimals > 0 {
		format += fmt.Sprintf(".%d", decimals)
	}
	if errors > 0 {
		format += fmt.Sprintf("(%d)", errors)
	}
	if power > 0 {
		format += fmt.Sprintf("e%s%d", powerSign, power)
	}
	return "S[table-format = " + format + "]"
}
