// Package folder manages the sessions' folders on this machine: which are in use, which may be removed,
// and what people are told about a full disk.
//
// A folder can be rebuilt from rows and the mirror, so Clean may remove any folder that no turn holds.
package folder
