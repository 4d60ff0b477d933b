// Package project finds out how a tree is built and tested, and which of its files are tests.
//
// Find and FindIn look at manifests (go.mod, package.json, pyproject.toml, Cargo.toml, a
// Makefile) and give the command lines for sh -c. The tree may be a stranger's: only plain
// files of a sensible size are read, and nothing is run. A tree that says nothing gives the
// zero Project.
package project
