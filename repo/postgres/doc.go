// Package postgres runs a private Postgres server on this machine. It finds or fetches the server's
// programs, starts the server, reuses the data at the next start and stops the server with the program.
//
// Start finds the programs or fetches them (package programs). If neither is possible, it fails with
// an *Unavailable that says what to install.
//
// A cluster is a folder:
//
//	DIR/lock          locked by the one program that runs the cluster, as long as it lives; contains its pid
//	DIR/data          created by initdb; appears complete or not at all
//	DIR/run           the Unix socket, accessible only to the owner; if DIR's path is too long for
//	                  a socket, a folder among the temporary files is used instead
//	DIR/socket        the path of the socket's folder, so that the next start can remove it
//	DIR/postgres.log  the server's output
//
// The server listens only on that socket, never on the network, and trusts every client that can open
// it: access is controlled by file permissions. Postgres refuses to run as root, so for root the server
// runs as the owner of the data, or else as the account postgres, daemon or nobody. If that account may
// not enter a folder above DIR (for example /root), the cluster is put under /var/lib/bobbin and
// DIR/data is a symbolic link to it. Start refuses a link whose folder is missing, as in a copy.
//
// The lock decides which program runs the cluster. The program that gets the lock may stop a server that
// a dead program left behind, and starts its own. A program that does not get the lock uses the server
// of the program that holds it, and does not stop it; with Config.Own it waits for the end of that program.
// When a program is killed, its server ends too: on Linux the kernel sends the signal, elsewhere a small
// watcher does.
package postgres
