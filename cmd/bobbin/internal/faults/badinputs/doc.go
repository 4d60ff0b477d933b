// Package badinputs is tests alone: the corpus of testdata/bad, inputs that somebody
// hostile, broken or unlucky may send, each by the door that it has in life and with the
// answer that is due. BOBBIN_BAD=word plays those with the word in their file, line or name.
package badinputs
