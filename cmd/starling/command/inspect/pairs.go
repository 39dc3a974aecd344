package inspect

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/accounts"
	"starling/scenarios/document"
	"starling/scenarios/loading"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/study"
	"starling/scenarios/view"
	"starling/scenarios/view/plot"
)

// privacyPairs prints the losses between single nodes, or draws them.
func privacyPairs(w io.Writer, run *results.Run, flags privacyFlags) error {
	if flags.units || flags.curve || flags.epsilonGiven || flags.observer != "" || flags.unitGiven {
		return shell.Usage(errors.New("--pairs prints a table of its own; it goes with --plot, --json or --csv only"))
	}
	if flags.asJSON && flags.asCSV || flags.plot != "" && (flags.asJSON || flags.asCSV) {
		return shell.Usage(errors.New("--plot, --json and --csv exclude each other"))
	}
	list, err := accounts.PairsOf(run)
	if errors.Is(err, accounts.ErrNoPairs) {
		file, out := filepath.Join(run.Dir, results.ScenarioFile), filepath.Dir(filepath.Dir(run.Dir))
		return document.BadInput(fmt.Errorf("%w; run it with all pairs: starling run %s --set measure.pairs=true%s", err, document.Word(file), shell.OutFlag(out)))
	}
	if err != nil {
		return err
	}
	if flags.plot != "" {
		if err := shell.CheckPictureFile("plot", flags.plot); err != nil {
			return err
		}
		if err := shell.Outside(flags.plot, run.Dir); err != nil {
			return shell.Usage(err)
		}
		page, err := pageOf(flags.width, flags.style, 0, "")
		if err != nil {
			return err
		}
		near, err := nearOf(run, flags.loader)
		if err != nil {
			fmt.Fprintf(flags.errors, "nodes are in the order of their numbers, since their network is not known: %v\n", err)
		}
		heat := accounts.PairsFigure(run, list, near, plot.ArmLabels(run.Manifest.Arms))
		heat.Size, heat.Width, heat.Look = page.Size, page.Width, page.Look
		if err := figure.SaveHeat(heat, flags.plot); err != nil {
			return err
		}
		if err := saveCaptions(flags.errors, captionOf(run, heat.Title, heat.Note), flags.plot); err != nil {
			return err
		}
		return shell.WriteText(w, "", fmt.Sprintf("%s: %s, privacy loss ε of each node to each other", shell.Plain(flags.plot), document.Counted(len(heat.Maps), "map")))
	}
	if flags.asJSON || flags.asCSV {
		return exportPairs(w, run, list, flags.asCSV)
	}
	labels := plot.ArmLabels(run.Manifest.Arms)
	for i := range list {
		p := &list[i]
		if !p.Fits() {
			continue
		}
		if err := shell.WriteText(w, "", fmt.Sprintf("%s: epsilon of a unit, a row, for each node that learns%s; neighbours: %s", labels[p.Arm], overSeeds(p), p.Relation)); err != nil {
			return err
		}
		if err := shell.WriteTable(w, p.Table()); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	near, err := nearOf(run, flags.loader)
	if err != nil {
		fmt.Fprintf(flags.errors, "losses are the largest over seeds, since the network is not known: %v\n", err)
	}
	if err := shell.WriteText(w, "", "quantiles over the pairs of nodes"); err != nil {
		return err
	}
	if err := shell.WriteNarrowed(w, accounts.Named(accounts.ShownSummary(list, near), labels)); err != nil {
		return err
	}
	if slices.ContainsFunc(list, func(p accounts.Pairs) bool { return !p.Fits() }) {
		_, err = fmt.Fprint(w, "\nthese are too many nodes for a table; all pairs are printed with --csv or --json, and drawn with --plot\n")
	}
	return err
}

// overSeeds says of which seed the loss of a pair is; empty for one seed.
func overSeeds(p *accounts.Pairs) string {
	if len(p.Seeds) < 2 {
		return ""
	}
	return fmt.Sprintf(" under the seed of %d in which it loses the most", len(p.Seeds))
}

// nearOf returns how near the nodes of a run are in its networks.
func nearOf(run *results.Run, loader loading.Loader) (accounts.Near, error) {
	s, err := scenarioOf(run, loader)
	if err != nil {
		return nil, err
	}
	return view.Near(s)
}

// scenarioOf returns the scenario of a run. It runs no code that the scenario names. The error is
// of a scenario that this build cannot read.
func scenarioOf(run *results.Run, loader loading.Loader) (*study.Scenario, error) {
	text, err := run.Scenario()
	if err != nil {
		return nil, err
	}
	doc, err := document.Parse(results.ScenarioFile, text)
	if err != nil {
		return nil, err
	}
	loader.Showing = true
	return loader.Check(doc)
}

// exportPairs prints all pairs for programs.
func exportPairs(w io.Writer, run *results.Run, list []accounts.Pairs, asCSV bool) error {
	var rows []results.PrivacyRow
	for i := range list {
		rows = append(rows, list[i].Rows()...)
	}
	if asCSV {
		return results.ExportPrivacy(w, rows, run.Manifest.Ledger)
	}
	return shell.WriteJSON(w, struct {
		Ledger []results.LedgerEntry `json:"ledger"`
		Pairs  []privacyRow          `json:"pairs"`
	}{run.Manifest.Ledger, rowsOfOne(rows, run)})
}
