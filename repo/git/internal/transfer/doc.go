// Package transfer fetches from remotes and pushes to them.
//
// A fetch receives one pack with the objects that the mirror lacks. A push sends only the new objects to
// one branch. It creates that branch or fast-forwards it, and does nothing else. It reads the branch on the
// remote before and after: if the branch is already at the commit, the push has succeeded. A failure at the
// remote is a *remote.Error, a failure on this machine wraps remote.ErrLocal.
package transfer
