// Package postgres runs a private Postgres on this machine: found or fetched, started,
// reused at the next start, stopped with the program.
//
// Start finds the server's programs, or fetches them (package programs); where there can be
// none, it fails with an *Unavailable that says what to install.
//
// A cluster is a folder:
//
//	DIR/lock          held for life by the one program that runs the cluster; its pid
//	DIR/data          what initdb made; appears whole or not at all
//	DIR/run           the unix socket, for nobody but the owner; where DIR is too long a
//	                  name for a socket, a folder among the temporary files
//	DIR/socket        which folder that was, so that the next start can sweep it
//	DIR/postgres.log  what the server wrote
//
// The server listens on that socket alone, never on the network, and trusts whoever can
// open it: the file system is the password. Postgres refuses to run as root, so for root
// it runs as the owner of the data, else as the account postgres, daemon or nobody. Where
// DIR lies under a folder that such an account may not enter (/root), the cluster is put
// under /var/lib/bobbin and DIR/data links to it.
//
// The lock decides who runs it. Whoever gets it may stop a server that a dead program
// left behind, and starts its own. Whoever does not get it uses the server of the program
// that has it, and does not stop it. A program that is killed takes its server along: on
// Linux the kernel sends the signal, elsewhere a small watcher does.
package postgres
