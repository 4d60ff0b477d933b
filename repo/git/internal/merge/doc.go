// Package merge merges trees and texts three ways. Trees returns either the swaps that turn ours into
// the merged tree, or the conflicts, each with a cause in words for people. It stores merged texts as
// blobs and writes no other file.
package merge
