package dataset_test

import (
	"fmt"

	"starling/mechanisms/rng"
	"starling/scenarios/problem/dataset"
)

// Data with the labels 0 to 3 among four parties: evenly, and each party with its own
// label.
func ExampleSplit() {
	labels := []uint8{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}
	key := rng.NewKey(1, rng.PurposeOf("example.split"))
	for _, kind := range []string{"iid", "by-label"} {
		parts, err := dataset.Split(dataset.PartitionOptions{Kind: kind}, labels, 4, key)
		if err != nil {
			fmt.Println(err)
			return
		}
		for party, part := range parts {
			fmt.Print(kind, " ", party, ":")
			for _, i := range part {
				fmt.Print(" ", labels[i])
			}
			fmt.Println()
		}
	}
	// Output:
	// iid 0: 3 0 0
	// iid 1: 0 2 3
	// iid 2: 2 2 3
	// iid 3: 1 1 1
	// by-label 0: 0 0 0
	// by-label 1: 1 1 1
	// by-label 2: 2 2 2
	// by-label 3: 3 3 3
}

// Images that need no file: for trying a scenario out, and for tests.
func ExampleNewSynthetic() {
	options := dataset.DefaultSyntheticOptions()
	options.Train, options.Test = 100, 20
	set, err := dataset.NewSynthetic(options, rng.NewKey(1, dataset.PurposeSynthetic))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(set.Train.Len(), "and", set.Test.Len(), "images of", set.Classes, "classes")
	fmt.Println("of each class for training:", set.Train.Counts(set.Classes))
	// Output:
	// 100 and 20 images of 10 classes
	// of each class for training: [10 10 10 10 10 10 10 10 10 10]
}

// What is known of a data set: its title, its licence, and where it comes from.
func ExampleFind() {
	set, err := dataset.Find("mnist")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(set.Title, "has", len(set.Downloads), "files to download")
	_, err = dataset.Find("mnits")
	fmt.Println(err)
	// Output:
	// MNIST database of handwritten digits has 4 files to download
	// unknown data set "mnits"; known: mnist, fashion-mnist, cifar-10, movielens-1m
}
