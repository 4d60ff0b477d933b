// Package migrations holds the database's schema as SQL files, applied in the order of
// their numbers, forward only. A file that was released is never changed.
package migrations

import "embed"

// Files are the migrations, in goose's format.
//
//go:embed *.sql
var Files embed.FS
