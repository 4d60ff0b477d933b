// Package testrun builds and tests a tree with the project's own commands, in the sandbox.
//
// Checker.Run tests the current files of a folder, Checker.RunTree a fresh tree of a commit with optional
// changes, and Checker.Baseline an unchanged commit. A baseline runs once: its result is stored on disk,
// and only it fills the repository's build cache. All other runs may contain an agent's changes, so they
// write into a cache of their own, which is removed afterwards.
//
// The output of the runner becomes counts and named tests (package runners). Output that cannot be read is
// no error: only the exit code counts then, and Result.Counted is false. An error means that this machine
// failed; a command that fails is a Result.
package testrun
