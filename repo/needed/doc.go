// Package needed shows which hunks of a proven change are needed.
//
// Trial.Run takes each hunk of the fix out, alone, in a tree of its own, and runs the tests that
// are near. The rule is the simplest one that is true: a hunk is needed if anything fails without
// it that does not fail with it, be it that the tree does not compile. So two hunks that only
// compile together are both needed. One without which nothing fails is not shown to be needed;
// that says as much of the tests as of the hunk.
//
// The fix is what can make a test fail: no tests, no prose, no comments, no stylesheets and
// pictures, and not what a person has to allow by a word of its own (diff.Change.WiderEffect). A
// new file is one hunk, a deleted one, too, and both together where a file moved. A fix of a
// single hunk was tried already: the proof's base is the tree without it.
//
// What is run first are the new and changed tests, for every hunk; then, for those without which
// these pass, the tests of the packages that the fix touches, in Go, or all. Whatever does not
// fit into the time for it was not tried. The workspace itself is only read.
package needed
