// Package prediction plans federated prediction from experts (Gao, Huang, Yang):
// Fed-DP-OPE-Stoch and Fed-SVT, their sections of a scenario, what their releases cost, and
// their audits. The algorithms themselves are actors/algorithm/opestoch and fedsvt.
package prediction
