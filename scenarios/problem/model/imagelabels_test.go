package model

import (
	"testing"

	"starling/scenarios/problem/dataset"
)

// The numbers of labels at clients, of three: all of them where images are dealt
// evenly, one of each where labels are, and as many as are asked for.
func TestLabels(t *testing.T) {
	for _, test := range []struct {
		partition         dataset.PartitionOptions
		clients           int
		fewest, most, all int
	}{
		{dataset.PartitionOptions{Kind: dataset.PartitionIID}, 2, 3, 3, 3},
		{dataset.PartitionOptions{Kind: dataset.PartitionByLabel}, 3, 1, 1, 3},
		{dataset.PartitionOptions{Kind: dataset.PartitionByLabel}, 2, 1, 2, 3}, // labels 0 and 2, and 1
		{dataset.PartitionOptions{Kind: dataset.PartitionByLabel, Labels: 2}, 3, 2, 2, 3},
		{dataset.PartitionOptions{Kind: dataset.PartitionShards, Shards: 3, PerClient: 1}, 1, 1, 1, 1},
	} {
		o := options(t)
		o.Partition = test.partition
		fewest, most, all, err := imageProblem(t, o).Labels(7, test.clients)
		if err != nil || fewest != test.fewest || most != test.most || all != test.all {
			t.Errorf("%+v, %d clients: %d to %d of %d, %v; want %d to %d of %d", test.partition, test.clients, fewest, most, all, err, test.fewest, test.most, test.all)
		}
	}
	o := options(t)
	o.Partition = dataset.PartitionOptions{Kind: dataset.PartitionByLabel, Labels: 2}
	if _, _, _, err := imageProblem(t, o).Labels(7, 1); err == nil {
		t.Error("one client of two labels has all three")
	}
}
