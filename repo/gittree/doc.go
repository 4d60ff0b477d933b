// Package gittree reads, compares and edits the trees of commits: which file or folder stands
// where, with which mode.
//
// Parse takes what is there; CheckName and CheckNode say whether it may be written to a
// disk or committed, and *PathError is the no in words for people. Compare reads only the
// folders that differ, and Apply writes only the folders on the paths that change.
package gittree
