package topology_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"starling/actors/option"
	"starling/actors/topology"
	"starling/messages"
)

const contacts = `# who met whom
step,from,to
4, 2,3
2,1,2
4,3,1
2,2,2
`

// shows lists the edges of a step as from-to, from 1.
func shows(seq topology.Sequence, step int) string {
	var list []string
	for j := range messages.NodeID(seq.Nodes()) {
		for _, i := range seq.At(step).Out(j) {
			list = append(list, fmt.Sprintf("%d-%d", j+1, i+1))
		}
	}
	return strings.Join(list, " ")
}

func TestEdgeList(t *testing.T) {
	const second, fourth = "1-2 2-2", "2-3 3-1"
	tests := []struct {
		list   topology.EdgeList
		want   []string // of the steps from 0
		period int      // 0 is none
	}{
		{topology.EdgeList{Nodes: 3}, []string{"", second, "", fourth, "", "", "", ""}, 0},
		{topology.EdgeList{Nodes: 3, Hold: true}, []string{"", second, second, fourth, fourth, fourth}, 0},
		{topology.EdgeList{Nodes: 3, Repeat: true}, []string{"", second, "", fourth, "", second, "", fourth, ""}, 4},
		{topology.EdgeList{Nodes: 3, Repeat: true, Hold: true}, []string{"", second, second, fourth, "", second, second, fourth}, 4},
		{topology.EdgeList{Nodes: 3, Undirected: true}, []string{"", "1-2 2-1 2-2", "", "1-3 2-3 3-1 3-2"}, 0},
		{topology.EdgeList{Nodes: 4, ZeroBased: true}, []string{"", "", "2-3 3-3", "", "3-4 4-2"}, 0},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%+v", test.list), func(t *testing.T) {
			seq, err := test.list.Parse("contacts.csv", []byte(contacts))
			if err != nil {
				t.Fatal(err)
			}
			for step, want := range test.want {
				if got := shows(seq, step); got != want {
					t.Errorf("step %d shows %q, want %q", step, got, want)
				}
			}
			if p, ok := seq.Period(); p != test.period || ok != (test.period > 0) {
				t.Errorf("period %d, %v, want %d", p, ok, test.period)
			}
			checkEpochs(t, seq, 12)
		})
	}
	marked, err := topology.EdgeList{Nodes: 3}.Parse("contacts.csv", []byte("\ufeff"+contacts))
	if err != nil || shows(marked, 1) != second {
		t.Errorf("behind a byte order mark step 1 shows %q, %v", shows(marked, 1), err)
	}
	weighted, err := topology.EdgeList{Nodes: 2, Hold: true}.Parse("w.csv", []byte("step,from,to,weight\n1,1,2,0.25\n1,2,1,-1e3\n"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]float64{{0, -1000}, {0.25, 0}}, dense(weighted.At(77))); diff != "" {
		t.Error(diff)
	}
	if p, ok := weighted.Period(); p != 1 || !ok {
		t.Errorf("one graph that is held has period %d, %v", p, ok)
	}
}

func TestEdgeListRefuses(t *testing.T) {
	const header = "step,from,to\n"
	tests := []struct{ text, want string }{
		{"", "e.csv:1:1: the file is empty, want the header step,from,to or step,from,to,weight"},
		{"# nothing\n", "e.csv:1:1: the file is empty, want the header step,from,to or step,from,to,weight"},
		{"from,to\n1,2\n", `e.csv:1:1: header is "from,to", want step,from,to or step,from,to,weight; columns: {step: .., from: .., to: ..} names others`},
		{header, "e.csv:2:1: no rows after the header, want at least one"},
		{header + "1,1,2\n0,1,2\n", "e.csv:3:1: step is 0, want 1 to 1099511627776"},
		{header + "1,x,2\n", `e.csv:2:3: from is "x", want a whole number; names: true takes names`},
		{header + "1,1,4\n", "e.csv:2:5: to is 4, want 1 to 3"},
		{header + "1,1,2\n\n2,1,2\n1,1,2\n", "e.csv:5:1: the edge is listed already for this step; duplicates: first or sum takes it"},
		{header + "1,1\n", "e.csv:2:1: wrong number of fields"},
		{header + "1,1,\"2\n", "e.csv:2:8: extraneous or missing \" in quoted-field"},
		{"step,from,to,weight\n1,1,2,0\n", `e.csv:2:7: weight is "0", want a finite number that is not 0`},
		{"step,from,to,weight\n1,1,2,NaN\n", `e.csv:2:7: weight is "NaN", want a finite number that is not 0`},
		{"step,from,to,weight\n1,1,2,-1e999\n", `e.csv:2:7: weight is "-1e999", want a finite number that is not 0`},
	}
	for _, test := range tests {
		seq, err := topology.EdgeList{Nodes: 3}.Parse("e.csv", []byte(test.text))
		var fault *topology.FileError
		if seq != nil || !errors.As(err, &fault) || option.Message(err) != test.want {
			t.Errorf("%q: %v, want %q", test.text, err, test.want)
		}
	}
	both := "step,from,to\n1,1,2\n1,2,1\n"
	if _, err := (topology.EdgeList{Nodes: 3, Undirected: true}).Parse("e.csv", []byte(both)); err == nil ||
		option.Message(err) != "e.csv:3:1: the edge is listed already for this step; duplicates: first or sum takes it; undirected: true has each row stand for both ways" {
		t.Errorf("an undirected edge listed both ways: %v", err)
	}
	if _, err := (topology.EdgeList{}).Parse("e.csv", []byte(both)); err == nil || option.Message(err) != "nodes is 0, want at least 1" {
		t.Errorf("no nodes: %v", err)
	}
}

// Contacts that were observed: names, clock times, columns of other names and order, contacts that
// last, and pairs that meet twice in a step.
func TestContacts(t *testing.T) {
	const observed = "strength,time,source,target,end\n" +
		"0.5,1257150000,P10,P9,1257150005\n" + // 9 and 10 are words here: P10 comes first
		"0.25,1257150019,P10,P9,1257150021\n" +
		"1,1257150060,ann,P9,1257150060\n"
	list := topology.EdgeList{Columns: topology.Columns{Step: "time", From: "source", To: "target", Weight: "strength"}, Names: true, Clock: seconds(20), Duplicates: topology.DuplicatesSum}
	for _, test := range []struct {
		change func(*topology.EdgeList)
		want   []string // weights of P9 for P10 and for ann, by step
	}{
		{func(*topology.EdgeList) {}, []string{"0.75 0", "0 0", "0 0", "0 1"}},
		{func(l *topology.EdgeList) { l.Duplicates = topology.DuplicatesFirst }, []string{"0.5 0", "0 0", "0 0", "0 1"}},
		{func(l *topology.EdgeList) { l.Columns.End = "end" }, []string{"0.75 0", "0.25 0", "0 0", "0 1"}},
		{func(l *topology.EdgeList) { l.Clock = seconds(60) }, []string{"0.75 0", "0 1"}},
		{func(l *topology.EdgeList) { l.Clock, l.Nodes = seconds(1800), 3 }, []string{"0.75 1"}},
	} {
		l := list
		test.change(&l)
		read, err := l.Read("seen.csv", []byte(observed))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(read.Names, []string{"P10", "P9", "ann"}) || read.Nodes() != 3 || read.Steps() != len(test.want) {
			t.Errorf("%+v: names %v, %d steps", l, read.Names, read.Steps())
		}
		for step, want := range test.want {
			if got := fmt.Sprint(read.At(step).Weight(1, 0), read.At(step).Weight(1, 2)); got != want {
				t.Errorf("%+v, step %d: weights %s, want %s", l, step+1, got, want)
			}
		}
	}
	mixed, err := topology.EdgeList{Names: true, Undirected: true}.Read("d.csv", []byte("step,from,to\n1,2,10\n2,10,x\n"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(mixed.Names, []string{"2", "10", "x"}) || mixed.Steps() != 2 || !mixed.At(1).HasEdge(2, 1) || !mixed.At(1).HasEdge(1, 2) {
		t.Errorf("names %v, %d steps", mixed.Names, mixed.Steps())
	}
}

// seconds is a clock of whole seconds: the length of a step.
type seconds int64

func (s seconds) Length() int64                 { return int64(s) }
func (seconds) Time(text string) (int64, error) { return strconv.ParseInt(text, 10, 64) }

func TestContactsRefused(t *testing.T) {
	for _, test := range []struct {
		list       topology.EdgeList
		text, want string
	}{
		{topology.EdgeList{Nodes: 2, Columns: topology.Columns{From: "who"}}, "step,from,to\n1,1,2\n", `e.csv:1:1: there is no column "who" in the header "step,from,to"`},
		{topology.EdgeList{Nodes: 2, Columns: topology.Columns{From: "from"}}, "step,from,to,from\n1,1,2,2\n", `e.csv:1:14: two columns are called "from"`},
		{topology.EdgeList{Names: true}, "step,from,to\n1,a,\n", "e.csv:2:5: the name of a node is empty"},
		{topology.EdgeList{Nodes: 3, Names: true}, "step,from,to\n1,a,b\n", "e.csv names 2 nodes; there are 3"},
		{topology.EdgeList{Nodes: 2}, "step,from,to\n08:15,1,2\n", `e.csv:2:1: step is "08:15", want a whole number; bin: 1h`},
		{topology.EdgeList{Nodes: 2, Columns: topology.Columns{End: "until"}}, "step,until,from,to\n4,3,1,2\n", "e.csv:2:3: the contact ends at 3, before it begins at 4"},
		{topology.EdgeList{Nodes: 2, Columns: topology.Columns{End: "until"}}, "step,until,from,to\n1,9,1,2\n1,1000000000000,1,2\n", "e.csv:3:1: the contacts up to this one last for more than"},
		{topology.EdgeList{Nodes: 2, Duplicates: topology.DuplicatesSum}, "step,from,to,weight\n1,1,2,1\n1,1,2,-1\n", "e.csv:2:1: the weights of the edge in this step sum to 0"},
	} {
		if _, err := test.list.Read("e.csv", []byte(test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %q", test.list, err, test.want)
		}
	}
}

// TestEdgeListsRoundTrip writes random sequences and reads them back.
func TestEdgeListsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var graphs []*topology.Graph
		var text strings.Builder
		text.WriteString("step,from,to,weight\n")
		n := rapid.IntRange(1, 5).Draw(t, "n")
		for step := range rapid.IntRange(1, 4).Draw(t, "steps") {
			// The last step has an edge, so that the file says how long it is.
			edges := []topology.Edge{{From: 0, To: 0, Weight: 1}}
			for i := range messages.NodeID(n) {
				for j := range i {
					if rapid.Bool().Draw(t, "edge") {
						edges = append(edges, topology.Edge{From: i, To: j, Weight: rapid.Float64Range(0.1, 9).Draw(t, "weight")})
					}
				}
			}
			g, err := topology.FromEdges(n, edges)
			if err != nil {
				t.Fatal(err)
			}
			graphs = append(graphs, g)
			for _, e := range edges {
				fmt.Fprintf(&text, "%d,%d,%d,%v\n", step+1, e.From+1, e.To+1, e.Weight)
			}
		}
		seq, err := topology.EdgeList{Nodes: n, Repeat: true}.Parse("", []byte(text.String()))
		if err != nil {
			t.Fatal(err)
		}
		for step := range 3 * len(graphs) {
			if !sameGraph(seq.At(step), graphs[step%len(graphs)]) {
				t.Fatalf("step %d is another graph", step)
			}
		}
	})
}

const graphMLFile = `<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="name" for="node" attr.name="label" attr.type="string"/>
  <key id="w" for="edge" attr.name="weight" attr.type="double"><default>0.5</default></key>
  <graph id="G" edgedefault="undirected">
    <node id="b"><data key="name">w</data></node>
    <edge source="a" target="b"><data key="w"> 0.25 </data></edge>
    <node id="a"/>
    <node id="c"/>
    <edge source="c" target="b" directed="true"/>
    <edge source="c" target="c"><data key="name">7</data></edge>
  </graph>
</graphml>
`

func TestGraphML(t *testing.T) {
	g, ids, err := topology.ParseGraphML("g.graphml", []byte(graphMLFile))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"b", "a", "c"}, ids); diff != "" {
		t.Error(diff)
	}
	want := [][]float64{{0, 0.25, 0.5}, {0.25, 0, 0}, {0, 0, 0.5}} // b, a, c
	if diff := cmp.Diff(want, dense(g)); diff != "" {
		t.Error(diff)
	}
	plain := `<graphml><graph edgedefault="directed"><node id="1"/><node id="2"/><edge source="1" target="2"/></graph></graphml>`
	g, _, err = topology.ParseGraphML("", []byte(plain))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]float64{{0, 0}, {1, 0}}, dense(g)); diff != "" {
		t.Error(diff)
	}
}

func TestGraphMLRefuses(t *testing.T) {
	graph := func(inside string) string {
		return "<graphml>\n<graph edgedefault=\"directed\">\n" + inside + "\n</graph>\n</graphml>"
	}
	const ab = `<node id="a"/><node id="b"/>`
	tests := []struct{ text, want string }{
		{"", "g:1:1: there is no graph in the file"},
		{"<graphml/>", "g:1:11: there is no graph in the file"},
		{"<html/>", "g:1:1: the file is a html, want graphml"},
		{"<graphml>\n <graph", "g:2:8: syntax error: unexpected EOF"},
		{"<graphml><graph/></graphml>", `g:1:10: edgedefault is "", want directed or undirected`},
		{graph(""), "g:1:1: a graph needs at least one node"},
		{graph("<node/>"), "g:3:1: a node without id"},
		{graph(`<node id="a"/> <node id="a"/>`), `g:3:16: a second node "a"`},
		{graph(ab + `<edge source="a" target="c"/>`), `g:3:29: there is no node "c"`},
		{graph(ab + `<edge target="a" source="c"/>`), `g:3:29: there is no node "c"`},
		{graph(ab + `<edge source="a"/>`), "g:3:29: an edge without source or target"},
		{graph(ab + `<edge source="a" target="b" directed="no"/>`), `g:3:29: directed is "no", want true or false`},
		{graph(ab + "\n" + strings.Repeat(`<edge source="a" target="b"/>`, 2)), `g:4:30: the edge from "a" to "b": it is listed twice`},
		{graph(`<node id="a"><graph edgedefault="directed"/></node>`), "g:3:14: a graph inside a node is not supported"},
		{graph("<hyperedge/>"), "g:3:1: hyperedges are not supported"},
		{`<graphml><graph edgedefault="directed"/><graph edgedefault="directed"/></graphml>`, "g:1:41: a second graph, want one"},
		{strings.Replace(graphMLFile, "0.25", "much", 1), `g:7:53: weight is "much", want a finite number that is not 0`},
		{strings.Replace(graphMLFile, "0.5", "0", 1), `g:4:74: weight is "0", want a finite number that is not 0`},
	}
	for _, test := range tests {
		_, _, err := topology.ParseGraphML("g", []byte(test.text))
		var fault *topology.FileError
		if !errors.As(err, &fault) || option.Message(err) != test.want {
			t.Errorf("%q:\n%v, want\n%s", test.text, err, test.want)
		}
	}
}

// FuzzEdgeList: no text makes the parser panic, an error is a place in the file,
// and what is read is a sequence.
func FuzzEdgeList(f *testing.F) {
	f.Add([]byte(contacts), true, false, true, true)
	f.Add([]byte("step,from,to,weight\n1,1,2,0.5\n"), false, true, false, false)
	f.Add([]byte("step,from,to\n1,\"1\n\",2\n"), false, true, true, false)
	f.Fuzz(func(t *testing.T, text []byte, undirected, hold, repeat, zero bool) {
		list := topology.EdgeList{Nodes: 4, Undirected: undirected, Hold: hold, Repeat: repeat, ZeroBased: zero}
		seq, err := list.Parse("f", text)
		checkFileError(t, text, err)
		if err != nil {
			return
		}
		for step := range 6 {
			if g := seq.At(step); g.Nodes() != 4 || undirected && !g.Symmetric() {
				t.Fatalf("step %d has %d nodes, symmetric %v", step, g.Nodes(), g.Symmetric())
			}
		}
	})
}

// FuzzGraphML: as FuzzEdgeList.
func FuzzGraphML(f *testing.F) {
	f.Add([]byte(graphMLFile))
	f.Add([]byte("&\n"))
	f.Add([]byte(`<graphml><key id="w" for="edge" attr.name="weight"><edge><data key="w"></data></edge></key></graphml>`))
	f.Add([]byte(`<graphml><graph edgedefault="directed"><node id="1"/><edge source="1" target="1"/></graph></graphml>`))
	f.Fuzz(func(t *testing.T, text []byte) {
		g, ids, err := topology.ParseGraphML("f", text)
		checkFileError(t, text, err)
		if err == nil && g.Nodes() != len(ids) {
			t.Fatalf("%d nodes, %d names", g.Nodes(), len(ids))
		}
	})
}

// checkFileError holds an error of a parser to a place in the text.
func checkFileError(t *testing.T, text []byte, err error) {
	if err == nil {
		return
	}
	var fault *topology.FileError
	if !errors.As(err, &fault) {
		t.Fatalf("error is %v, want a place", err)
	}
	if lines := strings.Count(string(text), "\n") + 2; fault.Line < 1 || fault.Line > lines || fault.Column < 1 {
		t.Fatalf("%v: the file has %d lines", err, lines-1)
	}
}

// TestAllFaultsOfAFile has every broken row reported, each at its place, and those beyond the
// limit counted.
func TestAllFaultsOfAFile(t *testing.T) {
	list := topology.EdgeList{Nodes: 3}
	for name, test := range map[string]struct {
		read func() error
		want string
	}{
		"edges": {func() error {
			_, err := list.Parse("e.csv", []byte("step,from,to\n1,1,2\n0,1,2\n1,4,2\n1,2\n1,2,x\n"))
			return err
		}, "e.csv:3:1: step is 0, want 1 to 1099511627776\ne.csv:4:3: from is 4, want 1 to 3\ne.csv:5:1: wrong number of fields\ne.csv:6:5: to is \"x\", want a whole number; names: true takes names"},
		"twice in two steps": {func() error {
			_, err := list.Parse("e.csv", []byte("step,from,to\n1,1,2\n1,1,2\n2,1,2\n3,2,3\n3,2,3\n"))
			return err
		}, "e.csv:3:1: the edge is listed already for this step; duplicates: first or sum takes it\ne.csv:6:1: the edge is listed already for this step; duplicates: first or sum takes it"},
		"times": {func() error {
			_, _, err := topology.ReadTimes("t.csv", []byte("step,node\n1,1\n0,9\n2,2\nx,1\n"), 3)
			return err
		}, "t.csv:3:1: step is \"0\", want a whole number from 1 to 1099511627776\nt.csv:3:3: node is \"9\", want a whole number from 1 to 3\nt.csv:5:1: step is \"x\", want a whole number from 1 to 1099511627776"},
	} {
		if err := test.read(); err == nil || err.Error() != test.want {
			t.Errorf("%s:\n%v\nwant\n%s", name, err, test.want)
		}
	}
	_, err := list.Parse("e.csv", []byte("step,from,to\n"+strings.Repeat("0,1,2\n", topology.MostFileFaults+2)))
	if lines := strings.Split(fmt.Sprint(err), "\n"); len(lines) != topology.MostFileFaults+1 || lines[topology.MostFileFaults] != "e.csv: 2 faults more" {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
}
