// Package replay runs a job of a finished run again and shows its messages and states. A run
// keeps metrics and no messages: messages are computed anew, bit for bit.
//
//	Run       the turns of one node: inbox, outbox, state, and charged losses
//	Passage   the messages of a step and their fates, link by link
//
// Run compares the metrics that it meets with the recorded ones. The package writes nothing,
// and knows no page and no command.
package replay
