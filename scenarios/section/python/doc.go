// Package python reads sections that name a class in a file of Python code, and the problem
// with costs that such a class computes. Package pyproblem runs the class. While a scenario is
// checked nothing is run, and no code of the user's is loaded.
package python
