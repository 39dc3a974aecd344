package forecast

import (
	"fmt"
	"strconv"

	"starling/scenarios/document"
	"starling/scenarios/limits"
	"starling/scenarios/study"
	"starling/scenarios/study/arms"
)

// pilotSize is the size up to which an arm is measured as it is: 40,000 participants in ten
// dimensions. A larger arm is measured with as few participants as give this size, and with
// smaller times fewer. Its costs are assumed to grow linearly.
const (
	pilotSize = 1 << 20
	smaller   = 4
)

// subject is an arm to measure, with the variant from which it is built.
type subject struct {
	arm     *study.Arm
	variant study.Variant
}

// sized are pilots of an arm of a size.
type sized struct {
	size float64
	pilots
}

// subjects returns the arms to measure for the i-th arm, in the order of their sizes.
func (c *calibration) subjects(i int) ([]subject, error) {
	real := subject{c.scenario.Arms[i], c.variants[i]}
	size := sizeOf(real.arm)
	if size <= pilotSize {
		return []subject{real}, nil
	}
	var list []subject
	for _, of := range []float64{pilotSize / smaller, pilotSize} {
		small, ok := c.withNodes(real, int(float64(real.arm.File.Nodes)*of/size))
		if !ok || len(list) > 0 && sizeOf(small.arm) <= sizeOf(list[0].arm) {
			return []subject{real}, c.fits(real.arm)
		}
		list = append(list, small)
	}
	return list, nil
}

// withNodes returns an arm with another number of nodes; ok reports whether there is such an
// arm. There is none where the graph, the data or a rule fix the number of nodes.
func (c *calibration) withNodes(of subject, nodes int) (small subject, ok bool) {
	doc, err := of.variant.Document.Set("nodes", strconv.Itoa(nodes), "estimate")
	if err != nil || nodes < 1 {
		return subject{}, false
	}
	small.variant = of.variant
	small.variant.Document = doc
	arm, issues := arms.New(c.builder, small.variant)
	if issues.Err() != nil || arm == nil {
		return subject{}, false
	}
	small.arm = arm
	return small, sizeOf(arm) < sizeOf(of.arm)
}

// fits refuses an arm that has to be measured as it is, and whose decisions and edges alone
// do not fit in memory.
func (c *calibration) fits(arm *study.Arm) error {
	least := int64(8 * (limits.Product(arm.Extent.Participants, arm.Extent.Dim) + arm.Topology.Edges + arm.Topology.Drawn))
	if c.options.Memory == 0 || least <= c.options.Memory {
		return nil
	}
	return document.BadInput(fmt.Errorf("the run takes at least %s of memory, and may take %s; raise the limit, or run fewer nodes",
		FormatBytes(least), FormatBytes(c.options.Memory)))
}

// wholeOf returns the cost of a job of a size with so many steps and records, from pilots of
// that size, or of two smaller ones.
func wholeOf(list []sized, size float64, steps, points int) quantities {
	last := list[len(list)-1]
	large := last.whole(steps, points)
	if len(list) == 1 {
		return large
	}
	small := list[0].whole(steps, points)
	share := (size - last.size) / (last.size - list[0].size)
	whole := each(func(of func(q *quantities) float64) float64 {
		return of(&large) + float64(share*max(0, of(&large)-of(&small)))
	})
	// A participant takes no more memory among more of them; the memory in the middle of a
	// short run is not measured well.
	whole.held = min(whole.held, large.held*size/last.size)
	whole.copied = min(whole.copied, large.copied*size/last.size)
	whole.allocated = min(whole.allocated, large.allocated*size/last.size)
	return whole
}
