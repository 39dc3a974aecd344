package observatory

import "time"

// SetSlowest sets how long whoever has asked may take to read an answer.
func (s *Server) SetSlowest(d time.Duration) { s.slowest = d }

// Busy is how many answers are being worked out.
func (s *Server) Busy() int { return len(s.heavy) + len(s.looks) }
