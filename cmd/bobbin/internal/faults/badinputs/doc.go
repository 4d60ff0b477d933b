// Package badinputs tests the program with the corpus in testdata/bad: inputs that somebody
// hostile, broken or unlucky may send. Each comes in by the door that it has in life, and states
// the answer that is due. The package has tests alone. BOBBIN_BAD=word runs the cases with the
// word in their file, line or name.
package badinputs
