package database

import "time"

// CommitWithin sets how long a commit may take after the end of its context.
func (d *DB) CommitWithin(most time.Duration) { d.commitWithin = most }

// MigrationLock is the key of the lock around migrations.
const MigrationLock = migrationLock
