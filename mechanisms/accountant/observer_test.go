package accountant_test

import (
	"slices"
	"strings"
	"testing"

	"starling/mechanisms/accountant"
)

func TestObservers(t *testing.T) {
	for text, want := range map[string]string{
		"wire": "wire", "public": "public", "node 3": "node 3", "nodes 3": "node 3", "nodes 4,1": "nodes 1, 4", "nodes 10, 9 , 0": "nodes 0, 9, 10",
		"level edge": "level edge", "wire below my cloud": "wire below my cloud",
	} {
		o, err := accountant.ParseObserver(text)
		if err != nil || string(o) != want {
			t.Errorf("%q: %q, %v, want %q", text, o, err, want)
		}
		if again, err := accountant.ParseObserver(want); err != nil || again != o {
			t.Errorf("%q is read as %q, %v", want, again, err)
		}
	}
	for _, text := range []string{"", "node", "node ", "node x", "node -1", "nodes 1, 1", "nodes 1,", "nobody", "node 1.5", "level ", "level", "wire below ", "node 99999999999999999999"} {
		if o, err := accountant.ParseObserver(text); err == nil || !strings.Contains(err.Error(), `such as "nodes 1, 4"`) {
			t.Errorf("%q: %q, %v", text, o, err)
		}
	}
	numbers := []int{7, 2}
	o := accountant.Coalition(numbers...)
	if members, ok := o.Members(); !ok || !slices.Equal(members, []int{2, 7}) || !slices.Equal(numbers, []int{7, 2}) {
		t.Errorf("%v, %v of %q, from %v", members, ok, o, numbers)
	}
	if a, b := accountant.OfLevel("edge"), accountant.WireBelow("edge"); a != "level edge" || b != "wire below edge" {
		t.Errorf("observers %q and %q", a, b)
	}
	if members, ok := accountant.Peer.Members(); ok {
		t.Errorf("peer is %v", members)
	}
}
