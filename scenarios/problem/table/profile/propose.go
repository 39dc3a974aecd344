package profile

import (
	"fmt"
	"strconv"
	"strings"

	"starling/scenarios/problem/dataset"
	"starling/scenarios/problem/table"
)

// Key is a key of the section problem with its value as YAML.
type Key struct{ Name, Value string }

// The defaults of what is proposed.
const (
	testShare   = "0.2"
	mostLevels  = 50 // of a column of words
	fewestLevel = 10 // training rows of a level
)

// Keys proposes the keys of a problem with the rows of the file, in the order of the section: all
// but its kind. file is the path that the scenario names. Keys that are absent have their default.
func (p *Profile) Keys(file string) []Key {
	keys := []Key{{"file", quoted(file)}}
	if format := p.formatKey(); format != "" {
		keys = append(keys, Key{"format", format})
	}
	for _, c := range p.Columns {
		if c.Use == Party || c.Use == Step || c.Use == Label {
			keys = append(keys, Key{string(c.Use), quoted(c.Name)})
		}
	}
	add := func(name string, columns []string) {
		if columns != nil {
			keys = append(keys, Key{name, "[" + strings.Join(columns, ", ") + "]"})
		}
	}
	add("words", p.columnsOf(func(c *Column) bool {
		return c.Type == Word && (c.Use == Feature || c.Use == Label && c.looks[dataset.Number] > 0)
	}))
	add("booleans", p.columnsOf(func(c *Column) bool {
		return c.Type == Boolean && (c.Use == Feature || c.Use == Label && c.Distinct > 2) // Yes and yes
	}))
	if times := p.columnsOf(func(c *Column) bool { return c.Use == Feature && c.Type == Time }); times != nil {
		keys = append(keys, Key{"times", "{" + strings.Join(times, ": parts, ") + ": parts}"})
	}
	if p.Lone > 0 { // a party is tested on one row and learns from another
		keys = append(keys, Key{"least", "2"}, Key{"small", table.SmallDrop})
	}
	add("exclude", p.columnsOf((*Column).excluded))
	if missing := p.missingKey(); missing != "" {
		keys = append(keys, Key{"missing", missing})
	}
	if p.many() {
		keys = append(keys, Key{"rare", strconv.Itoa(fewestLevel)}, Key{"levels", strconv.Itoa(mostLevels)})
	}
	test := "{share: " + testShare + "}"
	if split := p.columnsOf(func(c *Column) bool { return c.Use == Split }); split != nil {
		test = "{column: " + split[0] + "}"
	}
	keys = append(keys, Key{"standardise", "rows"}, Key{"test", test})
	if p.Parties == 0 {
		keys = append(keys, Key{"partition", "{kind: iid}"})
	}
	return append(keys, Key{"model", "{kind: " + p.Model() + "}"})
}

// Model returns the kind of model that suits the label.
func (p *Profile) Model() string {
	switch classes := p.Classes(); {
	case classes == 2:
		return "logistic"
	case classes > 0:
		return "softmax"
	}
	return "linear"
}

// excluded reports whether a column is named by exclude: it is no feature, and a reader of the
// table would not leave it out by itself.
func (c *Column) excluded() bool {
	if c.Use != Left && c.Use != Identifier || c.column.Index() || c.column.Identifies() {
		return false
	}
	return c.Type != Empty && c.Type != Unread && c.Type != Word
}

// columnsOf returns the quoted names of columns.
func (p *Profile) columnsOf(of func(*Column) bool) (names []string) {
	for _, c := range p.Columns {
		if of(c) {
			names = append(names, quoted(c.Name))
		}
	}
	return names
}

// formatKey returns the notation of the file; empty for the usual one.
func (p *Profile) formatKey() string {
	var keys []string
	for _, key := range []Key{
		{"encoding", p.Format.Encoding}, {"delimiter", p.Format.Delimiter}, {"decimal", p.Format.Decimal},
		{"thousands", p.Format.Thousands}, {"dates", p.Format.Dates},
	} {
		switch {
		case key.Value == "":
		case key.Name == "encoding" || key.Name == "dates":
			keys = append(keys, key.Name+": "+key.Value)
		default:
			keys = append(keys, key.Name+": "+quoted(key.Value))
		}
	}
	var gaps []string
	for _, gap := range p.Format.Gaps {
		gaps = append(gaps, quoted(gap))
	}
	if gaps != nil {
		keys = append(keys, "gaps: ["+strings.Join(gaps, ", ")+"]")
	}
	if keys == nil {
		return ""
	}
	return "{" + strings.Join(keys, ", ") + "}"
}

// missingKey returns the treatment of cells without a value; empty where all have one.
func (p *Profile) missingKey() string {
	features, label := false, ""
	for _, c := range p.Columns {
		if c.Missing > 0 {
			features = features || c.Use == Feature
			if c.Use == Label {
				label = c.Name
			}
		}
	}
	switch {
	case label != "" && features:
		return fmt.Sprintf("{default: %s, %s: %s}", table.MissingMean, quoted(label), table.MissingDrop)
	case label != "":
		return fmt.Sprintf("{%s: %s}", quoted(label), table.MissingDrop)
	case features:
		return table.MissingMean
	}
	return ""
}

// many reports whether a column of words has many levels.
func (p *Profile) many() bool {
	for _, c := range p.Columns {
		if c.Use == Feature && c.Type == Word && (c.Many || c.Distinct > mostLevels) {
			return true
		}
	}
	return false
}

// quoted returns a text in the quotes of YAML.
func quoted(text string) string { return strconv.Quote(text) }
