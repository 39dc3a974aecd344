package observatory_test

import (
	"context"
	"testing"

	"github.com/chromedp/chromedp"
)

// messagesByServers looks at nodes that average through servers, which the picture does not have: no edge is a
// message, and no message of a server is taken for one of a node.
func messagesByServers(t *testing.T, ctx context.Context) {
	dir := t.TempDir()
	id := another(t, dir, "nodes=6", "sweep=null", "horizon=4", "measure.every=1", "topology={kind: clusters, clusters: 2, inside: {kind: ring}, cloud: {every: 2}}")
	s := serve(t, dir)
	place := "#/run/" + id + "/network?node=1&step="
	fates := `[...document.querySelectorAll(".neighbours tbody tr")].map((row) => row.cells[3].innerText)`
	said := `document.querySelector(".network-picture .hint").textContent`
	b := show(t, ctx, s, place+"2")
	b.Until("edges through servers", said+`.includes("They go by way of servers") && ((list) => list.length === 5 && list.every((text) => text === "by servers / by servers"))(`+fates+`)`)
	b = show(t, ctx, s, place+"1")
	b.Until("edges of a ring", said+`.includes("In this step") && !`+said+`.includes("by way of servers") && ((list) => list.length === 2 && list.some((text) => text.startsWith("arrives")))(`+fates+`)`)
	b = show(t, ctx, s, "#/run/"+id+"/network")
	b.Until("why it opens where it does", `document.querySelector(".opened").textContent.startsWith("Opened at")`)
	b.Until("all steps in the chart of the node", `[...document.querySelectorAll(".network figcaption")].some((one) => one.textContent.endsWith("steps 1 to 4"))`)
	b.Do(chromedp.Evaluate[chromedp.Void](`((slider) => { slider.value = slider.value === "3" ? "4" : "3"; slider.dispatchEvent(new Event("input")); })(document.querySelector(".movie-bar input"))`))
	b.Until("no reason for another step", `document.querySelector(".opened").textContent === "" && document.querySelector(".node h2").innerText.includes("at step")`)
	quiet(b, s)
}
