// Package library holds the scenarios that come with the program, the claims of their papers,
// and the expected verdicts. It holds files and reads none of them: package loading knows
// scenarios, and package claim claims.
package library

import (
	"embed"
	"io/fs"
	"path"
	"slices"
	"strings"
)

//go:embed subjects.txt *.yaml *.csv *.csv.gz *.py claims/*.yaml expected/*.yaml
var files embed.FS

// root is the beginning of paths of files, as errors show them.
const root = "library/"

// ReadFile reads a file of the library by its path, such as library/ofl-long.yaml. The error
// is package fs's.
func ReadFile(file string) ([]byte, error) { return files.ReadFile(strings.TrimPrefix(file, root)) }

// Open opens a file of the library by its path, which begins with library/. The error is
// package fs's.
func Open(file string) (fs.File, error) {
	name, ok := strings.CutPrefix(file, root)
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: file, Err: fs.ErrNotExist}
	}
	return files.Open(name)
}

// ScenarioFile returns the path of a scenario.
func ScenarioFile(name string) string { return root + name + ".yaml" }

// ClaimsFile returns the path of the claims on a scenario.
func ClaimsFile(name string) string { return root + "claims/" + name + ".yaml" }

// VerdictsFile returns the path of the expected verdicts for runs of the reduced size, or of
// the full one. The full library takes days: the verdicts for the full size cover the
// scenarios that were run.
func VerdictsFile(quick bool) string {
	if quick {
		return root + "expected/quick.yaml"
	}
	return root + "expected/full.yaml"
}

// Scenarios lists the names of the scenarios, sorted.
func Scenarios() []string {
	list := names(".")
	slices.Sort(list)
	return list
}

// Claimed lists the names of the scenarios that have claims, in the order of their
// files.
func Claimed() []string { return names("claims") }

func names(folder string) (list []string) {
	entries, err := files.ReadDir(folder)
	if err != nil {
		panic(err) // the folder is embedded
	}
	for _, entry := range entries {
		if path.Ext(entry.Name()) == ".yaml" {
			list = append(list, strings.TrimSuffix(entry.Name(), ".yaml"))
		}
	}
	return list
}
