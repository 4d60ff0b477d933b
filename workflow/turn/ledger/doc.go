// Package ledger is one session's rows as a turn sees them, and the program's own voice in
// the thread.
//
// Record writes parts in one transaction under the session's epoch (see workflow/store),
// with secrets masked in everything that people or models will read. It fails with
// store.ErrFenced when a later turn has begun, and with store.ErrStale when an approval no
// longer counts. ProgramLine makes a line in the orchestrator's name; SayOnce, SayIfNew and
// SayUnlessNewest post one at most once, also when a turn is done again after a crash.
//
// Every room of a turn stands on the ledger, and the ledger on the store alone.
package ledger
