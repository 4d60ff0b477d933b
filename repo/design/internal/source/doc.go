// Package source reads the text of a source file, and finds where a string, a comment, a line or a pair
// of braces ends. All offsets are in bytes. Malformed text is no error: what is never closed ends with
// the text.
package source
