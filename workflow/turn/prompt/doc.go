// Package prompt has the words that agents and people read in common: fences around data,
// the mark of what the program itself says, names made safe, hunks, durations, short hashes.
//
// Its functions are pure. What comes from people, a repository, a command or a model is
// data: Fence marks it, PersonName and FileName keep it in a line.
package prompt
