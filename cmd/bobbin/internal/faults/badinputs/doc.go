// Package badinputs tests the program with the corpus in testdata/bad: inputs that a hostile, broken or
// unlucky sender may send. Each input arrives through the same interface as in production, and the case
// states the expected answer. The package contains only tests. BOBBIN_BAD=word runs the cases with the word
// in their file, line or name.
package badinputs
