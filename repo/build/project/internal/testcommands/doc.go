// Package testcommands finds the test commands that a tree's own files name: tox.ini, a noxfile, setup.cfg,
// pyproject.toml, a Makefile, a justfile, a Taskfile, and CI workflows.
//
// The tree may be hostile. The caller reads the files; nothing is run, and a file that cannot be parsed
// names no command.
package testcommands
