package claim_test

import (
	"fmt"

	"starling/scenarios/claim"
)

// Verdicts that runs are expected to give make of a library a regression test.
func ExampleDecodeExpected() {
	expected, err := claim.DecodeExpected("verdicts.yaml", []byte(`
version: 1
quick: true
verdicts:
  dpdonc-nodes: {converges: holds, step-privacy: does not hold}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range expected.Scenarios[0].Claims {
		fmt.Println(expected.Scenarios[0].Name, v.ID, "is expected as:", v.Verdict)
	}
	// Output:
	// dpdonc-nodes converges is expected as: holds
	// dpdonc-nodes step-privacy is expected as: does not hold
}
