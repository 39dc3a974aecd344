package document

import "fmt"

// Counted returns a number with its noun, for messages and notes: "1 seed", "20 seeds".
func Counted[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
