// Package design checks a change for faults that users will see: literal colours and sizes where the
// project has a token, removed focus outlines, low contrast, markup that a screen reader cannot name,
// and motion that nothing stops.
//
// Check compares two trees and looks only at lines that the change wrote. It reads stylesheets (package
// stylesheet), markup and JSX (package markup) and the project's tokens (package token). Each file of
// this package holds one group of rules. The package stores nothing, runs nothing and is deterministic.
// The only errors are those of reading the trees.
package design
