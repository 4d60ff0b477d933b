// Package workfile opens, reads and writes files of a workspace by paths that a model named.
//
// [CleanPath] makes such a path relative to the root. [ResolveLinks] follows its symbolic links, so that they
// can be checked. [Load] and [Store] read and write through an [os.Root], so that nothing leads outside,
// whatever happens meanwhile. A file is checked after it was opened: pipes, devices and folders are refused,
// and sizes are limited. Store writes a file completely or not at all: it writes a new file beside it and
// renames that.
//
// An error that a model can correct is a [model.Mistake]; other errors mean that the machine failed.
package workfile
