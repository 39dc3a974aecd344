package document_test

import (
	"errors"
	"fmt"
	"os"

	"starling/scenarios/document"
)

// A section whose keys depend on its kind is captured as a node and decoded in
// a second step. All problems are reported at once, each at its place.
func Example() {
	text := []byte("mechanism:\n  kind: laplace\n  epsilom: 0.50\nsteps: many\n")
	file, err := document.Parse("scenario.yaml", text)
	if err != nil {
		fmt.Println(err)
		return
	}
	var scenario struct {
		Steps     int            `yaml:"steps,required"`
		Mechanism *document.Node `yaml:"mechanism,required"`
	}
	var laplace struct {
		Kind    string  `yaml:"kind"`
		Epsilon float64 `yaml:"epsilon,required"`
	}
	problems := file.Resolve("", document.Decode(file.Root(), &scenario))
	problems = append(problems, file.Resolve("", document.Decode(scenario.Mechanism, &laplace))...)
	problems = append(problems, file.Resolve("mechanism", document.At("kind", "is not for this"))...)
	if err := problems.Render(os.Stdout, file.Line); err != nil {
		fmt.Println(err)
	}
	// Output:
	// scenario.yaml:2:9: mechanism.kind: is not for this
	//     2 |   kind: laplace
	//       |         ^^^^^^^
	// scenario.yaml:3:3: unknown key "epsilom" in mechanism; did you mean "epsilon"?
	//     3 |   epsilom: 0.50
	//       |   ^^^^^^^
	// scenario.yaml:4:8: steps: expected an integer, got the string "many"
	//     4 | steps: many
	//       |        ^^^^
}

func ExampleDocument_Set() {
	file, err := document.Parse("scenario.yaml", []byte("mechanism: {kind: laplace, epsilon: 0.50}\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	changed, err := file.Set("mechanism.epsilon", "1e-3", "--set mechanism.epsilon")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(string(changed.Bytes()))
	fmt.Println(changed.Position("mechanism.epsilon"))
	_, err = file.Set("mechanism.epsilon", "[1, 2", "--set mechanism.epsilon")
	var issues document.Issues
	fmt.Println(errors.As(err, &issues), err)
	// Output:
	// mechanism:
	//   kind: laplace
	//   epsilon: 1e-3
	// --set mechanism.epsilon:1:1
	// true --set mechanism.epsilon:1:1: this [ is never closed
}

// What people mistype has a nearest word; where nothing is near, the words are listed.
func ExampleUnknown() {
	kinds := []string{"laplace", "gaussian", "none"}
	fmt.Println(document.Unknown("mechanism", "laplce", kinds))
	fmt.Println(document.Unknown("mechanism", "uniform", kinds))
	// Output:
	// unknown mechanism "laplce"; did you mean "laplace"?
	// unknown mechanism "uniform"; known: laplace, gaussian, none
}

// Code that checks values names the key; the file adds the place.
func ExampleAt() {
	file, err := document.Parse("study.yaml", []byte("seeds:\n  count: 0\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	err = document.At("seeds.count", "0 seeds; at least 1 is needed")
	fmt.Println(file.Resolve("", err))
	// Output:
	// study.yaml:2:10: seeds.count: 0 seeds; at least 1 is needed
}

// Defaults are what a struct holds before it is decoded.
func ExampleDecode() {
	file, err := document.Parse("study.yaml", []byte("{steps: 1e3, every: null}\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	every := 5
	study := struct {
		Steps int     `yaml:"steps,required"`
		Every *int    `yaml:"every"`
		Scale float64 `yaml:"scale"`
	}{Every: &every, Scale: 0.5}
	err = document.Decode(file.Root(), &study)
	fmt.Println(study.Steps, study.Every == nil, study.Scale, err)
	// Output:
	// 1000 true 0.5 <nil>
}
