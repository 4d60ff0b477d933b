// Package find looks through the files of a workspace: it searches for lines, lists folders and outlines
// source files. Its answers are text for a model.
//
// [NewSearch] compiles a pattern (RE2, or plain text); Run limits the time of a search and writes the answer.
// [ListFolder] lists what is below a folder. [OutlineFile] and [OutlineFolder] list the symbols of source
// files. Answers are limited in size and say what they leave out. What .gitignore excludes from a folder is
// left out, unless the path itself names it. Files that usually hold secrets are not read.
//
// An error that a model can correct is a [model.Mistake]; other errors mean that the machine failed.
package find
