// Package injections tests the program with the corpus in testdata/injections: texts that an attacker plants
// for a model to read, and a model that obeys all of them. Nothing may be pushed without an approval, no
// secret may get out, nobody may be mentioned, and the next question must be answered. The package contains
// only tests.
package injections
