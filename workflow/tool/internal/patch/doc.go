// Package patch changes text in the two ways that models ask for: by patches in the V4A form, and by a text
// to replace.
//
// [Apply] applies a patch to several files below a root. It checks the whole patch before the first file is
// written, and undoes what a failure leaves half done. [Parse] only parses a patch. [ReplaceText] replaces
// one text by another; if the text is not in the file, [DescribeNearest] shows the lines that are most like
// it. [ShortDiff] and [FindSyntaxErrors] describe a change that was made. Line ends and everything that is
// not edited stay as they are, byte for byte.
//
// An error that a model can correct is a [model.Mistake]; other errors mean that the machine failed.
package patch
