// Package plaintext writes text for people and models: cut to a length, on one line, with
// what hides or commands a terminal escaped or dropped, and with counts and sizes in words.
//
// Every room cuts, counts and suggests with these functions, so that the product does it in
// one way:
//
//   - CutLine shortens to a number of characters, an ellipsis included; it is the one to take
//     for a line that people read. CutBytes does the same where bytes are what is scarce.
//   - CutCounted and CutMiddle say how much is missing, for models that may ask for the rest.
//   - OneLine joins the lines of a text; EscapeLine, EscapeText and QuotePath make what stands in
//     somebody's text or file name visible; StripTerminal makes a command's output plain.
//   - List is what follows a colon: on one line where it is short, else a line each.
//   - NearestWord finds the word that was meant, by EditDistance.
//   - Blank and AllBlank ask whether anything is said at all; Slug makes a branch's name of a title.
//
// The functions are pure and import the standard library alone. Lengths are in characters
// (runes) unless a name says bytes. Results are valid UTF-8 wherever something was cut.
package plaintext
