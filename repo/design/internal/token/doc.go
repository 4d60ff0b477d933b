// Package token knows the names that a project gives to its colours and lengths: the custom properties
// of :root, the variables of SCSS and Less, and the values of its theme files. ReadTokens collects them
// from a tree, with bounds on files and bytes. For a given value, Tokens returns the name to write
// instead, or the nearest one.
package token
