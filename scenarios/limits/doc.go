// Package limits holds how large scenarios can be, and counts what one takes. It
// refuses nothing itself: who checks a section compares.
package limits
