// Package plaintext formats text for people and models: it cuts text to a length, joins it on one line,
// escapes or drops characters that are hidden or control a terminal, and writes counts and sizes.
//
// Every package cuts, counts and suggests with these functions, so that the product does it in one way:
//
//   - CutLine shortens to a number of characters, including the ellipsis; use it for a line that people
//     read. CutBytes shortens to a number of bytes, with an ellipsis after them.
//   - CutCounted and CutMiddle say how much is missing, for models that may ask for the rest.
//   - OneLine joins the lines of a text; EscapeLine, EscapeText and QuotePath make hidden characters in
//     text or file names visible; StripTerminal makes a command's output plain.
//   - List formats the items after a colon: on one line if they are short, else one line each.
//   - NearestWord finds the known word that a misspelt word probably means, by EditDistance.
//   - NetworkError says in words for people why a host could not be reached.
//   - Blank and AllBlank report whether text is empty; Slug makes part of a branch name from a title.
//
// The functions are pure and import only the standard library. Lengths are in characters (runes) unless
// a name says bytes. A result is valid UTF-8 wherever something was cut.
package plaintext
