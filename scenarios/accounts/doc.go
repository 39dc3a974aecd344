// Package accounts reports the ledger of an arm: the rows of privacy.parquet, the entries of
// the manifest, curves of privacy over time, and the neighbours that an epsilon is for.
//
//	ledger.Ledger (of a job) --PrivacyRows-->   privacy.parquet     rows.go
//	                         --Contradictions-> warnings            rows.go
//	                         --ModelCosts-->    the model's file    models.go
//	study.Arm                --LedgerEntries--> manifest.json       tables.go
//	results.Run              --LedgerTable, PrivacyCurves-->        `starling privacy`
//
// It adds up nothing itself: package ledger does, and package accountant converts.
package accounts
