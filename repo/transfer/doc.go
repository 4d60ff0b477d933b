// Package transfer fetches from remotes and pushes to them.
//
// A fetch takes in one pack with what the mirror lacks. A push sends exactly the new
// objects to one branch, creates it or moves it forward and never anything else, and asks
// the remote before and after: when the branch already stands there, that is success. What
// fails at the remote is a *remote.Error, what fails here is a remote.ErrLocal.
package transfer
