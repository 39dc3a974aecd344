package observatory

import (
	"bytes"
	"testing"
)

// What is kept has a limit: the oldest answers go, and one that is too long is not kept.
func TestKeptAnswers(t *testing.T) {
	var k kept
	half := bytes.Repeat([]byte("x"), mostRemembered/2)
	for _, key := range []string{"a", "b", "b", "c"} {
		k.put(key, half)
	}
	k.put("long", make([]byte, mostRemembered+1))
	if k.get("a") != nil || k.get("b") == nil || k.get("c") == nil || k.get("long") != nil || k.size > mostRemembered {
		t.Errorf("a %t, b %t, c %t, long %t, %d bytes", k.get("a") != nil, k.get("b") != nil, k.get("c") != nil, k.get("long") != nil, k.size)
	}
}
