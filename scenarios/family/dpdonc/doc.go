// Package dpdonc plans DPDO-NC (Zhou, Li): its section of a scenario, what its releases
// cost, its notes, Theorem 2 among them, and its audit. The algorithm itself is
// actors/algorithm/dpdonc.
package dpdonc
