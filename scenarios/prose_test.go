package scenarios_test

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mostRiddles are the clauses that stand in for a noun, with the greatest number of them in
// 1,000 words of comment. The first is three times the rate in gonum, which has almost none of
// the others.
var mostRiddles = []struct {
	pattern *regexp.Regexp
	most    float64
}{
	{regexp.MustCompile(`(?i)\bwhat\b`), 0.18},
	{regexp.MustCompile(`(?i)\b(that|those) of\b`), 0.05},
	{regexp.MustCompile(`(?i)\b(who|whoever|whom|whose)\b`), 0.3},
	{regexp.MustCompile(`(?i)\btells (whether|that)\b`), 0.02},
}

// TestComments counts riddles in the comments of all files without tests and generated code.
func TestComments(t *testing.T) {
	word, words, counts := regexp.MustCompile(`[A-Za-z][A-Za-z'-]*`), 0, make([]int, len(mostRiddles))
	found := make([][]string, len(mostRiddles))
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".pb.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		file := set.AddFile(path, -1, len(text))
		var s scanner.Scanner
		s.Init(file, text, nil, scanner.ScanComments)
		for at, kind, comment := s.Scan(); kind != token.EOF; at, kind, comment = s.Scan() {
			if kind != token.COMMENT {
				continue
			}
			words += len(word.FindAllString(comment, -1))
			for i, riddle := range mostRiddles {
				if n := len(riddle.pattern.FindAllString(comment, -1)); n > 0 {
					counts[i] += n
					found[i] = append(found[i], set.Position(at).String())
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if words < 100_000 {
		t.Fatalf("%d words; this test does not see the comments", words)
	}
	for i, riddle := range mostRiddles {
		if rate := 1000 * float64(counts[i]) / float64(words); rate > riddle.most {
			t.Errorf("%v: %.2f in 1,000 words of comment, want at most %v; name the thing by its noun: %s", riddle.pattern, rate, riddle.most, strings.Join(found[i], " "))
		}
	}
}
