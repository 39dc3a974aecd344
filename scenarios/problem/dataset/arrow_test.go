package dataset

import (
	"encoding/base64"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Schemas that pyarrow 26.0.1 has written: of a text, durations in ms, s, us and ns, an integer,
// a structure with an integer, and a text; and, with pandas 3.1.1, of months and numbers.
const (
	durations = "/////+ABAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAMAAAACAAIAAAABAAIAAAABAAAAAgAAACAAQAARAEAABQBAADoAAAAvAAAAIQAAAAsAAAABAAAALD+//8AAAEFEAAAABQAAAAEAAAAAAAAAAEAAAB5AAAAnP7//9T+//8AAAENFAAAABgAAAAEAAAAAQAAABAAAAACAAAAc3QAAMT+///8/v//AAABAhAAAAAUAAAABAAAAAAAAAABAAAAeAAAANT///8AAAABQAAAACj///8AAAECEAAAABwAAAAEAAAAAAAAAAEAAABjAAAACAAMAAgABwAIAAAAAAAAAUAAAABc////AAABEhAAAAAUAAAABAAAAAAAAAACAAAAbnMAALL///8AAAMAhP///wAAARIQAAAAFAAAAAQAAAAAAAAAAgAAAHVzAADa////AAACAKz///8AAAESEAAAABgAAAAEAAAAAAAAAAEAAABzAAYACAAGAAYAAAAAAAAA2P///wAAARIQAAAAGAAAAAQAAAAAAAAABAAAAHRvb2sAAAAAyP///xAAFAAIAAYABwAMAAAAEAAQAAAAAAABBRAAAAAcAAAABAAAAAAAAAAGAAAAY2xpZW50AAAEAAQABAAAAAAAAAA="
	months    = "/////1ABAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAMAAAACAAIAAAABAAIAAAABAAAAAIAAABUAAAAFAAAABAAFAAIAAYABwAMAAAAEAAQAAAAAAABAxAAAAAYAAAABAAAAAAAAAABAAAAeAAGAAYABAAGAAAAAgASABgACAAGAAcADAAAABAAFAASAAAAAAABAhQAAACwAAAACAAAABAAAAAAAAAAAQAAAHAAAAACAAAATAAAAAQAAADE////HAAAAAQAAAANAAAAcGFuZGFzLnBlcmlvZAAAABQAAABBUlJPVzpleHRlbnNpb246bmFtZQAAAAAIAAwABAAIAAgAAAAcAAAABAAAAA0AAAB7ImZyZXEiOiAiTSJ9AAAAGAAAAEFSUk9XOmV4dGVuc2lvbjptZXRhZGF0YQAAAAAIAAwACAAHAAgAAAAAAAABQAAAAAAAAAA="
)

func TestFields(t *testing.T) {
	for name, test := range map[string]struct {
		value string
		want  []arrowField
	}{
		"durations": {durations, []arrowField{{Name: "client"}, {Name: "took", Ticks: 1e3}, {Name: "s", Ticks: 1}, {Name: "us", Ticks: 1e6}, {Name: "ns", Ticks: 1e9}, {Name: "c"}, {Name: "st"}, {Name: "y"}}},
		"months":    {months, []arrowField{{Name: "p", Extension: "pandas.period"}, {Name: "x"}}},
	} {
		got, err := arrowFields(test.value)
		if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

// What is damaged is refused, wherever it is, or has the fields that it had; nothing is read
// outside of it.
func TestDamagedFields(t *testing.T) {
	whole, err := base64.StdEncoding.DecodeString(months)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for k := range whole {
		for _, with := range []byte{0, 0x7f, 0xff, whole[k] ^ 4} {
			changed := append([]byte(nil), whole...)
			changed[k] = with
			if _, err := arrowFields(base64.StdEncoding.EncodeToString(changed)); err != nil {
				refused++
			}
		}
		if _, err := arrowFields(base64.StdEncoding.EncodeToString(whole[:k])); err != nil {
			refused++
		}
	}
	if refused < len(whole) { // those that are cut off before their last field, and many more
		t.Errorf("%d of %d damaged schemas are refused", refused, 5*len(whole))
	}
	for _, value := range []string{"", "!", "AAAA"} {
		if _, err := arrowFields(value); err == nil {
			t.Errorf("%q is taken for a schema", value)
		}
	}
}
