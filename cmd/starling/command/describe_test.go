package command

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"starling/scenarios/guide"
	"starling/scenarios/testneeds"
)

// TestDescribe describes every name, as text within the width and as JSON.
func TestDescribe(t *testing.T) {
	g, err := guide.New(standard().Kinds)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range g.Names() {
		if !testneeds.Some(i, 4) {
			continue
		}
		list, err := g.Describe(name)
		if err != nil || len(list) == 0 {
			t.Fatalf("%s: %v", name, err)
		}
		var text bytes.Buffer
		if err := guide.Write(&text, list, 80); err != nil {
			t.Fatal(err)
		}
		for _, d := range list {
			for _, o := range d.Options {
				if key := o.Key[strings.LastIndex(o.Key, ".")+1:]; !strings.Contains(text.String(), " "+key+" ") {
					t.Errorf("%s: no option %s in\n%s", name, o.Key, text.String())
				}
			}
		}
	}
}

// TestDescribeLabels describes a metric by the label that findings have.
func TestDescribeLabels(t *testing.T) {
	g, err := guide.New(standard().Kinds)
	if err != nil {
		t.Fatal(err)
	}
	list, err := described(g, "Largest expected regret of a node")
	if err != nil || len(list) != 1 || list[0].Name != "regret.expected" {
		t.Errorf("%v, %+v", err, list)
	}
}

// TestDescribeVerb describes what two sections have, one of them, and nothing.
func TestDescribeVerb(t *testing.T) {
	for _, test := range []struct {
		args string
		code int
		want []string // in the output
	}{
		{"describe problem/images", exitDone, []string{"problem images", "    kind ", "goes with", "starling init FILE --algorithm"}},
		{"describe regret.fixed", exitDone, []string{"metric regret.fixed", "measure.metrics names it"}},
		{"describe scenario", exitDone, []string{"number of steps, T", "integer, steps; >= 1, <= 10000000; required"}},
		{"describe dpdnoc", exitInput, []string{`unknown kind or metric "dpdnoc"; did you mean "dpdonc"?`}},
		{"describe equals", exitDone, []string{"glossary equals", "no server"}},
		{"describe Observer", exitDone, []string{"glossary observer", "eavesdropper"}},
		{"describe horizon", exitDone, []string{"key horizon", "glossary horizon"}},
		{"describe sweep", exitDone, []string{"{grid: {mechanism.epsilon: [0.5, 1, none]"}},
		{"describe arm", exitDone, []string{"glossary arm", "configuration of a study"}},
		{"describe neighbour", exitDone, []string{"edge"}},
		{"describe arm --json", exitDone, []string{`"section": "glossary"`}},
		{"describe accuracy", exitInput, []string{`unknown kind or metric "accuracy"; names that begin with it: accuracy.balanced, accuracy.best, `}},
		{"describe oflx", exitInput, []string{`unknown kind or metric "oflx"; did you mean "ofl"?` + "\n"}},
		{"run dpdonc-localization --quick", exitInput, []string{"--seeds 3", "reproduce NAME --quick"}},
		{"describe observr", exitInput, []string{`unknown kind or metric "observr"; did you mean "observer"?`}},
		{"describe topology/l1-ball", exitInput, []string{"unknown kind or metric"}},
	} {
		var out bytes.Buffer
		if code := standard().execute(t.Context(), strings.Fields(test.args), &out, &out); code != test.code {
			t.Errorf("%s: exit %d, want %d", test.args, code, test.code)
		}
		for _, want := range test.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: no %q in\n%s", test.args, want, out.String())
			}
		}
	}
	var out bytes.Buffer
	standard().execute(t.Context(), []string{"describe", "dpfl", "--json"}, &out, &out)
	var list []guide.Description
	if err := json.Unmarshal(out.Bytes(), &list); err != nil || len(list) != 1 || len(list[0].Options) < 10 || len(list[0].Papers) != 1 {
		t.Errorf("%v, %+v", err, list)
	}
}
