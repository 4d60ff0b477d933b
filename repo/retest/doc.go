// Package retest tests other commits for the bug that a change fixes, with the change's new tests or with
// the command that reproduces the bug.
//
// A Probe is made once and can be stored as JSON. Ask runs it on a fresh tree of a commit, in the sandbox,
// with the packages that the commit names if they can be fetched. The answer is red or green only if the
// run shows it for the probe's own tests. Everything else is Unclear, with a reason: the tree or the tests
// do not build, a tool or a package is missing, the tests do not run there, or the command fails in another
// way than before. An error means that this machine failed or that ctx ended.
package retest
