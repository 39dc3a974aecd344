// Package ofl plans online federated learning with correlated noise (Zhang, Zhu, Fay,
// Johansson): its section of a scenario, what its releases cost, its bounds of regret, and
// its audit. The algorithm itself is actors/algorithm/ofl.
package ofl
