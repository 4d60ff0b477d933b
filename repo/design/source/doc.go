// Package source reads the text of a source file, and finds where in a text a string, a
// comment, a line or a pair of braces ends. All offsets are in bytes. Nothing in it fails on
// broken text: what is never closed ends with the text.
package source
