package study

import (
	"fmt"
	"slices"
	"strings"

	"starling/scenarios/gauge"
)

// ownerNotes returns notes on the values of single participants: the quantities that the arm
// records, and the members of groups.
func ownerNotes(arm *Arm) (list []Note) {
	if arm.Owners == nil {
		return nil
	}
	var has, lacks []string
	for _, q := range gauge.OwnerQuantities() {
		if RecordsMetric(arm, q.Names()[0]) {
			has = append(has, q.Name)
		} else if q.Asked(AskedOfOwners(arm)) {
			lacks = append(lacks, q.Name)
		}
	}
	text := strings.Join(has, ", ")
	if len(lacks) > 0 {
		text += "; not " + strings.Join(lacks, ", ")
	}
	list = append(list, Note{Key: "participants", Value: text})
	if groups := arm.Owners.Groups; groups != nil {
		list = append(list, Note{Key: GroupsNote, Value: membersOf(groups)})
	}
	return list
}

// membersOf says which participants are in which group: runs of their numbers, from 1.
func membersOf(groups []int) string {
	parts := make([][]string, slices.Max(groups)+1)
	for first := 0; first < len(groups); {
		end := first + 1
		for end < len(groups) && groups[end] == groups[first] {
			end++
		}
		text := fmt.Sprint(first + 1)
		if end > first+1 {
			text = fmt.Sprintf("%d to %d", first+1, end)
		}
		parts[groups[first]] = append(parts[groups[first]], text)
		first = end
	}
	var list []string
	for group, members := range parts {
		if len(members) > 0 {
			list = append(list, fmt.Sprintf("%d: %s", group, strings.Join(members, ", ")))
		}
	}
	return strings.Join(list, "; ")
}
