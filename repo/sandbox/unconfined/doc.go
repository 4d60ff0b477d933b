// Package unconfined is the kind of sandbox that confines nothing: commands have the clean
// environment, and their processes are ended as well as that can be done.
package unconfined
