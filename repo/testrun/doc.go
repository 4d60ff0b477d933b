// Package testrun builds and tests a tree with the project's own commands, in the sandbox.
//
// Checker.Run does so with a folder as it stands, Checker.RunTree with a commit on which files
// may be laid, and Checker.Baseline with a commit as it is, once: its result is remembered on
// disk, and it alone fills the repository's build cache. Everything else, which an agent may
// have touched, sees the caches read-only.
//
// What the runner prints becomes counts and named tests (room runners). Output that nobody can
// read is no error: the exit code stands, and Result.Counted is false. An error means that this
// machine failed; a command that fails is a Result.
package testrun
