package aggregation

import (
	"math"

	"starling/messages"
	"starling/scenarios/section/networks"
)

// zoned has the time zones with the fewest and with the most reports so far, by their shares of clients.
type zoned struct {
	share        float64 // of the reports in the zone with the fewest, as a multiple of its share of clients; 1 without zones
	rare, common int     // of equal zones, the first
}

// zoneCounts are the reports so far by time zone. Without zones they are none.
type zoneCounts struct {
	there   *networks.Presence
	reports []int
	all     int
}

// zonesOf counts the reports of clients with an availability; nil is without zones.
func zonesOf(there *networks.Presence) zoneCounts {
	return zoneCounts{there: there, reports: make([]int, there.Zones())}
}

// add adds a report of a client.
func (z *zoneCounts) add(client messages.NodeID) {
	if len(z.reports) > 0 {
		z.reports[z.there.Zone(client)]++
	}
	z.all++
}

// compare compares the zones.
func (z *zoneCounts) compare() zoned {
	of := zoned{share: 1}
	least, most := math.Inf(1), -1.0
	for zone, count := range z.reports {
		share := float64(count) / (float64(z.all) * z.there.Share(zone))
		of.share = min(of.share, share)
		if share < least {
			of.rare, least = zone, share
		}
		if share > most {
			of.common, most = zone, share
		}
	}
	return of
}
