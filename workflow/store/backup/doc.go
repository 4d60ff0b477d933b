// Package backup writes the whole database into a folder beside a running bot, and puts it back. It needs
// none of Postgres' own programs, which the private Postgres does not have, and no right but that of the
// tables' owner.
//
// A backup is a folder:
//
//	manifest.json     what is in it: the version of the schema, each table with its rows, size and SHA-256
//	manifest.sha256   the SHA-256 of manifest.json
//	TABLE.copy.gz     the rows of a table, in the text format of COPY
//
// Write reads all tables in one repeatable-read transaction, so the backup is the state of one moment. The
// folder gets its name when everything is on the disk. Restore checks each file against the manifest before
// it changes anything, makes the tables by the migrations of the backup's version, and fills them in one
// transaction. What belongs to the processes of a moment, such as the heartbeats of replicas, is not in a
// backup: the bot that goes on with it takes over the jobs of processes that it does not know.
package backup
