// Package replay runs a job of a finished run again and shows what happened in it. A run
// keeps metrics and no messages: those are computed anew, bit for bit.
//
//	Run       the turns of one node: inbox, outbox, state, and what it was charged
//	Passage   what was sent in a step, and what became of it, link by link
//
// Run holds the metrics that it meets against those that the run recorded. The package
// writes nothing, and knows no page and no command.
package replay
