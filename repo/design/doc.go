// Package design checks what people will see of a change: colours and sizes written out
// where the project has a token, focus outlines taken away, low contrast, markup that no
// screen reader can name, motion that nothing stops.
//
// Check compares two trees and looks only at lines that the change wrote. It reads
// stylesheets (room stylesheet), markup and JSX (room markup) and the project's tokens
// (room token); one file here holds one group of rules. It keeps nothing, runs nothing and
// is deterministic; the only errors are those of reading the trees.
package design
