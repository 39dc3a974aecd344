package observatory

import "testing"

// A name that some system takes for a device, or for another place, is none of a saved file.
func TestNames(t *testing.T) {
	for _, name := range []string{"con.yaml", "NUL.yaml", "aux.yml", "prn.x.yaml", "com1.yaml", "Lpt9.yaml", "../a.yaml", ".a.yaml", "a.txt"} {
		if checkName(name) == nil {
			t.Errorf("%s is taken", name)
		}
	}
	for _, name := range []string{"a.yaml", "console.yaml", "com.yaml", "null.yaml", "com10.yaml", "x.con.yaml"} {
		if err := checkName(name); err != nil {
			t.Error(err)
		}
	}
}
