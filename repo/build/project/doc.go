// Package project finds out how a tree is built and tested, and which of its files are tests.
//
// Find and FindIn read manifests (go.mod, package.json, pyproject.toml, Cargo.toml, a Makefile) and return
// command lines for sh -c. The tree may be hostile: only plain files are read, of each at most the first
// MiB, and nothing is run. A tree without a known manifest gives the zero Project.
package project
