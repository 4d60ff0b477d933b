// Package upgrades is tests alone: the program of today takes over what each release left
// when it was killed (testdata/releases), and an older replica makes way. make release
// records a new one.
package upgrades
