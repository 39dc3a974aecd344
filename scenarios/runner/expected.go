package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"starling/scenarios/claim"
	"starling/scenarios/document"
	"starling/scenarios/library"
	"starling/scenarios/loading"
	"starling/scenarios/results"
)

// LibraryVerdicts is the name of the expected verdicts that come with the
// program.
const LibraryVerdicts = "library"

// ReadExpected reads the expected verdicts of runs of one size from a file, or the ones of
// that size that come with the program (LibraryVerdicts). Faults in them are InputErrors.
func ReadExpected(file string, quick bool) (*claim.Expected, error) {
	read := loading.ReadFile
	if file == LibraryVerdicts {
		file, read = library.VerdictsFile(quick), library.ReadFile
	}
	text, err := read(file)
	if err != nil {
		return nil, &document.InputError{Err: err}
	}
	return decodeExpected(file, text, quick)
}

// ReadOlderExpected is ReadExpected for a file that will be written. If the file does not
// exist yet, it returns no verdicts.
func ReadOlderExpected(file string, quick bool) (*claim.Expected, error) {
	text, err := loading.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return &claim.Expected{Name: file, Quick: quick}, nil
	}
	if err != nil {
		return nil, &document.InputError{Err: err}
	}
	return decodeExpected(file, text, quick)
}

func decodeExpected(name string, text []byte, quick bool) (*claim.Expected, error) {
	expected, err := claim.DecodeExpected(name, text)
	if err != nil {
		return nil, &document.InputError{Err: err, Line: document.SourceLine(name, text)}
	}
	// Verdicts at a reduced size do not imply verdicts at the full size.
	if expected.Quick != quick {
		size := map[bool]string{true: "the reduced size (--quick)", false: "the full size"}
		return nil, &document.InputError{Err: fmt.Errorf("%s has verdicts of %s, and the runs are of %s", name, size[expected.Quick], size[quick])}
	}
	return expected, nil
}

// CheckExpected compares the verdicts of reports with the expected ones. The error names every
// change. whole means that the reports are on the whole library.
func CheckExpected(expected *claim.Expected, reports []claim.Report, whole bool) (claim.Comparison, error) {
	c := expected.Compare(reports, whole)
	if len(c.Changes) == 0 {
		return c, nil
	}
	verdicts := "1 verdict is"
	if len(c.Changes) > 1 {
		verdicts = fmt.Sprintf("%d verdicts are", len(c.Changes))
	}
	return c, fmt.Errorf("%s not as in %s:\n  %s", verdicts, expected.Name, strings.Join(c.Changes, "\n  "))
}

// WriteExpected writes the verdicts of reports to the file of older ones. Older verdicts stay
// for scenarios that were not run, because other scenarios were named or their data are
// missing; kept are these scenarios.
func WriteExpected(older *claim.Expected, reports []claim.Report) (kept []string, err error) {
	expected := claim.NewExpected(reports, older.Quick)
	// The library knows which of its scenarios still have claims. It does not know the user's
	// own scenarios, and their verdicts stay.
	names := library.Claimed()
	for _, s := range slices.Concat(older.Scenarios, expected.Scenarios) {
		if !slices.Contains(library.Scenarios(), s.Name) && !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
		}
	}
	kept = expected.Keep(older, names)
	return kept, results.WriteFile(older.Name, expected.Write)
}
