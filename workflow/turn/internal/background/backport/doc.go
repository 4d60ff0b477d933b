// Package backport ports a pushed change to release branches, each on a new branch, in a job that runs
// in parallel to the turns.
//
// A row of package store/backports says that a person with the permission asked for the backport.
// Porter.Run works it: the change is merged three-way into the release's files, proven there (its new
// tests fail on that release and pass with the change, and all other tests still pass), committed with
// the name of the person who asked, and pushed. The row holds the commit before the push, so a restart
// pushes the same commit again, which changes nothing if the branch already has it. Nothing is pushed
// to the release branch itself, nor to a tag.
//
// Each backport ends with one line in the thread, written in the same transaction as the end of the
// row. If the change conflicts or cannot be proven, that line says so and no branch is made.
package backport
