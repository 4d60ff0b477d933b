// Package unconfined implements the kind of sandbox that confines nothing. Commands get the clean
// environment, and their processes are killed as far as that is possible.
package unconfined
