// Package merge merges trees and texts three ways. Trees returns either what has to change
// in ours, or the conflicts, each with a cause in words for people; it writes no file.
package merge
