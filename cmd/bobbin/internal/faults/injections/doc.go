// Package injections tests the program with the corpus in testdata/injections: texts that
// somebody plants for a model to read, and a model that obeys all of them. Nothing is pushed
// without an approval, no secret gets out, nobody is mentioned, and the next question is
// answered. The package has tests alone.
package injections
