// Package find looks through the files of a workspace: it searches for lines, lists folders and
// outlines source files, and answers in text for a model.
//
// [NewSearch] compiles a pattern (RE2, or plain text); its Run gives the search its time and
// words the answer. [ListFolder] shows what is below a folder, [OutlineFile] and
// [OutlineFolder] the symbols of sources. Answers are bounded and say what they leave out.
// What .gitignore names, and files that hold secrets by custom, are not looked into.
//
// What a model can mend is a [model.Mistake]; other errors mean that the machine failed.
package find
