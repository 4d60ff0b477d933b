// Package named finds the commands that a tree's own files name for its tests: in tox.ini, a
// noxfile, setup.cfg, pyproject.toml, a Makefile, a justfile, a Taskfile, and the workflows of
// its CI.
//
// The tree may be a stranger's. The caller reads its files; nothing is run, and what cannot be
// understood names nothing.
package named
