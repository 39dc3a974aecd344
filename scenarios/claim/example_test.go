package claim_test

import (
	"fmt"

	"starling/scenarios/claim"
	"starling/scenarios/results"
)

// A claim is data: a sentence, where the paper has it, and the test that decides it.
// Here noise costs accuracy, and how sure that is depends on the seeds.
func ExampleDecide() {
	file, err := claim.Decode("claims.yaml", []byte(`
version: 1
claims:
  - id: noise-costs
    source: {where: "Fig. 1"}
    says: Without noise the loss is smaller.
    test: {kind: ordered, metric: loss, at: last, arms: [quiet, noisy]}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, seeds := range []int{4, 40} {
		data := claim.NewData(results.Manifest{Arms: []results.ArmEntry{{Name: "quiet"}, {Name: "noisy"}}}, file.Claims, nil)
		for i, arm := range []string{"quiet", "noisy"} {
			for seed := range seeds {
				loss := 1 + 0.5*float64(i) + 0.2*float64(seed%4)*float64(i) // 0.8 more in the mean
				data.AddRow(results.Row{Arm: arm, Seed: uint64(seed + 1), Step: 10, Metric: "loss", Value: loss})
			}
		}
		decision, err := claim.Decide(file.Claims[0], data)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(seeds, "seeds:", decision.Verdict)
	}
	// Output:
	// 4 seeds: undecided
	// 40 seeds: holds
}

// A claim file is read strictly: what is wrong has its place.
func ExampleDecode() {
	_, err := claim.Decode("claims.yaml", []byte(`version: 1
claims:
  - id: noise-costs
    source: {where: "Fig. 1"}
    says: Without noise the loss is smaller.
    test: {kind: orderd, metric: loss, at: last, arms: [quiet, noisy]}
`))
	fmt.Println(err)
	// Output:
	// claims.yaml:6:18: claims[0].test.kind: unknown kind "orderd"; did you mean "ordered"?
}
