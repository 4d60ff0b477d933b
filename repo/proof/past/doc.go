// Package past tests other commits for the bug that a change fixes, with the change's new tests or with
// the command that reproduces the bug, and searches a history for the commit that brought the bug.
//
// A Probe is made once and can be stored as JSON. Ask runs it on a fresh tree of a commit, in the sandbox,
// with the packages that the commit names if they can be fetched. The answer is red or green only if the
// run shows it for the probe's own tests. Everything else is Unclear, with a reason: the tree or the tests
// do not build, a tool or a package is missing, the tests do not run there, or the command fails in another
// way than before. An error means that this machine failed or that ctx ended.
//
// The search itself does no I/O: the caller's functions return a commit's parents, and whether a commit is
// red, green or unclear. Search.Run goes back from a red commit along first parents in growing steps until it
// finds a green one, halves the range in between, and follows a merge into the branch that was already red. It
// needs about twice the logarithm of the number of commits in runs, and one more for each unclear commit.
//
// A commit is named as certain only if it was red twice and each of its parents green twice. A commit
// that gives another answer when it is asked again counts as unclear from then on, and no result is
// certain any more. If no commit can be named, the result has the nearest bounds and the reason why
// they are not nearer. The only errors are those of Ask, Parents and the context.
package past
