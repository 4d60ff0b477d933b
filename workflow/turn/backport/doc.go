// Package backport brings what was pushed to releases, each on a branch of its own, beside the
// turns.
//
// A row says that somebody who may asked for it (package backports of store). Porter.Run works it: the
// change is merged three-way into the release's files, proven there (its new tests fail on that release
// and pass with the change, and the rest still passes), committed with the name of whoever asked, and
// pushed. The row has the commit before the push, so that a restart pushes the same once more, which
// changes nothing where it stands there. Nothing is pushed to a release itself, nor to a tag.
//
// Every end is one line in the thread, written with the end of the row. What conflicts or cannot
// be proven is said, and nothing is made of it.
package backport
