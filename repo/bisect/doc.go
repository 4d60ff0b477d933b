// Package bisect searches a history for the commit with which something broke. It is a pure
// search: what a commit's parents are, and whether the commit is red, green or cannot be told,
// its caller says.
//
// Run goes back from a red commit along first parents in growing steps until a green one, halves
// what lies between, and follows a merge into the branch that was red already. So it takes about
// twice the logarithm of the commits in runs, and one for each commit that cannot be told.
//
// A commit is named as certain only if it was red twice and each of its parents green twice.
// One that answers differently when it is asked again counts as one that cannot be told from
// then on, and nothing is certain any more. Where no commit can be named, the result has the
// nearest bounds, and why there are none nearer. An error is Ask's or Parents' own.
package bisect
