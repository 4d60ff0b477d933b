// Package patch changes text as models ask for it: by patches in the V4A form, and by texts to
// be replaced.
//
// [Apply] carries out a patch over several files below a root: all of it is known to be
// possible before the first file is written, and what fails half way is taken back. [Parse]
// only reads one. [ReplaceText] puts one text in the place of another; where it is not in the
// file, [DescribeNearest] shows what comes nearest. [ShortDiff] and [FindSyntaxErrors] describe
// a change that was made. Line ends and whatever is not edited stay as they are, byte for byte.
//
// What a model can mend is a [model.Mistake]; other errors mean that the machine failed.
package patch
