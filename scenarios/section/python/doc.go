// Package python reads sections that name a class in a file of Python code, and the problem
// whose costs such a class computes. What runs it is package external; nothing is run, and no
// code of the user's is loaded, while a scenario is checked.
package python
