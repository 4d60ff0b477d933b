// Package gittree reads, compares and edits the trees of commits, which hold the names, modes and
// hashes of files and folders.
//
// Parse accepts any names; CheckName and CheckNode check whether an entry may be written to a disk or
// committed. A *PathError is such a refusal in words for people. Compare reads only the folders that
// differ, and Apply writes only the folders on the paths that change.
package gittree
