// Package account runs the programs of Postgres as a chosen operating system account. An Account checks
// which folders it may enter and creates folders that it owns. Prepare sets the account and an environment
// without PG… variables on a command. A Tie ends a started process when this program ends, in whatever way:
// on Linux through a signal from the kernel, elsewhere through a small watcher process.
package account
