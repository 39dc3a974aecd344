// Package problems reads the problem section of a scenario: problems of nodes that are
// equals, streams of data, images, and adversaries of prediction from experts. What is
// learned is in scenarios/problem.
package problems
