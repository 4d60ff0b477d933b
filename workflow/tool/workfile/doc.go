// Package workfile opens, reads and writes files of a workspace by paths that a model named.
//
// [CleanPath] makes such a path relative to the root, [ResolveLinks] follows its symbolic links
// so that they can be judged, and [Load] and [Store] read and write through an [os.Root], so
// that nothing leads outside whatever happens meanwhile. A file is judged after it was opened:
// pipes, devices and folders are refused, and sizes are bounded. Store writes a file whole or
// not at all: beside its place, then renamed.
//
// What a model can mend is a [model.Mistake]; other errors mean that the machine failed.
package workfile
