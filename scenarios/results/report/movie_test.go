package report

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"starling/actors/topology"
	"starling/messages"
	"starling/scenarios/results/diagram"
)

// turning are graphs of one edge each, from node 1 to a node that moves on.
func turning(t testing.TB, nodes, steps int) (list []diagram.Graph) {
	t.Helper()
	for step := range steps {
		g, err := topology.FromEdges(nodes, []topology.Edge{{From: 0, To: messages.NodeID(1 + step%(nodes-1)), Weight: 1}})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, diagram.Graph{Title: fmt.Sprintf("Step %d", step+1), Graph: g, FirstLabel: 1, Places: topology.Around(nodes)})
	}
	return list
}

// A movie's frames, put together, are the drawings of the graphs, and what they
// have in common is there once.
func TestMovie(t *testing.T) {
	steps := turning(t, 5, 8)
	m := newMovie(steps)
	if len(m.Frames) != len(steps) {
		t.Fatalf("%d frames, want %d", len(m.Frames), len(steps))
	}
	for i, f := range m.Frames {
		var text strings.Builder
		for _, piece := range f.Pieces {
			text.WriteString(m.Pieces[piece])
		}
		if want := string(drawing(&steps[i])); text.String() != want {
			t.Errorf("frame %d is\n%s\nwant\n%s", i, text.String(), want)
		}
	}
	// Eight beginnings, four edges, and the nodes with the end.
	if want := 8 + 4 + 1; len(m.Pieces) != want {
		t.Errorf("%d pieces, want %d", len(m.Pieces), want)
	}
	if m := newMovie(turning(t, diagram.MostNodes+1, 2)); m.Frames != nil {
		t.Errorf("%d frames of graphs that are not drawn", len(m.Frames))
	}
}

// A movie ends before it takes too much, and keeps no piece that it does not show.
func TestMovieIsLimited(t *testing.T) {
	// Every step has graphs with weights of its own, so that nothing is shared.
	var steps []diagram.Graph
	for step := range 60 {
		var edges []topology.Edge
		for i := range messages.NodeID(24) {
			for j := range messages.NodeID(24) {
				edges = append(edges, topology.Edge{From: i, To: j, Weight: 1 + float64(step)/7})
			}
		}
		g, err := topology.FromEdges(24, edges)
		if err != nil {
			t.Fatal(err)
		}
		steps = append(steps, diagram.Graph{Title: "Step", Graph: g})
	}
	m := newMovie(steps)
	bytes, used := 0, map[int]bool{}
	for _, f := range m.Frames {
		for _, piece := range f.Pieces {
			used[piece] = true
		}
	}
	for _, piece := range m.Pieces {
		bytes += len(piece)
	}
	if len(m.Frames) < 2 || len(m.Frames) >= len(steps) || bytes > mostMovie || len(used) != len(m.Pieces) {
		t.Errorf("%d frames, %d bytes, %d pieces of which %d are used", len(m.Frames), bytes, len(m.Pieces), len(used))
	}
}

// sliderMoves checks that the slider changes the drawing, that play moves the
// slider, and that neither is in print.
func sliderMoves(t *testing.T, ctx context.Context) {
	p := testPage()
	p.Runs[0].Topologies[0].Steps = turning(t, 4, 6)
	b := open(t, ctx, p)
	picture := func() string { return value[string](b, `document.querySelector(".movie .frames").innerHTML`) }
	title := func() string { return value[string](b, `document.querySelector(".movie figcaption b").textContent`) }
	slide := func(step int) {
		b.Do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{
			const slider = document.querySelector(".movie input");
			slider.value = "%d";
			slider.dispatchEvent(new Event("input"));
		}`, step)))
	}
	// It has the background of the page, also a dark one, and stays within its figure.
	b.Scheme("dark")
	b.Until("a picture on the page itself", `((frames) => getComputedStyle(frames).backgroundColor === "rgba(0, 0, 0, 0)" && frames.querySelector("svg").getBoundingClientRect().right <= frames.parentElement.getBoundingClientRect().right + 1)(document.querySelector(".movie .frames"))`)
	b.Scheme("light")
	first := picture()
	if !strings.Contains(first, "1 to 2: weight 1") || title() != "Step 1." {
		t.Errorf("at first %q shows %s", title(), first)
	}
	slide(1)
	if second := picture(); second == first || !strings.Contains(second, "1 to 3: weight 1") || title() != "Step 2." {
		t.Errorf("after the slider %q shows %s", title(), second)
	}
	slide(0)
	if picture() != first {
		t.Errorf("back at the first step it shows %s", picture())
	}
	button := `document.querySelector(".movie button")`
	b.Do(chromedp.Click(chromedp.JSPath(button)))
	b.Until("a step that play has come to", `document.querySelector(".movie figcaption b").textContent !== "Step 1."`)
	b.Do(chromedp.Click(chromedp.JSPath(button)))
	b.Until("that it is paused", button+`.textContent === "play"`)
	if display := value[string](b, `(() => {
		const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).filter((rule) => rule.media?.mediaText === "print");
		return rules.flatMap((rule) => [...rule.cssRules]).find((rule) => rule.selectorText?.includes(".movie")).style.display;
	})()`); display != "none" {
		t.Errorf("in print the slider has display %q, want none", display)
	}
	b.quiet()
}
