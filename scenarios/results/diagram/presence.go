package diagram

import "strconv"

// Presence is a chart of the steps in which nodes are there: a row for each node, with a bar over
// its steps.
type Presence struct {
	// Title stands before the words on the chart; it may be empty.
	Title string
	// First and Last are the steps of the chart, in print.
	First, Last int
	Rows        []PresenceRow
}

// PresenceRow is the row of a node.
type PresenceRow struct {
	Name string
	// There are the first and the last step of each time in which the node is there, ascending.
	There [][2]int
}

// The measures of a chart of presence, in units of a sheet of the usual letters.
const (
	presenceLeft  = 34 // the room for the numbers of nodes
	presenceRight = 16
	presenceRow   = 9
	presenceBar   = 0.5 // the height of a bar beside the height of a row
	presenceTop   = 16  // the room for its title
	presenceFoot  = 24  // the room for the numbers of steps
	presenceTicks = 6
)

// sheet lays out the chart over the width of a sheet, below a height. Its Height is its own.
func (p *Presence) sheet(width, top, letters float64) *Sheet {
	left, row := presenceLeft*letters, presenceRow*letters
	side := width - left - presenceRight*letters
	s := &Sheet{Width: width, Left: left, Top: top + presenceTop*letters, Side: side, letters: letters}
	s.Picture = Picture{Title: "the steps in which nodes take part", To: side}
	at := func(step int) float64 {
		return side * float64(step-p.First) / float64(max(1, p.Last+1-p.First))
	}
	s.add(Text{At: Point{left + side/2, top + 8*letters}, Align: "middle", Size: captionSize * letters, Text: p.Title + "steps in which a node takes part"})
	for k, r := range p.Rows {
		bars := Item{Class: Bar, Title: "node " + r.Name, Opacity: 1}
		y := float64(k) * row
		for _, span := range r.There {
			bars.Shapes = append(bars.Shapes, Shape{Kind: Field, Points: []Point{{at(span[0]), y + row*(1-presenceBar)/2}, {at(span[1] + 1), y + row*(1+presenceBar)/2}}})
		}
		s.Picture.Items = append(s.Picture.Items, bars)
		s.add(Text{At: Point{left - 4*letters, s.Top + y + float64(0.72*row)}, Align: "end", Size: tickSize * letters, Text: r.Name})
	}
	bottom := s.Top + row*float64(len(p.Rows))
	for _, step := range p.ticks() {
		s.add(Text{At: Point{left + at(step), bottom + 8*letters}, Align: "middle", Size: tickSize * letters, Text: strconv.Itoa(step)})
	}
	s.add(Text{At: Point{left + side/2, bottom + 18*letters}, Align: "middle", Size: captionSize * letters, Text: "step"})
	s.Height = presenceTop*letters + row*float64(len(p.Rows)) + presenceFoot*letters
	return s
}

// ticks are the steps with numbers: the first, and round ones.
func (p *Presence) ticks() []int {
	every := 1
	for k := 0; (p.Last-p.First)/every > presenceTicks; k++ {
		every = []int{1, 2, 5}[k%3]
		for range k / 3 {
			every *= 10
		}
	}
	list := []int{p.First}
	for step := (p.First/every + 1) * every; step <= p.Last; step += every {
		if step-p.First > every/3 {
			list = append(list, step)
		}
	}
	return list
}
