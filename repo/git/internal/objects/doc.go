// Package objects is the object store of a repository: the packs that all sessions of a repository
// share, and the loose objects of one session.
//
// OpenPacks reads packs with positioned reads, so that any number of goroutines share one descriptor
// and one index. Packs that another process adds are opened when an object is not found. A Store reads
// from the packs and then from its folder. It writes only to its folder, to a temporary file that it
// renames, so a reader or a crash never sees half an object. An object that is damaged or too large for
// memory, by accident or by attack, is an error and never a short object.
package objects
