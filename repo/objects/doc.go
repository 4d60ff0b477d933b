// Package objects is the object store of a repository: the packs that all sessions of one
// repository share, and the loose objects that are a session's own.
//
// OpenPacks reads packs by positioned reads, so that any number of goroutines share one
// descriptor and one index; packs that another process adds are found when an object is
// missed. A Store reads from the packs, then from its folder, and writes to its folder
// alone, beside and then renamed: a reader or a crash never sees half an object. What is
// damaged, too large to hold, or built to be is an error and never a short object.
package objects
