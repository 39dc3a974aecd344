// Package dpfl plans DPFL and ALI-DPFL (Ling, Fu, Wang, Liu, Chen): their section of a
// scenario, how a budget of rounds and privacy is spent, and their audit. The algorithms
// themselves are actors/algorithm/dpfl.
package dpfl
