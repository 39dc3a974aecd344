package runner

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/results"
	"starling/scenarios/results/checkpoint"
	"starling/scenarios/study"
)

// withoutCheckpoints returns the scenario's file without the section checkpoint, which changes
// no result.
func withoutCheckpoints(s *study.Scenario) *document.Document {
	doc, err := s.Document.Delete("checkpoint")
	if err != nil {
		return s.Document // the file has no such section
	}
	return doc
}

// Identity returns the identity of the scenario's checkpoints under a build. A checkpoint of
// another identity is not resumed: its noise was drawn, and its data were used, by another
// program or on other terms.
func Identity(s *study.Scenario, build string) checkpoint.Identity {
	return checkpoint.Identity{Scenario: s.Name, Hash: Hash(s, build), Build: build, Arithmetic: results.Arithmetic()}
}

// identityOf returns the identity of the checkpoints of a run, or of a part of it.
func identityOf(s *study.Scenario, options RunOptions) checkpoint.Identity {
	id := Identity(s, options.Build)
	id.Version, id.Part = options.Version, options.Part.String()
	return id
}

// foreign refuses to resume where only runs of another build, or of another state of the
// scenario, can go on: their releases were made by other code or on other data. The error
// names the difference of each folder.
func foreign(s *study.Scenario, options RunOptions) error {
	folders, err := filepath.Glob(filepath.Join(globQuote(options.Out), s.Name, "*"))
	if err != nil {
		return err
	}
	var reasons []error
	for _, dir := range folders {
		saved, err := checkpoint.Exists(results.Checkpoints(dir))
		if err != nil {
			return err
		}
		complete, err := results.IsComplete(dir)
		if err != nil {
			return err
		}
		if !saved || complete {
			continue
		}
		id, err := checkpoint.ReadIdentity(results.Checkpoints(dir))
		if err != nil {
			return err
		}
		// The hash in the folder's name shows only that there is a difference. The error names
		// it: the build, or a line of the scenario.
		reason := "another build began it: " + id.Build + "; this is " + options.Build
		if id.Build == options.Build {
			reason = differenceTo(s, dir)
		}
		if ours := results.Arithmetic(); id.Arithmetic != "" && id.Arithmetic != ours {
			reason += fmt.Sprintf("; it was begun with other arithmetic, too: %s, and this is %s", id.Arithmetic, ours)
		}
		reasons = append(reasons, fmt.Errorf("%s cannot be resumed: %s", dir, reason))
	}
	if len(reasons) == 0 {
		return nil
	}
	return document.BadInput(errors.Join(append(reasons, errors.New("run without --resume to start over"))...))
}

// unusable returns the error for checkpoints from which the run cannot go on.
func unusable(err error) error { return fmt.Errorf("%w; --again starts over", err) }

// globQuote returns a pattern that matches a path and no other.
func globQuote(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// differenceTo returns the first line in which the scenario of a results folder differs from
// this one, with both texts.
func differenceTo(s *study.Scenario, dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, results.ScenarioFile))
	if err != nil {
		return "its scenario cannot be read: " + err.Error()
	}
	return differenceOf(text, s.Document.Bytes())
}

// differenceOf returns the first difference between two texts of scenarios.
func differenceOf(first, second []byte) string {
	theirs, ours := bytes.Split(first, []byte("\n")), bytes.Split(second, []byte("\n"))
	line := 0
	for line < len(theirs) && line < len(ours) && bytes.Equal(theirs[line], ours[line]) {
		line++
	}
	at := func(lines [][]byte) string {
		if line < len(lines) {
			return strings.TrimSpace(string(lines[line]))
		}
		return "nothing"
	}
	return fmt.Sprintf("the scenario was another: line %d was %q and is %q", line+1, at(theirs), at(ours))
}
