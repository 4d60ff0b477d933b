// Package retest asks other commits what a change was shown by: its new tests, or the command that
// reproduces a bug.
//
// A Probe is made once and can be kept as JSON. Ask runs it on a fresh tree of a commit, in the
// sandbox, with the packages that the commit names where they can be had. It says red or green
// only where the run says so of the very tests; whatever else happens is Unclear, with why: the
// tree or the tests do not build, a tool or a package is missing, the tests do not run there, or the
// command fails in another way than it did. An error means that this machine failed, or that ctx
// ended.
package retest
