package report

import "starling/scenarios/results/diagram"

// mostMovie is the number of bytes that the pieces of a movie may take together. A movie that
// would take more ends before.
const mostMovie = 1 << 20

// movie is a network that changes, as the page's script reads it: each step is
// put together from pieces, which steps share.
type movie struct {
	Pieces []string `json:"pieces"`
	Frames []frame  `json:"frames"`
}

// frame is a step of a movie.
type frame struct {
	Title  string `json:"title"`
	Text   string `json:"text"`
	Pieces []int  `json:"pieces"` // indices into the movie's, in order
}

// newMovie cuts the graphs into pieces. Of graphs that are not drawn there is no
// movie.
func newMovie(steps []diagram.Graph) (m movie) {
	known := map[string]int{}
	bytes := 0
	for i := range steps {
		pieces := diagram.Pieces(&steps[i])
		if pieces == nil {
			return movie{}
		}
		before := len(m.Pieces)
		f := frame{Title: steps[i].Title, Text: diagram.Caption(&steps[i])}
		for _, piece := range pieces {
			piece = labelled(piece)
			at, ok := known[piece]
			if !ok {
				at = len(known)
				known[piece] = at
				m.Pieces = append(m.Pieces, piece)
				bytes += len(piece)
			}
			f.Pieces = append(f.Pieces, at)
		}
		if bytes > mostMovie {
			m.Pieces = m.Pieces[:before]
			return m
		}
		m.Frames = append(m.Frames, f)
	}
	return m
}
