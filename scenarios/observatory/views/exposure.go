package views

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"starling/scenarios/accounts"
	"starling/scenarios/document"
	"starling/scenarios/results"
	"starling/scenarios/results/tabular"
)

// Exposure is the privacy loss of the data of a node by the end of a job, by observer.
type Exposure struct {
	// Unit is the protected unit, such as a datum or a whole client, and Neighbours the adjacency; both
	// are empty where the arm accounts for no privacy.
	Unit       string `json:"unit"`
	Neighbours string `json:"neighbours"`
	// Observers has a row for the observers with equal losses, divided by "; ", the largest loss first. Single nodes
	// are in Peers.
	Observers Table `json:"observers"`
	// Peers are the losses to and from single other nodes, the largest loss to one first; empty where
	// the run does not account for pairs.
	Peers []PeerLoss `json:"peers"`
}

// PeerLoss is the epsilon that another node can learn of a node, and that the node can learn of it, as
// text; empty where there is none.
type PeerLoss struct {
	Node   int32  `json:"node"`
	Learns string `json:"learns"`
	Shows  string `json:"shows"`
	learns float64
}

// Exposure returns the losses of the data of a node, by its number in print. The step of the moment is not
// used. A node that is no protected unit, such as a Byzantine node, has no observers.
func (f *Folder) Exposure(id string, m Moment, node int32) (*Exposure, error) {
	e := &Exposure{Observers: Table{Header: []string{"observer", "epsilon of the run", "delta"}, Rows: [][]string{}}, Peers: []PeerLoss{}}
	o, err := f.opened(id)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(o.Source.Manifest.Arms, func(arm results.ArmEntry) bool { return arm.Name == m.Arm })
	if i < 0 {
		return nil, document.BadInput(fmt.Errorf("the run has no arm %q", m.Arm))
	}
	if !m.Seeded {
		m.Seed = o.Source.Manifest.Seeds.Base
	}
	for _, entry := range o.Source.Manifest.Ledger {
		if entry.Arm == m.Arm {
			e.Unit, e.Neighbours = entry.Unit, entry.Neighbours
		}
	}
	var rows []results.PrivacyRow // of the node, to others than single nodes
	peers := map[int32]*PeerLoss{}
	peer := func(number int32) *PeerLoss {
		if peers[number] == nil {
			peers[number] = &PeerLoss{Node: number, learns: math.NaN()}
		}
		return peers[number]
	}
	err = o.Source.Privacy(func(row results.PrivacyRow) error {
		if row.Arm != m.Arm || row.Seed != m.Seed || !row.Final {
			return nil
		}
		mine, single := node >= row.Unit && node < row.Unit+row.Units, accounts.Single(row.Observer)
		switch {
		case single < 0 && mine:
			rows = append(rows, row)
		case single >= 0 && single != node && mine:
			p := peer(single)
			p.Learns, p.learns = tabular.FormatValue(row.Epsilon), row.Epsilon
		case single == node && row.Units <= mostUnits:
			for unit := row.Unit; unit < row.Unit+row.Units; unit++ {
				if unit != node {
					peer(unit).Shows = tabular.FormatValue(row.Epsilon)
				}
			}
		}
		return nil
	})
	e.observers(rows)
	for _, p := range peers {
		e.Peers = append(e.Peers, *p)
	}
	slices.SortFunc(e.Peers, func(a, b PeerLoss) int {
		return cmp.Or(cmp.Compare(b.learns, a.learns), cmp.Compare(a.Node, b.Node))
	})
	return e, err
}

// observers fills in the table of observers; those with one loss share a row.
func (e *Exposure) observers(rows []results.PrivacyRow) {
	slices.SortStableFunc(rows, func(a, b results.PrivacyRow) int { return cmp.Compare(b.Epsilon, a.Epsilon) })
	for _, row := range rows {
		delta := "-"
		if row.Delta > 0 && !math.IsInf(row.Epsilon, 1) {
			delta = tabular.FormatValue(row.Delta)
		}
		cells := []string{row.Observer, tabular.FormatValue(row.Epsilon), delta}
		if last := len(e.Observers.Rows) - 1; last >= 0 && slices.Equal(e.Observers.Rows[last][1:], cells[1:]) {
			e.Observers.Rows[last][0] += "; " + row.Observer
			continue
		}
		e.Observers.Rows = append(e.Observers.Rows, cells)
	}
}
