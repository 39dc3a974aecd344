// Package sets reads the sections of decision sets and of Bregman divergences.
package sets
