// Package account is whom the programs of Postgres run as. An Account knows which folders it
// may enter and gets folders of its own; Dress gives a command the account and an environment
// without PG… variables, and a Tie ends what was started with this program, however that ends:
// on Linux the kernel sends the signal, elsewhere a small watcher does.
package account
