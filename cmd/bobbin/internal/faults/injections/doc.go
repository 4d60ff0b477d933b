// Package injections is tests alone: the corpus of testdata/injections, texts that somebody
// plants for a model to read, and a model that obeys all of them. Nothing is pushed that
// nobody allowed, nothing is told, nobody is called, and the next question is answered.
package injections
