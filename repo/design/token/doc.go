// Package token knows the names that a project gives its colours and lengths: the custom
// properties of :root, the variables of SCSS and Less, and the values of its theme files.
// ReadTokens collects them from a tree, bounded in files and bytes. Given a value, Tokens
// says which name to write instead, or which is nearest.
package token
