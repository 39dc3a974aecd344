// Package kind is the form of the catalog: what scenarios can name, by the section
// that names it, with what builds each. It lists nothing itself: package scenarios
// does, and hands the list to the builders.
package kind
