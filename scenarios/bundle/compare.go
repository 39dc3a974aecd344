package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"starling/scenarios/claim"
	"starling/scenarios/document"
	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/study"
)

// Check is the comparison of one result of a run with the expected one.
type Check struct {
	// What names the result: digest, ledger, or a claim.
	What string `json:"what"`
	OK   bool   `json:"ok"`
	// Got is the result, and Want the expected one where they differ.
	Got  string `json:"got"`
	Want string `json:"want,omitempty"`
}

// Compare holds a run that was made from the archive against the expected results: a check of
// the digest, one of the ledger, and one of each claim. differs is a remark on the arithmetic
// of the two runs, where the digests differ and the machines explain it; empty otherwise.
func (u *Unpacked) Compare(run *results.Run, s *study.Scenario) (list []Check, differs string, err error) {
	want, err := results.ReadManifest(filepath.Join(u.Dir, expected))
	if err != nil {
		return nil, "", document.BadInput(err)
	}
	digest := Check{What: "digest", OK: run.Manifest.Digest == want.Digest, Got: run.Manifest.Digest}
	if !digest.OK {
		digest.Want = want.Digest
		differs = results.OtherMachine(&want.Versions, &run.Manifest.Versions)
	}
	ledger, err := compareLedger(&results.Run{Dir: filepath.Join(u.Dir, expected), Manifest: want}, run)
	if err != nil {
		return nil, "", err
	}
	claims, err := u.compareClaims(run, s)
	return append([]Check{digest, ledger}, claims...), differs, err
}

// compareLedger compares the entries of two ledgers, and then every loss, to the last bit.
func compareLedger(want, got *results.Run) (Check, error) {
	c := Check{What: "ledger", OK: true}
	if !slices.EqualFunc(want.Manifest.Ledger, got.Manifest.Ledger, results.LedgerEntry.Equal) {
		c.OK = false
		c.Got, c.Want = document.Counted(len(got.Manifest.Ledger), "entry"), document.Counted(len(want.Manifest.Ledger), "entry")+", or others"
		return c, nil
	}
	first, err := losses(want)
	if err != nil {
		return c, err
	}
	second, err := losses(got)
	if err != nil {
		return c, err
	}
	for i := range max(len(first), len(second)) {
		if i < len(first) && i < len(second) && first[i] == second[i] {
			continue
		}
		c.OK = false
		if i < len(second) {
			c.Got = second[i].String()
		}
		if i < len(first) {
			c.Want = first[i].String()
		}
		return c, nil
	}
	c.Got = document.Counted(len(second), "row")
	return c, nil
}

// loss is a row of a ledger in a form that can be compared.
type loss struct {
	results.PrivacyRow
	odometer float64
	metered  bool
}

// String names the row and its loss.
func (l loss) String() string {
	return fmt.Sprintf("arm %s, seed %d, %s, unit %d, step %d: epsilon %v at delta %v", l.Arm, l.Seed, l.Observer, l.Unit, l.Step, l.Epsilon, l.Delta)
}

// losses lists the rows of a ledger, by step too. They hold no NaN, so that equal rows compare
// as equal.
func losses(run *results.Run) (list []loss, err error) {
	err = run.PrivacyCurves(func(row results.PrivacyRow) error {
		l := loss{PrivacyRow: row}
		if row.Odometer != nil {
			l.odometer, l.metered, l.Odometer = *row.Odometer, true, nil
		}
		list = append(list, l)
		return nil
	})
	return list, err
}

// compareClaims decides the claims on the run and compares the verdicts; it returns no check
// where the archive has no claims.
func (u *Unpacked) compareClaims(run *results.Run, s *study.Scenario) (list []Check, err error) {
	text, err := os.ReadFile(filepath.Join(u.Dir, filepath.FromSlash(claimsName)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	claims, err := runner.DecodeClaims(claimsName, text, s)
	if err != nil {
		return nil, err
	}
	text, err = os.ReadFile(filepath.Join(u.Dir, filepath.FromSlash(verdictsName)))
	if err != nil {
		return nil, document.BadInput(err)
	}
	want, err := claim.DecodeExpected(verdictsName, text)
	if err != nil {
		return nil, document.BadInput(err)
	}
	decisions, err := runner.Decisions(run, claims, s.Kinds.AllMetrics())
	if err != nil {
		return nil, err
	}
	for _, d := range decisions {
		c := Check{What: "claim " + d.Claim.ID, Got: string(d.Verdict)}
		if verdict := verdictOf(want, s.Name, d.Claim.ID); verdict == d.Verdict {
			c.OK = true
		} else if c.Want = string(verdict); verdict == "" {
			c.Want = "no such claim"
		}
		list = append(list, c)
	}
	return list, nil
}

// verdictOf is the expected verdict on a claim; empty where none is expected.
func verdictOf(want *claim.Expected, scenario, id string) claim.Verdict {
	for _, s := range want.Scenarios {
		for _, v := range s.Claims {
			if s.Name == scenario && v.ID == id {
				return v.Verdict
			}
		}
	}
	return ""
}
