package aggregation

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"starling/actors/topology"
	"starling/mechanisms/factorization"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/limits"
)

// A file may list the clients of each round, in place of draws. The list is public and depends on no data,
// so that none of its rounds is a secret sample: a client pays for as many rounds, as near to each other, as
// any client of the list has.

// Listed holds the keys of a file that lists the clients of rounds.
type Listed struct {
	File   string `yaml:"file,required" range:"a path" doc:"path, from the scenario's folder or else from where the program runs, of a CSV file with a row for each client of each round"`
	Round  string `yaml:"round" range:"any text" doc:"its column of rounds, from 1; absent, round"`
	Node   string `yaml:"node" range:"any text" doc:"its column of clients: numbers from 1; absent, node"`
	Repeat bool   `yaml:"repeat" doc:"whether the rounds of the list are repeated after its last; absent, the list has all rounds of the run"`
}

// mostListed is the largest number of rows of a list.
const mostListed = 1 << 22

// read returns the visits of a list, by round and by client, from its text. The error has the faults of all
// rows, each with its line.
func (l *Listed) read(text []byte, clients int) ([]listed, error) {
	var list []listed
	columns := []string{cmp.Or(l.Round, "round"), cmp.Or(l.Node, "node")}
	err := topology.Rows(l.File, text, mostListed, columns, func(line int, fields []string) (err error) {
		v := listed{line: line}
		if v.round, err = numberTo(fields[0], limits.Coordinates, "round"); err == nil {
			v.node, err = numberTo(fields[1], clients, "client")
		}
		list = append(list, v)
		return err
	})
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%s: the list has no clients", l.File)
	}
	if err != nil {
		return nil, err
	}
	faults := topology.FileFaults{Name: l.File}
	slices.SortStableFunc(list, listed.before)
	for i := 1; i < len(list); i++ {
		if x := list[i]; x.before(list[i-1]) == 0 {
			faults.Add(fmt.Errorf("%s:%d: client %d is in round %d already, by line %d", l.File, x.line, x.node, x.round, list[i-1].line))
		}
	}
	return list, faults.Err()
}

// listed is a row of a list: a client in a round, both from 1.
type listed struct{ round, node, line int }

// before compares rows by round, and then by client.
func (v listed) before(w listed) int {
	return cmp.Or(cmp.Compare(v.round, w.round), cmp.Compare(v.node, w.node))
}

// numberTo parses a number of 1 .. most.
func numberTo(text string, most int, of string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0, fmt.Errorf("%s %q; want a whole number of 1 to %d", of, text, most)
	}
	return n, nil
}

// WithList returns the rule of clients of 1 .. clients that take part in the rounds that the text of a list names,
// up to a number of rounds. The error is of the key attendance.
func (p Participation) WithList(text []byte, clients, rounds int) (Participation, error) {
	list, err := p.Attendance.read(text, clients)
	if err != nil {
		return p, document.AtEach("attendance.file", err)
	}
	last := list[len(list)-1].round
	if needed := rounds - 1; last < needed && !p.Attendance.Repeat {
		return p, document.At("attendance.file", "the list ends with round %d of %d; want repeat: true, or rows for all rounds", last, needed)
	}
	if visits := float64(len(list)) * float64(rounds) / float64(last); visits > limits.Coordinates {
		return p, document.At("attendance.file", "%.3g clients take part in all rounds together; want at most %d", visits, limits.Coordinates)
	}
	a := &Attendees{ends: make([]int, rounds+1)}
	at := 0
	for round := 1; round <= rounds; round++ {
		if at == len(list) && p.Attendance.Repeat {
			at = 0
		}
		for ; at < len(list) && list[at].round == (round-1)%last+1; at++ {
			a.nodes = append(a.nodes, messages.NodeID(list[at].node))
		}
		a.ends[round] = len(a.nodes)
	}
	a.count()
	p.list = a
	return p, nil
}

// Lists reports whether a file lists the clients of rounds.
func (p *Participation) Lists() bool { return p.list != nil }

// has reports whether a client is in a round, of attendees that are ascending in each round.
func (a *Attendees) has(round int, node messages.NodeID) bool {
	_, there := slices.BinarySearch(a.Of(round), node)
	return there
}

// unseated returns the attendees without seats: a run may give them seats of its own.
func (a *Attendees) unseated() *Attendees {
	return &Attendees{nodes: slices.Clone(a.nodes), ends: a.ends, unique: a.unique, most: a.most}
}

// gaps returns the participation of the client that comes most, and the least distance of two rounds of a client,
// in the first rounds of a list. They may be of different clients.
func (a *Attendees) gaps(rounds int) factorization.Participation {
	of := factorization.Participation{Times: 1, Apart: max(1, rounds)}
	times := 0
	for i, list := 0, a.visits(); i < len(list); i++ {
		v := list[i]
		if v.round() > rounds {
			continue
		}
		if i == 0 || list[i-1].client() != v.client() {
			times = 1
			continue
		}
		times++
		of.Times, of.Apart = max(of.Times, times), min(of.Apart, v.round()-list[i-1].round())
	}
	return of
}

// returns is the number of clients that come more than once in the first rounds of a list.
func (a *Attendees) returns(rounds int) (clients int) {
	list := a.visits()
	for i := 1; i < len(list); i++ {
		second := list[i].client() == list[i-1].client() && (i == 1 || list[i-2].client() != list[i].client())
		if second && list[i].round() <= rounds {
			clients++
		}
	}
	return clients
}
