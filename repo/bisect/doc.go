// Package bisect searches a history for the commit that broke something. The search itself does no I/O:
// the caller's functions return a commit's parents, and whether a commit is red, green or unclear.
//
// Run goes back from a red commit along first parents in growing steps until it finds a green one,
// halves the range in between, and follows a merge into the branch that was already red. It needs about
// twice the logarithm of the number of commits in runs, and one more for each unclear commit.
//
// A commit is named as certain only if it was red twice and each of its parents green twice. A commit
// that gives another answer when it is asked again counts as unclear from then on, and no result is
// certain any more. If no commit can be named, the result has the nearest bounds and the reason why
// they are not nearer. The only errors are those of Ask, Parents and the context.
package bisect
