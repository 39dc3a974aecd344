package document

import "strings"

// Nearest returns the candidate that a mistyped word most likely means: the one at the least
// edit distance (insertion, deletion, substitution and exchange of neighbours each cost 1, case
// costs nothing), of equals the one that is the nearest in length, and then the first. None is
// close beyond a third of the word's length and beyond 3; then it is the only candidate that
// begins with the word, of 3 letters or more. It returns false where there is none either.
func Nearest(word string, candidates []string) (string, bool) {
	target := []rune(strings.ToLower(word))
	nearest, least, unlike := "", min(max(len(target)/3, 1), 3)+1, 0
	for _, candidate := range candidates {
		other := []rune(strings.ToLower(candidate))
		longer := max(len(other)-len(target), len(target)-len(other))
		if longer > least || longer == least && nearest == "" {
			continue
		}
		if d := editDistance(target, other); d < len(other) && (d < least || d == least && nearest != "" && longer < unlike) {
			nearest, least, unlike = candidate, d, longer
		}
	}
	if nearest == "" && len(target) >= 3 {
		for _, candidate := range candidates {
			if !strings.HasPrefix(strings.ToLower(candidate), string(target)) {
				continue
			}
			if nearest != "" {
				return "", false
			}
			nearest = candidate
		}
	}
	return nearest, nearest != ""
}

// editDistance is the optimal string alignment distance of Damerau and
// Levenshtein, by the usual recurrence over prefixes of a and b. It keeps the
// last three rows of the table.
func editDistance(a, b []rune) int {
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}
