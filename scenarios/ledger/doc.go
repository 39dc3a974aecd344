// Package ledger is the book of a run: what participants pay, to whom they show what,
// what a plan has them pay, and what a budget allows. It knows observers and protected
// units, and no arm, scenario or algorithm; package accounts says what the book of an
// arm comes to.
package ledger
