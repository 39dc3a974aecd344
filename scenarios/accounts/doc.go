// Package accounts says what the ledger of an arm comes to: the rows of privacy.parquet,
// the entries of the manifest, curves of privacy over time, and which neighbours an
// epsilon is for. It adds up nothing itself: package ledger does.
package accounts
