// Package folder keeps the folders of sessions on this machine: which are in use, which may
// go, and what a full disk is called in words.
//
// A folder can be written anew from rows and the mirror, so Clean removes any that no turn
// holds.
package folder
