// Package diff compares texts line by line and returns the difference as a unified diff that git apply
// reads, as a list of changes, or as hunks that can be undone one by one.
//
// The edits of LineEdits are exact, because files are written from them: if the diff library miscounts,
// the whole text becomes one edit instead.
package diff
