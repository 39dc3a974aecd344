package observatory

import (
	"slices"
	"strings"

	"starling/scenarios/document"
)

// stageOf orders faults by what they may follow from: names of kinds and keys come first, then kinds that do not go with
// each other, then values, which are read by the kinds.
func stageOf(i *Issue) int {
	switch i.fault {
	case document.UnknownKey, document.MissingKey, document.UnknownKind:
		return 0
	case document.Misfit:
		return 1
	}
	if i.Path == "" { // the text as a whole
		return 0
	}
	return 2
}

// ordered marks faults that may follow from others, and joins faults with one place or one cause: keys that a
// section lacks, and one message about several values of a list.
func ordered(list []Issue) []Issue {
	out := []Issue{}
	for _, i := range list {
		k := slices.IndexFunc(out, func(other Issue) bool { return joins(&other, &i) })
		switch {
		case k < 0:
			out = append(out, i)
		case out[k].Message != i.Message:
			out[k].Message = document.Lacking(out[k].Message, i.Message)
		}
	}
	first := 2
	for i := range out {
		if slices.Contains(deciding, sectionOf(&out[i])) {
			first = min(first, stageOf(&out[i]))
		}
	}
	for i := range out {
		out[i].Follows = stageOf(&out[i]) > first && sectionOf(&out[i]) != "" && out[i].fault != document.OutOfBounds
	}
	return out
}

// deciding are the sections with a kind that decides about other sections.
var deciding = []string{"algorithm", "problem", "mechanism", "topology"}

// sectionOf is the section of a fault; empty for keys that no kind decides about, such as horizon and seeds.count.
func sectionOf(i *Issue) string {
	section, _, below := strings.Cut(i.Path, ".")
	if section == "seeds" || !below && !slices.Contains(deciding, section) {
		return ""
	}
	return section
}

// joins reports whether a fault is one with an earlier one.
func joins(before, i *Issue) bool {
	if before.File != i.File || before.Line != i.Line || before.Path != i.Path {
		return false
	}
	return before.Message == i.Message ||
		before.Column == i.Column && before.fault == document.MissingKey && i.fault == document.MissingKey
}
