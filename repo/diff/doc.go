// Package diff compares texts line by line and shows the difference: as a unified diff that
// git apply reads, as a list of changes, or as hunks that can be undone one by one.
//
// The edits that LineEdits gives are exact: files are written by them, so a library that
// miscounts is not believed and the whole text is one edit instead.
package diff
