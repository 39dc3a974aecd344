// Package browsertest drives pages in headless Chromium, for tests: a tab with its requests
// and its problems. Only tests import it.
package browsertest

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browsers are the names under which systems have Chromium.
var browsers = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}

// Start starts Chromium for some time at most, or skips the test where there is none.
func Start(t testing.TB, most time.Duration) context.Context {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: no browser is started")
	}
	program := ""
	for _, name := range browsers {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		t.Skipf("no browser: none of %s is in PATH", strings.Join(browsers, ", "))
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.WindowSize(1280, 900))
	ctx, cancel := context.WithTimeout(t.Context(), most)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// Tab is a tab of Chromium with one page open.
type Tab struct {
	T        testing.TB
	Ctx      context.Context
	mu       sync.Mutex
	requests []string // the addresses that the page loaded
	problems []string // exceptions, and errors and warnings on the console
}

// Open shows an address in a tab of its own, and waits until an element is there.
func Open(t testing.TB, parent context.Context, address, element string) *Tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(parent)
	t.Cleanup(cancel)
	b := &Tab{T: t, Ctx: ctx}
	b.must(chromedp.Listen(ctx, b.listen))
	for _, err := range []error{
		call(ctx, network.Enable, network.EnableParams{}), call(ctx, log.Enable, cdp.Empty{}), call(ctx, runtime.Enable, cdp.Empty{}),
	} {
		b.must(err)
	}
	b.Go(address, element)
	return b
}

// Go shows another address in the tab, as a document of its own, and waits until an element is
// there. The earlier requests and problems of the tab are forgotten.
func (b *Tab) Go(address, element string) {
	b.T.Helper()
	b.Do(chromedp.Navigate("about:blank"))
	b.mu.Lock()
	b.requests, b.problems = nil, nil
	b.mu.Unlock()
	b.Do(chromedp.Navigate(address), chromedp.WaitReady(chromedp.CSS(element)))
}

func (b *Tab) must(err error) {
	b.T.Helper()
	if err != nil {
		b.T.Fatal(err)
	}
}

// call runs a command of the protocol for its effect.
func call[P, R any](ctx context.Context, command cdp.Command[P, R], params P) error {
	_, err := chromedp.Call(ctx, command, params)
	return err
}

func (b *Tab) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			text += " " + e.ExceptionDetails.Exception.Description
		}
		b.problems = append(b.problems, fmt.Sprintf("exception: %s at line %d", text, e.ExceptionDetails.LineNumber))
	case *runtime.EventConsoleAPICalled:
		b.problems = append(b.problems, fmt.Sprintf("console.%s", e.Type))
	case *log.EventEntryAdded:
		b.problems = append(b.problems, fmt.Sprintf("%s: %s", e.Entry.Level, e.Entry.Text))
	}
}

// Requests are the addresses that the page has asked for.
func (b *Tab) Requests() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.requests)
}

// Problems are the exceptions of the page, and the errors and warnings on its console.
func (b *Tab) Problems() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.problems)
}

// Before adds a script that runs in each document that the tab opens from now on, before the
// document's own.
func (b *Tab) Before(script string) {
	b.T.Helper()
	b.must(call(b.Ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script}))
}

// Do acts in the tab.
func (b *Tab) Do(actions ...chromedp.Action[chromedp.Void]) {
	b.T.Helper()
	b.must(chromedp.Do(b.Ctx, actions...))
}

// Value evaluates JavaScript.
func Value[V any](b *Tab, script string) V {
	b.T.Helper()
	v, err := chromedp.Run(b.Ctx, chromedp.Evaluate[V](script))
	b.must(err)
	return v
}

// Wait lets the page draw its changes: three frames pass, however long they take. A page that
// draws no frames, since it is hidden, gets a second.
func (b *Tab) Wait() {
	b.T.Helper()
	b.Do(chromedp.Evaluate[chromedp.Void](`new Promise((drawn) => {
		let left = 3;
		const late = setTimeout(drawn, 1000);
		const next = () => left-- > 0 ? requestAnimationFrame(next) : (clearTimeout(late), drawn());
		next();
	})`, chromedp.EvalAwaitPromise))
}

// The interval at which Until looks, and the time that it waits: longer than a busy machine
// takes, since only a condition that never holds takes so long.
const (
	look     = 25 * time.Millisecond
	patience = time.Minute
)

// Until waits until a script is true. A script that throws is not true yet: the elements that
// it reads may not be there.
func (b *Tab) Until(what, script string) {
	b.T.Helper()
	const yet = "(() => { try { return String(Boolean(%s)) } catch (thrown) { return String(thrown) } })()"
	for began := time.Now(); ; time.Sleep(look) {
		is := Value[string](b, fmt.Sprintf(yet, script))
		if is == "true" {
			return
		}
		if time.Since(began) > patience {
			b.T.Fatalf("%s: not within %v, but %s; the page shows %q, problems %q", what, patience, is, Value[string](b, "document.body.innerText.slice(0, 800)"), b.Problems())
		}
	}
}

// Scheme sets the colour scheme of the system: light or dark.
func (b *Tab) Scheme(name string) {
	b.T.Helper()
	b.must(call(b.Ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}}))
}
