// Package hunktrial shows which hunks of a proven change are needed.
//
// Trial.Run takes each hunk of the fix out, one at a time, in a separate tree, and runs the tests that
// are near. The rule is the simplest one that is true: a hunk is needed if something fails without it
// that does not fail with it, even if only because the tree does not compile. So two hunks that only
// compile together are both needed. A hunk without which nothing fails is not shown to be needed; that
// says as much about the tests as about the hunk.
//
// The fix is what can make a test fail. It excludes tests, prose, comments, stylesheets, pictures, and
// what a person has to allow separately (diff.Change.WiderEffect). A new file is one hunk, and so is a
// deleted one; both together are one hunk if a file moved. A fix of a single hunk is not tried again:
// the proof's base is the tree without it.
//
// The new and changed tests run first, for every hunk. For the hunks without which these pass, the
// tests of the packages that the fix touches run next (in Go), or else all tests. A hunk for which no
// time is left counts as not tried. The workspace itself is only read.
package hunktrial
