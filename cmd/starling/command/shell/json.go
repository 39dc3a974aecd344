package shell

import (
	"encoding/json"
	"io"
	"math"

	"github.com/spf13/cobra"
)

// Number is a float64 that JSON shows with all its digits, or as null where it
// is infinite or NaN.
type Number float64

// MarshalJSON implements json.Marshaler.
func (x Number) MarshalJSON() ([]byte, error) {
	if f := float64(x); math.IsInf(f, 0) || math.IsNaN(f) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(x))
}

// AddJSON adds --json to a verb and returns whether it is given. what describes the output: an
// object or an array, with its fields.
func AddJSON(cmd *cobra.Command, what string) (asked *bool) {
	return cmd.Flags().Bool("json", false, "print JSON: "+what)
}

// WriteJSON prints a value, indented.
func WriteJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
