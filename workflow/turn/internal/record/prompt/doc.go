// Package prompt holds the wording that agents and people share: fences around data, the mark of the
// program's own words, names made safe, hunks, durations, short hashes.
//
// Its functions are pure. What comes from people, a repository, a command or a model is data: Fence
// marks it as such, and PersonName and FileName make a name safe to use in a line.
package prompt
