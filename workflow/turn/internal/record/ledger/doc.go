// Package ledger reads and writes one session's rows for a turn, and posts the program's own lines in
// the thread.
//
// Record writes parts in one transaction under the session's epoch (see workflow/store), with secrets
// masked in everything that people or models will read. It fails with store.ErrFenced when a later turn
// has begun, and with store.ErrStale when an approval no longer counts. ProgramLine makes a line in the
// orchestrator's name. SayOnce, SayIfNew and SayUnlessNewest post a line at most once, also when a turn
// is repeated after a crash.
//
// The other packages of a turn build on ledger, and ledger builds on the store only.
package ledger
