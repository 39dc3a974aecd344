package command

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/kind"
)

// subjects are the questions of the library's scenarios, in the order of the list on a terminal. A scenario has the
// first subject with its name, or else the first with a beginning of its name, which ends in a hyphen.
var subjects = []struct {
	title string
	names []string
}{
	{"All families beside each other", []string{"compare-families", "network-logistic", "drift", "tiers", "clusters", "async-or-sync"}},
	{"Learning on a graph by DPDO-NC", []string{"dpdonc-", "gaussian-or-laplace", "rates-", "schedules"}},
	{"Gossip, random walks and gradient tracking", []string{"muffliato", "muffliato-pairs", "compressed-gossip", "contact-network", "decor", "gradient-tracking", "random-walk"}},
	{"Networks that change, delay and lose messages", []string{"network-"}},
	{"Online federated learning", []string{"ofl-"}},
	{"Federated averaging with privacy", []string{"ali-", "dp-", "gboard", "fmnist-baseline", "secure-aggregation", "personal-"}},
	{"Clients that are slow, absent or many", []string{"availability-bias", "fedbuff", "fedprox-stragglers", "population"}},
	{"Experts: Fed-DP-OPE and the sparse vector technique", []string{"ope-", "svt-"}},
	{"Byzantine nodes", []string{"adversaries-"}},
	{"Privacy losses by observer", []string{"privacy-"}},
	{"Size and speed", []string{"scale-"}},
	{"Own data and algorithms", []string{"own-"}},
}

// otherSubject is the subject of scenarios that have none of the list.
const otherSubject = "Others"

// subjectOf returns the subject of a scenario.
func subjectOf(name string) string {
	for _, subject := range subjects {
		if slices.Contains(subject.names, name) {
			return subject.title
		}
	}
	for _, subject := range subjects {
		if slices.ContainsFunc(subject.names, func(start string) bool { return strings.HasSuffix(start, "-") && strings.HasPrefix(name, start) }) {
			return subject.title
		}
	}
	return otherSubject
}

// writeSubjects prints scenarios by their subjects, for a terminal of a width.
func writeSubjects(w io.Writer, entries []kind.Entry, width int) {
	longest := 0
	for _, e := range entries {
		longest = max(longest, len(e.Kind))
	}
	var titles []string
	for _, subject := range subjects {
		titles = append(titles, subject.title)
	}
	style, before := shell.Style{On: shell.Styled(w)}, ""
	for _, title := range append(titles, otherSubject) {
		head := before + style.Bold(title+":") + "\n"
		for _, e := range entries {
			if subjectOf(e.Kind) == title {
				fmt.Fprintln(w, head+"  "+item(e.Kind, longest, e.Summary, width))
				head, before = "", "\n"
			}
		}
	}
}
