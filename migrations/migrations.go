// Package migrations holds the database schema as SQL files in goose's format. They are applied in the order
// of their numbers and never rolled back. A released file is never changed.
package migrations

import "embed"

// Files holds the migrations.
//
//go:embed *.sql
var Files embed.FS
